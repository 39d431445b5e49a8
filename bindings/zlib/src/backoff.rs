//! What was tried in vain again and again is tried less often.

use std::sync::atomic::{AtomicU32, Ordering};

/// After so many times in vain, one in as many is tried.
const PATIENCE: u32 = 16;

/// How often in a row something was tried in vain, in all of the process.
pub struct Backoff(AtomicU32);

impl Backoff {
    /// It was not tried yet.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether it is to be tried now; a time that it is not is counted.
    pub fn should_try(&self) -> bool {
        let times = self.0.load(Ordering::Relaxed);
        let should_try = times < PATIENCE || times.is_multiple_of(PATIENCE);
        if !should_try {
            self.0.store(times.wrapping_add(1), Ordering::Relaxed);
        }
        should_try
    }

    /// It was in vain.
    pub fn failed(&self) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// It was not.
    pub fn succeeded(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
