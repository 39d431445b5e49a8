//! Rows in host memory, part by part.

use std::ops::Range;

use bytes::Bytes;

use super::PARTS;
use super::aside::AsideRoom;

/// What one launch made, dealt out to parts that lie one after the other.
#[derive(Debug)]
pub(in crate::exec) struct Piece {
    /// Where each part's rows begin, and where the last ends; the same of the bytes of strings.
    pub rows: Vec<u64>,
    pub strings: Vec<u64>,
    /// For each column its values and, if it can be null, a byte a row that says whether there is
    /// one.
    pub columns: Vec<(Bytes, Option<Bytes>)>,
    /// The bytes of all strings, whose addresses are places in it.
    pub heap: Bytes,
    /// What it takes of the memory for rows that are set aside.
    pub room: AsideRoom,
}

impl Piece {
    /// Rows of all parts.
    pub fn all_rows(&self) -> u64 {
        self.rows.last().copied().unwrap_or(0)
    }

    /// The rows of some parts, and where the bytes of their strings are.
    pub fn part(&self, places: &Range<usize>) -> (Range<u64>, Range<u64>) {
        (self.rows[places.start]..self.rows[places.end], self.strings[places.start]..self.strings[places.end])
    }
}

/// Where parts begin, and where the last ends, of so many each.
pub(super) fn starts(counts: &[u64]) -> Vec<u64> {
    let mut starts = Vec::with_capacity(PARTS as usize + 1);
    let mut at = 0;
    starts.push(at);
    for count in counts {
        at += count;
        starts.push(at);
    }
    starts
}
