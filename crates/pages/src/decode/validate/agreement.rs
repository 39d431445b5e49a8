//! Agreement of neighbouring leaves of a column about the lists and structs around them.
//!
//! Each leaf of a struct or map stores the nulls of these groups and the lengths of lists.
//! parquet-rs, like most readers, uses the levels of one leaf, so damage gives rows that other
//! readers do not return. Sums of the levels that two neighbours share are compared for each block
//! of rows.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Rows of a block. Smaller blocks need more sums for a page; larger ones span more pages, and more
/// sums wait for the neighbour's pages.
const BLOCK: usize = 1024;

/// Levels of the innermost group around two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The left leaf of the pair.
    pub left: usize,
    /// Maximum definition and repetition level of the group.
    pub definition: u32,
    pub repetition: u32,
}

/// Sums of one leaf, by pair and block, until the neighbour's sum arrives.
#[derive(Debug, Default)]
pub(crate) struct Agreement(Mutex<HashMap<(usize, usize), u64>>);

impl Agreement {
    /// Takes the sum of a block from one leaf of a pair. Returns false if the neighbour's sum
    /// differs.
    fn meet(&self, left: usize, block: usize, sum: u64) -> bool {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match sums.remove(&(left, block)) {
            Some(other) => other == sum,
            None => sums.insert((left, block), sum).is_none(),
        }
    }
}

/// Sum of the levels of a leaf's current block.
#[derive(Debug)]
pub(crate) struct Block {
    shared: Shared,
    number: usize,
    /// The next row.
    next: usize,
    /// Whether all rows of the block so far were read.
    is_whole: bool,
    sum: u64,
}

impl Block {
    pub fn new(shared: Shared) -> Self {
        Self { shared, number: 0, next: 0, is_whole: true, sum: 0 }
    }

    /// Adds the levels of a value. `row` is the row that begins with the value, or `None` if the
    /// value continues a row; the row group has `all` rows. Returns false if a finished block
    /// differs from the neighbour's.
    pub fn value(
        &mut self,
        (repetition, definition): (u32, u32),
        row: Option<usize>,
        all: usize,
        agreement: &Agreement,
    ) -> bool {
        let mut agrees = true;
        if let Some(row) = row {
            if row / BLOCK != self.number || row < self.next {
                agrees = self.finish(all, agreement);
                *self = Self {
                    number: row / BLOCK,
                    next: row,
                    is_whole: row % BLOCK == 0,
                    ..Self::new(self.shared)
                };
            }
            self.is_whole &= row == self.next;
            self.next = row + 1;
        }
        if repetition <= self.shared.repetition {
            let level = u64::from(repetition) << 32 | u64::from(definition.min(self.shared.definition));
            // an odd factor maps distinct sums to distinct sums; its bits are those of the golden
            // ratio
            self.sum = (self.sum.rotate_left(5) ^ (level + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        agrees
    }

    /// Compares the block with the neighbour's, if all of its rows were read. Returns false if they
    /// differ.
    pub fn finish(&self, all: usize, agreement: &Agreement) -> bool {
        let end = (self.number + 1).saturating_mul(BLOCK).min(all);
        let is_done = self.is_whole && self.next == end;
        !is_done || agreement.meet(self.shared.left, self.number, self.sum)
    }
}
