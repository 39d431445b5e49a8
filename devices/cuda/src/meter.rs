//! How much of a GPU's memory is in use, against a limit of our own.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::{Error, Result};

#[derive(Debug)]
pub(crate) struct Meter {
    used: AtomicUsize,
    limit: usize,
}

impl Meter {
    pub fn new(limit: usize) -> Meter {
        Meter { used: AtomicUsize::new(0), limit }
    }

    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Counts bytes as used, unless that passes the limit.
    pub fn take(&self, bytes: usize) -> Result<()> {
        self.used
            .fetch_update(Relaxed, Relaxed, |used| used.checked_add(bytes).filter(|sum| *sum <= self.limit))
            .map(drop)
            .map_err(|used| Error::OutOfMemory { asked: bytes, used, limit: self.limit })
    }

    pub fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_to_the_limit() {
        let meter = Meter::new(100);
        meter.take(60).unwrap();
        assert_eq!(meter.take(41), Err(Error::OutOfMemory { asked: 41, used: 60, limit: 100 }));
        assert!(meter.take(usize::MAX).is_err());
        meter.take(40).unwrap();
        meter.give_back(60);
        assert_eq!(meter.used(), 40);
    }
}
