//! Queue of a column, and the part that a thread takes from it to encode.

use std::collections::VecDeque;

use arrow::array::ArrayRef;
use arrow::datatypes::FieldRef;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};

/// Step in the encoding of a column.
pub(super) enum Step {
    /// Begin of a row group, with the writers of the column's leaves.
    Begin(Vec<ArrowColumnWriter>),
    /// Values, and their size in bytes.
    Values(ArrayRef, usize),
    /// End of the row group.
    End,
}

/// Queue of a column.
pub(super) struct Lane {
    pub field: FieldRef,
    pub steps: VecDeque<Step>,
    pub bytes: usize,
    /// A thread has taken its steps and writers.
    pub is_taken: bool,
    pub writers: Vec<ArrowColumnWriter>,
    /// Chunks of finished row groups, in order.
    pub ended: VecDeque<Vec<ArrowColumnChunk>>,
}

/// Steps and writers of a column while a thread encodes.
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

    /// Takes all steps. `index` is the number of the column.
    pub fn take(&mut self, index: usize) -> Taken {
        self.is_taken = true;
        let (steps, writers) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.writers));
        Taken { lane: index, field: self.field.clone(), steps, writers, ended: VecDeque::new() }
    }
}

impl Taken {
    /// Encodes the steps, and returns the encoded bytes of values.
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
