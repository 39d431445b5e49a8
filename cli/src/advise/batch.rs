//! How long a batch of blocks takes, by its size.

use std::time::Duration;

/// How a device gets through a batch of blocks. One block is done by one thread or engine, so a
/// batch of few blocks does not have all of them at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// Time beside the bytes.
    pub setup: Duration,
    /// Uncompressed bytes a second of one thread or engine.
    pub one: f64,
    /// Uncompressed bytes a second of all of them together.
    pub all: f64,
    /// Uncompressed bytes of a block.
    pub block: f64,
}

/// Batches that are looked at, in bytes: from next to nothing to more than anybody has in flight.
const LEAST: f64 = 64.0;
const MOST: f64 = 1e10;
/// Steps between them, each an equal factor: 2%, which is less than anybody can tell.
const STEPS: u32 = 960;

impl Batch {
    /// Seconds for so many bytes: as long as all need together, and no shorter than one needs for a
    /// block.
    pub fn seconds(&self, bytes: f64) -> f64 {
        self.setup.as_secs_f64() + (bytes / self.all).max(bytes.min(self.block) / self.one)
    }

    /// From so many bytes on this is faster than `other`; none if larger batches are not.
    pub fn overtakes(&self, other: &Batch) -> Option<f64> {
        let size = |step: u32| LEAST * (MOST / LEAST).powf(f64::from(step) / f64::from(STEPS));
        let is_faster = |step: &u32| self.seconds(size(*step)) < other.seconds(size(*step));
        (0..=STEPS).rev().take_while(is_faster).last().map(size)
    }

    /// Bytes of a batch that takes twice its setup, so that half of the bandwidth is reached: setup
    /// × bandwidth.
    pub fn half_peak(&self) -> f64 {
        self.setup.as_secs_f64() * self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(micros: u64, one: f64, lanes: f64) -> Batch {
        Batch { setup: Duration::from_micros(micros), one, all: one * lanes, block: 10_000.0 }
    }

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 0.02)
    }

    #[test]
    fn it_is_overtaken_where_both_take_as_long() {
        let cpu = batch(0, 1e9, 1.0);
        // 10 µs + n / 4 GB/s = n / 1 GB/s: n = 13,333 bytes, which one lane has as few blocks as
        // many.
        assert!(near(batch(10, 4e9, 1.0).overtakes(&cpu), 13_333.0));
        // A slow lane needs 10 + 20 µs for a block, while the CPU does three of them.
        assert!(near(batch(10, 0.5e9, 8.0).overtakes(&cpu), 30_000.0));
        assert_eq!(batch(10, 1e9, 1.0).overtakes(&cpu), None);
        assert_eq!(batch(10, 0.5e9, 1.0).overtakes(&cpu), None);
        assert_eq!(batch(0, 2e9, 1.0).overtakes(&cpu), Some(LEAST));
    }
}
