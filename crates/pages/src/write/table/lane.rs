//! A column's queue, and what a thread takes of it to encode.

use std::collections::VecDeque;

use arrow::array::ArrayRef;
use arrow::datatypes::FieldRef;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};

/// What is next in a column.
pub(super) enum Step {
    /// A row group begins: the writers of the column's leaves.
    Begin(Vec<ArrowColumnWriter>),
    /// Values, and how many bytes they are.
    Values(ArrayRef, usize),
    /// The row group ends.
    End,
}

/// A column's queue.
pub(super) struct Lane {
    pub field: FieldRef,
    pub steps: VecDeque<Step>,
    pub bytes: usize,
    /// Somebody is at it, and has its writers.
    pub is_taken: bool,
    pub writers: Vec<ArrowColumnWriter>,
    /// Its chunks of row groups that have ended, in their order.
    pub ended: VecDeque<Vec<ArrowColumnChunk>>,
}

/// What a thread has of a lane while it encodes.
pub(super) struct Taken {
    pub lane: usize,
    pub field: FieldRef,
    pub steps: VecDeque<Step>,
    pub writers: Vec<ArrowColumnWriter>,
    pub ended: VecDeque<Vec<ArrowColumnChunk>>,
}

impl Lane {
    pub fn new(field: FieldRef) -> Self {
        let (steps, ended) = (VecDeque::new(), VecDeque::new());
        Self { field, steps, bytes: 0, is_taken: false, writers: Vec::new(), ended }
    }

    /// What is to be done in it, which is lane number `index`.
    pub fn take(&mut self, index: usize) -> Taken {
        self.is_taken = true;
        let (steps, writers) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.writers));
        Taken { lane: index, field: self.field.clone(), steps, writers, ended: VecDeque::new() }
    }
}

impl Taken {
    /// Encodes, and says how many bytes of values that were.
    pub fn run(&mut self) -> parquet::errors::Result<usize> {
        let mut bytes = 0;
        for step in std::mem::take(&mut self.steps) {
            match step {
                Step::Begin(writers) => self.writers = writers,
                Step::Values(array, size) => {
                    for (leaf, writer) in compute_leaves(&self.field, &array)?.iter().zip(&mut self.writers) {
                        writer.write(leaf)?;
                    }
                    bytes += size;
                }
                Step::End => {
                    let chunks = std::mem::take(&mut self.writers).into_iter().map(ArrowColumnWriter::close);
                    self.ended.push_back(chunks.collect::<Result<_, _>>()?);
                }
            }
        }
        Ok(bytes)
    }
}
