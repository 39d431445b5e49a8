//! Near history: the longest match at most 512 bytes back, at any alignment (section IV-B).
//!
//! The engine compares a word with all of it at once. Here chains of positions find the same
//! matches: those with the same six bytes have every longer match, and are few where many positions
//! have the same three.

use super::word::load;
use crate::config::{MAX_MATCH, MIN_MATCH, NEAR, WORD};

/// Entries by hash.
const HEADS: usize = 4096;

/// Bytes that the positions of the second chains have in common.
const LONG: usize = 6;

/// A match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    pub length: usize,
    pub distance: usize,
}

/// Positions of the near history, chained by their first `LEN` bytes.
struct Chains<const LEN: usize> {
    /// Last position with a hash, plus one.
    heads: Vec<u32>,
    /// Position before with the same hash, plus one, by position.
    previous: [u32; NEAR],
}

impl<const LEN: usize> Chains<LEN> {
    fn new() -> Self {
        Chains { heads: vec![0; HEADS], previous: [0; NEAR] }
    }

    fn hash(data: &[u8], at: usize) -> usize {
        let bytes = load(data, at) << (64 - 8 * LEN);
        (bytes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % HEADS
    }

    fn insert(&mut self, data: &[u8], at: usize) {
        if at + LEN <= data.len() {
            let head = &mut self.heads[Self::hash(data, at)];
            self.previous[at % NEAR] = *head;
            *head = at as u32 + 1;
        }
    }

    /// Returns the longest match of more than `than` and at most `max` bytes, the nearest one of
    /// several.
    fn longest(&self, data: &[u8], at: usize, than: usize, max: usize) -> Option<Found> {
        if at + LEN > data.len() {
            return None;
        }
        let max = max.min(data.len() - at);
        let mut best = Found { length: than, distance: 0 };
        let mut next = self.heads[Self::hash(data, at)];
        while best.length < max && next > 0 && at - (next as usize - 1) <= NEAR {
            let distance = at - (next as usize - 1);
            // A longer match has the byte behind the best one, too.
            if data[at + best.length] == data[at + best.length - distance] {
                let length = match_length(data, at, distance, max);
                if length > best.length {
                    best = Found { length, distance };
                }
            }
            let before = self.previous[(next as usize - 1) % NEAR];
            if before >= next {
                break;
            }
            next = before;
        }
        (best.length > than).then_some(best)
    }
}

/// The near history.
pub struct Near {
    short: Chains<MIN_MATCH>,
    long: Chains<LONG>,
}

/// Returns the length of the match of two positions, at most `max`.
pub fn match_length(data: &[u8], at: usize, distance: usize, max: usize) -> usize {
    let max = max.min(data.len() - at);
    let mut length = 0;
    while length < max {
        let differing = load(data, at + length) ^ load(data, at + length - distance);
        if differing != 0 {
            return max.min(length + differing.trailing_zeros() as usize / 8);
        }
        length += WORD;
    }
    max
}

impl Near {
    pub fn new() -> Near {
        Near { short: Chains::new(), long: Chains::new() }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.short.heads.fill(0);
        self.long.heads.fill(0);
    }

    /// Adds a position.
    pub fn insert(&mut self, data: &[u8], at: usize) {
        self.short.insert(data, at);
        self.long.insert(data, at);
    }

    /// Returns the longest match at a position, the nearest one of several, if it has three bytes.
    pub fn longest(&self, data: &[u8], at: usize) -> Option<Found> {
        let long = self.long.longest(data, at, LONG - 1, MAX_MATCH);
        long.or_else(|| self.short.longest(data, at, MIN_MATCH - 1, LONG - 1))
    }
}
