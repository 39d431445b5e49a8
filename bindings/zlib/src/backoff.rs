//! Retry backoff: an attempt that keeps failing is made less and less often.

use std::sync::atomic::{AtomicU32, Ordering};

/// Failures in a row before backoff starts. From then on, one attempt in `THRESHOLD` is made.
const PATIENCE: u32 = 16;

/// Counter of failures in a row, shared by all threads of the process.
pub struct Backoff(AtomicU32);

impl Backoff {
    /// Returns a counter without failures.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Returns whether to make an attempt now. An attempt that is left out counts as a failure.
    pub fn should_try(&self) -> bool {
        let times = self.0.load(Ordering::Relaxed);
        let should_try = times < PATIENCE || times.is_multiple_of(PATIENCE);
        if !should_try {
            self.0.store(times.wrapping_add(1), Ordering::Relaxed);
        }
        should_try
    }

    /// Counts a failed attempt.
    pub fn failed(&self) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Ends backoff after a successful attempt.
    pub fn succeeded(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
