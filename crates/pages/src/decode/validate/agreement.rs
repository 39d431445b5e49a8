//! Agreement of the leaves of one column about the lists and structs around them.
//!
//! Each leaf of a struct or a map says by itself which of them are null and how long lists are.
//! parquet-rs, like most readers, takes the word of one leaf, so that damage shows as rows that
//! another reader does not have. Here the levels that two neighbours share are summed up for each
//! block of rows, and the sums compared.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Rows of a block: some sums for a page, and few of them to keep until the neighbour's pages are
/// there.
const BLOCK: usize = 1024;

/// What a leaf shares with a neighbour: the levels of the group that is around both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shared {
    /// The leaf on the left of the two.
    pub left: usize,
    /// The group's greatest definition level and repetition level.
    pub definition: u32,
    pub repetition: u32,
}

/// Sums that wait for those of the neighbour, by pair and block.
#[derive(Debug, Default)]
pub(crate) struct Agreement(Mutex<HashMap<(usize, usize), u64>>);

impl Agreement {
    /// Takes the sum of a block from one leaf of a pair. Returns false if the other's was another.
    fn meet(&self, left: usize, block: usize, sum: u64) -> bool {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match sums.remove(&(left, block)) {
            Some(other) => other == sum,
            None => sums.insert((left, block), sum).is_none(),
        }
    }
}

/// The sum of the block that a leaf is in.
#[derive(Debug)]
pub(crate) struct Block {
    shared: Shared,
    number: usize,
    /// The row that comes next.
    next: usize,
    /// Whether the block was read from its first row on, without a gap.
    is_whole: bool,
    sum: u64,
}

impl Block {
    pub fn new(shared: Shared) -> Self {
        Self { shared, number: 0, next: 0, is_whole: true, sum: 0 }
    }

    /// Takes the levels of a value. `row` is the row that begins with it, of `all` of the row
    /// group; `None`: it goes on. Returns false if a block was finished of which the neighbour has
    /// other levels.
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
            // an odd factor, so that no sum is lost; its bits are those of the golden ratio
            self.sum = (self.sum.rotate_left(5) ^ (level + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        agrees
    }

    /// Compares the block with the neighbour's, if all of it was read. Returns false if they
    /// differ.
    pub fn finish(&self, all: usize, agreement: &Agreement) -> bool {
        let end = (self.number + 1).saturating_mul(BLOCK).min(all);
        let is_done = self.is_whole && self.next == end;
        !is_done || agreement.meet(self.shared.left, self.number, self.sum)
    }
}
