//! Mutex that reports a thread's attempt to lock it twice, and is waited for without the GIL.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::error::Kind;

/// Python code runs while the value is locked, for example in signal handlers, and may ask for the
/// value again. That is an error instead of a deadlock.
#[derive(Debug)]
pub struct ErrorCheckingMutex<T> {
    value: Mutex<T>,
    /// The thread that has the lock, or 0.
    holder: AtomicUsize,
}

/// The locked value.
pub struct ErrorCheckingGuard<'a, T> {
    value: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

impl<T> ErrorCheckingMutex<T> {
    /// Makes an unlocked mutex.
    pub fn new(value: T) -> Self {
        ErrorCheckingMutex { value: Mutex::new(value), holder: AtomicUsize::new(0) }
    }

    /// Waits for the lock. In a child of a fork that may take forever, so that the caller excludes
    /// a child first.
    ///
    /// # Errors
    /// This thread has the lock already.
    pub fn take(&self, py: Python<'_>) -> PyResult<ErrorCheckingGuard<'_, T>> {
        let me = thread();
        if self.holder.load(Ordering::Relaxed) == me {
            return Err(Kind::Error
                .error(py, "this result is being read by what called this; wait until that is done"));
        }
        let value = self.value.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.holder.store(me, Ordering::Relaxed);
        Ok(ErrorCheckingGuard { value, holder: &self.holder })
    }
}

impl<T> Deref for ErrorCheckingGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for ErrorCheckingGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for ErrorCheckingGuard<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that no other thread has during this one's life.
fn thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}
