//! Forks and the end of the interpreter, for values that need threads.
//!
//! A forked child has the parent's memory and none of its threads. A value that needs threads is a
//! [`ProcessLocal`], which the child can neither use nor drop. When the interpreter ends, Python
//! ends threads at their next request for the GIL, whatever they are doing; so threads that wait in
//! Pelton have to leave it before ([`wait_for_threads`]).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::error::Kind;

/// A value that is tied to the process that made it.
#[derive(Debug)]
pub struct ProcessLocal<T> {
    process: u32,
    /// `None` only during the drop.
    value: Option<T>,
}

impl<T> ProcessLocal<T> {
    /// Returns a value of this process.
    pub fn new(value: T) -> Self {
        ProcessLocal { process: std::process::id(), value: Some(value) }
    }

    /// Returns the value in the process that made it.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.process == std::process::id())
    }

    /// Returns the value in the process that made it.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut().filter(|_| self.process == std::process::id())
    }
}

impl<T> Drop for ProcessLocal<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Dropping it would wait for threads and locks of the parent.
            std::mem::forget(self.value.take());
        }
    }
}

/// Returns the error for the use of a parent's value in a child.
pub fn forked(py: Python<'_>) -> PyErr {
    let what = "this was made before the process forked, and its threads are not in this process; \
                use a connection that is opened here: pelton.connect()";
    Kind::Error.error(py, what)
}

/// Number of threads in Pelton without the GIL.
static DETACHED: AtomicUsize = AtomicUsize::new(0);

static ENDING: AtomicBool = AtomicBool::new(false);

/// Counts a thread without the GIL.
pub struct DetachedThread(());

impl DetachedThread {
    /// Counts this thread until the drop; an error once the interpreter ends.
    pub fn begin(py: Python<'_>) -> PyResult<Self> {
        if ENDING.load(Ordering::SeqCst) {
            return Err(Kind::Error.error(py, "the interpreter is ending, and runs no queries any more"));
        }
        DETACHED.fetch_add(1, Ordering::SeqCst);
        Ok(DetachedThread(()))
    }
}

impl Drop for DetachedThread {
    fn drop(&mut self) {
        // A child begins with a count of zero, without its parent's threads.
        let _ = DETACHED.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1));
    }
}

/// Returns whether the interpreter is at its end.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

/// Longest wait of the interpreter's end for threads in Pelton, which normally look up every 50 ms.
const PATIENCE: Duration = Duration::from_secs(3);

/// Makes later attempts to detach fail, as the interpreter ends.
pub fn begin_end() {
    ENDING.store(true, Ordering::SeqCst);
}

/// Waits until no thread is detached, but at most [`PATIENCE`].
pub fn wait_for_threads(py: Python<'_>) {
    py.detach(|| {
        let started = Instant::now();
        while DETACHED.load(Ordering::SeqCst) > 0 && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Resets the count in a forked child, which has no other threads.
pub fn begin_child() {
    DETACHED.store(0, Ordering::SeqCst);
}
