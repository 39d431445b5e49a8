//! Near history: the longest match at most 512 bytes back, at any alignment (section IV-B).
//!
//! The engine compares a word with all of it at once. Here chains of positions with the same three
//! bytes find the same matches.

use crate::config::{MAX_MATCH, MIN_MATCH, NEAR};

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
    let bytes = u32::from(data[at]) | u32::from(data[at + 1]) << 8 | u32::from(data[at + 2]) << 16;
    (bytes.wrapping_mul(0x9e37_79b1) >> 20) as usize % HEADS
}

/// Returns the length of the match of two positions, at most `max`.
pub fn match_length(data: &[u8], at: usize, distance: usize, max: usize) -> usize {
    let max = max.min(data.len() - at);
    let (current, before) = (&data[at..at + max], &data[at - distance..at - distance + max]);
    let mut length = 0;
    for (current, before) in current.chunks_exact(8).zip(before.chunks_exact(8)) {
        let (current, before): (&[u8; 8], &[u8; 8]) = match (current.try_into(), before.try_into()) {
            (Ok(current), Ok(before)) => (current, before),
            _ => return length,
        };
        let differing = u64::from_le_bytes(*current) ^ u64::from_le_bytes(*before);
        if differing != 0 {
            return length + differing.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + current[length..].iter().zip(&before[length..]).take_while(|(a, b)| a == b).count()
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
