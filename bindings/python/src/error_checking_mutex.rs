//! Values that threads of Python's take turns with, across waits.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::error::Kind;

/// A lock that is waited for without the GIL, and that says so where a thread would wait for
/// itself: code of Python's runs while a value is held, in signal handlers for one, and may ask for
/// it again.
#[derive(Debug)]
pub struct Turns<T> {
    value: Mutex<T>,
    /// The thread that has it, or 0.
    holder: AtomicUsize,
}

/// A value while a thread has it.
pub struct Turn<'a, T> {
    value: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

impl<T> Turns<T> {
    /// Returns a value that nobody has.
    pub fn new(value: T) -> Self {
        Turns { value: Mutex::new(value), holder: AtomicUsize::new(0) }
    }

    /// Waits for it. In a child of a fork it may never come: ask first whether this is one.
    ///
    /// # Errors
    /// This thread has it.
    pub fn take(&self, py: Python<'_>) -> PyResult<Turn<'_, T>> {
        let me = thread();
        if self.holder.load(Ordering::Relaxed) == me {
            return Err(Kind::Error
                .error(py, "this result is being read by what called this; wait until that is done"));
        }
        let value = self.value.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.holder.store(me, Ordering::Relaxed);
        Ok(Turn { value, holder: &self.holder })
    }
}

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that no other thread has while this one lives.
fn thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}
