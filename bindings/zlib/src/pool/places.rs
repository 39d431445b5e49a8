//! Places: how many streams of a process keep large tables between calls.
//!
//! The first streams keep theirs, which saves time. The others borrow tables for each call, so that
//! ten thousand streams do not take a gigabyte.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The places for one kind of tables.
pub struct Places {
    most: usize,
    taken: AtomicUsize,
}

/// A place that is taken, until it is dropped.
pub struct Place(&'static Places);

impl Places {
    /// Returns places for at most that many streams.
    pub const fn new(most: usize) -> Self {
        Self { most, taken: AtomicUsize::new(0) }
    }

    /// Takes a place; `None` if there is none left.
    pub fn take(&'static self) -> Option<Place> {
        let next = |taken: usize| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok().then(|| Place(self))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}
