//! Rows in host memory, part by part.

use std::ops::Range;

use bytes::Bytes;

use super::PARTS;

/// What one launch made, dealt out to parts that lie one after the other.
#[derive(Debug, Clone)]
pub(in crate::exec) struct Piece {
    /// Where each part's rows begin, and where the last ends; the same of the bytes of strings.
    pub rows: Vec<u64>,
    pub strings: Vec<u64>,
    /// For each column its values and, if it can be null, a byte a row that says whether there is one.
    pub columns: Vec<(Bytes, Option<Bytes>)>,
    /// The bytes of all strings, whose addresses are places in it.
    pub heap: Bytes,
}

impl Piece {
    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let columns =
            self.columns.iter().map(|(values, valid)| values.len() + valid.as_ref().map_or(0, Bytes::len));
        (columns.sum::<usize>() + self.heap.len()) as u64
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
