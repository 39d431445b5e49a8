//! Pool of states that are too large to have one in every stream. A call borrows one.
//!
//! No lock is held during the call. So the pool works in a process that was forked meanwhile, and
//! nothing runs when a thread ends. Unloading the library frees the states (`process/load.rs`).

mod places;

use std::alloc::{Layout, alloc};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

pub use places::{Place, Places};

/// Number of states that the pool keeps. If more calls run at the same time, they make their own.
const SLOTS: usize = 16;

/// A pool of states of one type.
pub struct Pool<T>([AtomicPtr<T>; SLOTS]);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Pool<T> {
    /// Returns an empty pool.
    pub const fn new() -> Self {
        Self([const { AtomicPtr::new(null_mut()) }; SLOTS])
    }

    /// Runs `work` with a state from the pool, or one made by `make` if the pool is empty; `None`
    /// if there is no memory.
    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.try_with(|| Some(make()), work)
    }

    /// As [`Self::with`], where `make` may have no memory either.
    pub fn try_with<R>(&self, make: impl FnOnce() -> Option<T>, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut state = self.take().or_else(|| made(make))?;
        let result = work(&mut state);
        self.keep(state);
        Some(result)
    }

    /// Frees the states that no call has borrowed.
    pub fn clear(&self) {
        while self.take().is_some() {}
    }

    fn take(&self) -> Option<Box<T>> {
        let taken = self
            .0
            .iter()
            .map(|slot| slot.swap(null_mut(), Ordering::Acquire))
            .find(|state| !state.is_null())?;
        // SAFETY: the pointer came from `keep`, and the swap has removed it from the pool.
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

/// Makes a state. Only this call has one on the stack.
#[cold]
#[inline(never)]
fn made<T>(make: impl FnOnce() -> Option<T>) -> Option<Box<T>> {
    boxed(make()?)
}

/// Moves a value to the heap; `None` if there is no memory, where `Box::new` would end the process.
pub fn boxed<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the size is not zero.
    let address = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if address.is_null() {
        return None;
    }
    // SAFETY: owned memory for one value, from the allocator that `Box` uses.
    unsafe {
        address.write(value);
        Some(Box::from_raw(address))
    }
}
