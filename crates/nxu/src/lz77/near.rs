//! Near history: the longest match at most 512 bytes back, at any alignment (section IV-B).
//!
//! The engine compares a word with all of it at once. Here chains of positions with the same three
//! bytes find the same matches.

use super::word::load;
use crate::config::{MAX_MATCH, MIN_MATCH, NEAR, WORD};

/// Entries by hash of three bytes.
const HEADS: usize = 4096;

/// A match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    pub length: usize,
    pub distance: usize,
}

/// Positions of the near history by their three bytes.
pub struct Near {
    /// Last position with a hash, plus one.
    heads: Vec<u32>,
    /// Position before with the same hash, plus one, by position.
    previous: [u32; NEAR],
}

fn hash(data: &[u8], at: usize) -> usize {
    let bytes = load(data, at) as u32 & 0xff_ffff;
    (bytes.wrapping_mul(0x9e37_79b1) >> 20) as usize % HEADS
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
        Near { heads: vec![0; HEADS], previous: [0; NEAR] }
    }

    /// Forgets all positions.
    pub fn clear(&mut self) {
        self.heads.fill(0);
    }

    /// Adds a position.
    pub fn insert(&mut self, data: &[u8], at: usize) {
        if at + MIN_MATCH <= data.len() {
            let head = &mut self.heads[hash(data, at)];
            self.previous[at % NEAR] = *head;
            *head = at as u32 + 1;
        }
    }

    /// Returns the longest match at a position, the nearest one of several, if it has three bytes.
    pub fn longest(&self, data: &[u8], at: usize) -> Option<Found> {
        if at + MIN_MATCH > data.len() {
            return None;
        }
        let mut best = Found { length: MIN_MATCH - 1, distance: 0 };
        let mut next = self.heads[hash(data, at)];
        while next > 0 && at - (next as usize - 1) <= NEAR {
            let distance = at - (next as usize - 1);
            // A longer match has the byte behind the best one, too.
            if data[at + best.length] == data[at + best.length - distance] {
                let length = match_length(data, at, distance, MAX_MATCH);
                if length > best.length {
                    best = Found { length, distance };
                    if length == MAX_MATCH.min(data.len() - at) {
                        break;
                    }
                }
            }
            let before = self.previous[(next as usize - 1) % NEAR];
            if before >= next {
                break;
            }
            next = before;
        }
        (best.length >= MIN_MATCH).then_some(best)
    }
}
