//! Tables and groups that are made in passes, and the state of deferred fills.

use std::sync::Arc;

use super::host_memory::Piece;
use crate::ir::Fill;

/// A table or groups that can be made in passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exec) enum Part {
    /// A table, by number.
    Table(usize),
    /// Groups, by number.
    Groups(usize),
}

/// One of several passes over the keys, each with the keys of some hashes. For tables and groups
/// that do not fit at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::exec) struct Pass {
    pub parts: u64,
    pub part: u64,
}

impl Pass {
    /// The only pass.
    pub const WHOLE: Self = Self { parts: 1, part: 0 };

    /// Returns the pass's share of a number, and some more, as parts differ.
    pub fn of(self, number: u64) -> u64 {
        if self.parts == 1 { number } else { number / self.parts + number / self.parts / 4 + 1 }
    }
}

/// A fill that is deferred to the passes of its readers.
#[derive(Debug, Clone)]
pub(in crate::exec) struct DeferredFill {
    pub of: Part,
    pub fill: Fill,
    pub first: usize,
    /// Number of passes that was enough the last time.
    pub parts: u64,
    /// Its rows, if they were spilled.
    pub spilled: Option<Arc<Vec<Piece>>>,
}

/// Rows that are being spilled.
#[derive(Debug)]
pub(in crate::exec) struct Spilling {
    pub of: Part,
    pub pieces: Vec<Piece>,
}
