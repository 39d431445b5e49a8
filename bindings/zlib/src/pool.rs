//! States that are too large to have one in every stream, lent for the time of a call.
//!
//! No lock is held meanwhile, so a process that is forked in the middle of a call has a pool that
//! works, and nothing runs when a thread or the process ends.

use std::alloc::{Layout, alloc};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// States that are kept for the next call. Calls that run at the same time beyond these make their
/// own.
const SLOTS: usize = 16;

/// States of a kind.
pub struct Pool<T>([AtomicPtr<T>; SLOTS]);

impl<T> Pool<T> {
    /// A pool that has none yet.
    pub const fn new() -> Self {
        Self([const { AtomicPtr::new(null_mut()) }; SLOTS])
    }

    /// Runs `work` with a state that nobody else has, made by `make` if all are lent; none if there
    /// is no memory for it.
    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut state = self.take().or_else(|| boxed(make()))?;
        let result = work(&mut state);
        self.keep(state);
        Some(result)
    }

    fn take(&self) -> Option<Box<T>> {
        let taken = self
            .0
            .iter()
            .map(|slot| slot.swap(null_mut(), Ordering::Acquire))
            .find(|state| !state.is_null())?;
        // SAFETY: what is in a slot came from `keep`, and whoever swaps it out is the only one to
        // have it.
        Some(unsafe { Box::from_raw(taken) })
    }

    fn keep(&self, state: Box<T>) {
        let state = Box::into_raw(state);
        let is_kept = |slot: &AtomicPtr<T>| {
            slot.compare_exchange(null_mut(), state, Ordering::Release, Ordering::Relaxed).is_ok()
        };
        if !self.0.iter().any(is_kept) {
            // SAFETY: it came from `into_raw` above, and no slot took it.
            drop(unsafe { Box::from_raw(state) });
        }
    }
}

/// Moves a value to the heap; none if there is no memory, where `Box::new` would end the process.
pub fn boxed<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not zero.
    let address = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if address.is_null() {
        return None;
    }
    // SAFETY: memory for one value, from the allocator of boxes, which nobody else has.
    unsafe {
        address.write(value);
        Some(Box::from_raw(address))
    }
}
