//! The value of one row of a frame: `first_value`, `last_value`, `nth_value`, `lag` and `lead`.

use std::collections::VecDeque;
use std::ops::Range;

use arrow::array::{Array, ArrayRef};
use arrow::compute::interleave;
use datafusion::common::internal_datafusion_err;
use datafusion::error::Result;

use super::{Needed, Sliding};

/// The row of a frame that has the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// Counted from the first, which is 0.
    FromStart(u64),
    /// Counted back from the last, which is 0.
    FromEnd(u64),
}

impl Pick {
    /// Returns the row of a frame; `None` if the frame has fewer rows.
    fn row(self, frame: &Range<u64>) -> Option<u64> {
        let row = match self {
            Self::FromStart(rows) => frame.start.checked_add(rows)?,
            Self::FromEnd(rows) => frame.end.checked_sub(rows)?.checked_sub(1)?,
        };
        frame.contains(&row).then_some(row)
    }
}

/// Values of some rows.
struct Chunk {
    /// Number of the first row.
    first: u64,
    values: ArrayRef,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.first + self.values.len() as u64
    }

    fn rows(&self) -> Range<u64> {
        self.first..self.end()
    }
}

/// The value of one row of each frame.
pub(crate) struct Picks {
    pick: Pick,
    /// An array of the value where there is no such row.
    default: ArrayRef,
    chunks: VecDeque<Chunk>,
    /// Rows until now.
    rows: u64,
}

impl Picks {
    /// Returns a function that has seen no rows, with an array of the value where there is none.
    pub fn new(pick: Pick, default: ArrayRef) -> Self {
        Self { pick, default, chunks: VecDeque::new(), rows: 0 }
    }
}

impl Sliding for Picks {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        if !argument.is_empty() {
            self.chunks.push_back(Chunk { first: self.rows, values: argument.clone() });
            self.rows += argument.len() as u64;
        }
        Ok(())
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let mut found = Vec::with_capacity(frames.len());
        let (mut at, mut rows) = (0, 0..0);
        for frame in frames {
            let Some(row) = self.pick.row(frame) else {
                found.push((0, 0));
                continue;
            };
            if !rows.contains(&row) {
                at = self.chunks.partition_point(|chunk| chunk.end() <= row);
                let chunk = self.chunks.get(at);
                let chunk = chunk.filter(|chunk| chunk.first <= row);
                rows = chunk.ok_or_else(|| internal_datafusion_err!("a window has lost a row"))?.rows();
            }
            found.push((at + 1, (row - rows.start) as usize));
        }
        let chunks = self.chunks.iter().map(|chunk| chunk.values.as_ref());
        let arrays: Vec<&dyn Array> = [self.default.as_ref()].into_iter().chain(chunks).collect();
        Ok(interleave(&arrays, &found)?)
    }

    fn forget(&mut self, needed: Needed) {
        let Needed { first, partition, .. } = needed;
        let (first, pinned) = match self.pick {
            Pick::FromStart(rows) => (first, partition.checked_add(rows)),
            Pick::FromEnd(rows) => (first.saturating_sub(rows).saturating_sub(1), None),
        };
        let is_pinned = |chunk: &Chunk| pinned.is_some_and(|row| chunk.rows().contains(&row));
        self.chunks.retain(|chunk| chunk.end() > first || is_pinned(chunk));
    }

    fn size(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.values.get_array_memory_size()).sum()
    }
}
