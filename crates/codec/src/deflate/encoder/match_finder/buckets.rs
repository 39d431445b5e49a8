//! N-way buckets: the most recent positions with the same hash, newest first.

use std::collections::TryReserveError;
use std::ops::Range;

use crate::deflate::encoder::levels::reserve;

/// Hashed bytes, and so the minimum length of a match. Matches of three bytes mostly cost more than
/// their literals.
pub(crate) const HASHED: usize = 4;
/// Bytes that are hashed for long matches.
pub(crate) const HASHED_LONG: usize = 8;

/// Buckets of positions, one for each hash of some bytes.
pub(crate) struct Buckets {
    /// `ways` positions for each hash, newest first.
    pub(crate) positions: Vec<u16>,
    pub(crate) ways: usize,
    /// The logarithm of the number of buckets.
    pub(crate) bits: u32,
}

impl Buckets {
    pub(crate) const fn new() -> Self {
        Self { positions: Vec::new(), ways: 0, bits: 0 }
    }

    /// Gets the memory for 2^`bits` buckets.
    pub(crate) fn reserve(&mut self, ways: usize, bits: u32) -> Result<(), TryReserveError> {
        reserve(&mut self.positions, ways << bits)
    }

    pub(crate) fn reset(&mut self, ways: usize, bits: u32) {
        self.positions.clear();
        self.positions.resize(ways << bits, 0);
        (self.ways, self.bits) = (ways, bits);
    }

    /// Lowers all positions, and those that fall out of the window to its start.
    pub(crate) fn lower(&mut self, by: u16) {
        self.positions.iter_mut().for_each(|position| *position = position.saturating_sub(by));
    }

    /// Returns the bucket of a hash.
    pub(crate) fn bucket(&self, spread: u32) -> Range<usize> {
        let first = (spread >> (32 - self.bits)) as usize * self.ways;
        first..first + self.ways
    }

    pub(crate) fn insert(&mut self, bucket: Range<usize>, position: usize) {
        let bucket = &mut self.positions[bucket];
        if let Some(last) = bucket.len().checked_sub(1) {
            bucket.copy_within(..last, 1);
            bucket[0] = position as u16;
        }
    }
}

/// The golden ratio's part of the range of a word, made odd: multiplication spreads the bytes over
/// the high bits (Knuth, The Art of Computer Programming, section 6.4).
pub(crate) const SPREAD: u32 = 0x9E37_79B1;

/// Another odd number, from the square root of 3, for the bytes after the first four.
pub(crate) const SPREAD_HIGH: u32 = 0xBB67_AE85;

/// Returns the hash of four bytes. Its high bits are used.
pub(crate) fn spread(bytes: u32) -> u32 {
    bytes.wrapping_mul(SPREAD)
}

/// Returns the hash of eight bytes. Its high bits are used.
pub(crate) fn spread_long(low: u32, high: u32) -> u32 {
    low.wrapping_mul(SPREAD).wrapping_add(high.wrapping_mul(SPREAD_HIGH))
}
