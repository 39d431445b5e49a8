//! Waiting without the GIL, in steps that are short enough for Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::{Kind, internal, raise};
use crate::process::DetachedThread;

/// Longest time until a signal is noticed. A delay of this length is not perceived.
pub const PULSE: Duration = Duration::from_millis(50);

/// Does something without the GIL, for about a [`PULSE`] at most.
///
/// # Errors
/// The interpreter ends, or it panics.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let outside = DetachedThread::begin(py)?;
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    drop(outside);
    done.map_err(|panic| internal(py, &*panic))
}

/// Something that a thread does.
pub struct Work<T>(Receiver<thread::Result<pelton::Result<T>>>);

impl<T: Send + 'static> Work<T> {
    /// Has a thread do it.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start(
        py: Python<'_>,
        work: impl FnOnce() -> pelton::Result<T> + Send + 'static,
    ) -> PyResult<Self> {
        let (send, receive) = sync_channel(1);
        let work = move || {
            // The waiting thread may be gone.
            let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
        };
        let started = thread::Builder::new().name("pelton-call".to_owned()).spawn(work);
        started.map_err(|error| Kind::Error.error(py, format!("cannot start a thread: {error}")))?;
        Ok(Work(receive))
    }

    /// Waits for its end, and looks after signals meanwhile.
    ///
    /// # Errors
    /// The work fails, or a signal handler raises. In the latter case the thread's result is
    /// dropped.
    pub fn finish(self, py: Python<'_>) -> PyResult<T> {
        let Work(mut receive) = self;
        loop {
            let (back, received) = detached(py, move || {
                let received = receive.recv_timeout(PULSE);
                (receive, received)
            })?;
            receive = back;
            match received {
                Ok(Ok(done)) => return done.map_err(|error| raise(py, &error)),
                Ok(Err(panic)) => return Err(internal(py, &*panic)),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => return Err(internal(py, &"a thread is gone")),
            }
        }
    }
}

/// Runs work that has no steps on a thread of its own.
///
/// # Errors
/// As [`Work::start`] and [`Work::finish`].
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> pelton::Result<T> + Send + 'static,
) -> PyResult<T> {
    Work::start(py, work)?.finish(py)
}
