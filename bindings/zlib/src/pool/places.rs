//! Places: how many streams of a process keep large tables between calls.
//!
//! The first streams keep theirs, which saves time. The others borrow tables for each call, so that
//! ten thousand streams do not take a gigabyte.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Streams that keep tables, of each kind. Their memory is about that of the shared encoders.
const MAX_TAKEN: usize = 64;

/// The places for one kind of tables.
pub struct Places(AtomicUsize);

/// A place that is taken, until it is dropped.
pub struct Place(&'static Places);

impl Places {
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Takes a place; `None` if there is none left.
    pub fn take(&'static self) -> Option<Place> {
        let next = |taken: usize| (taken < MAX_TAKEN).then_some(taken + 1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok().then(|| Place(self))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
