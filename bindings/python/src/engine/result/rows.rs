//! Reader of rows as tuples of Python's objects.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::batches::Batches;
use crate::engine::handle::Handle;
use crate::engine::values::{CHUNK, pause, tuples};
use crate::error_checking_mutex::ErrorCheckingMutex;

/// Rows that are taken one after the other. Each is converted when it is near.
pub struct Rows {
    handle: Arc<Handle>,
    /// Locked across waits, after the handle has excluded a forked child.
    position: ErrorCheckingMutex<Position>,
}

struct Position {
    batches: Batches,
    /// Rows that came and were not converted.
    batch: Option<RecordBatch>,
    /// Rows that were converted and not taken.
    ready: VecDeque<Py<PyTuple>>,
}

impl Rows {
    /// Reads the rows of batches.
    pub fn new(batches: Batches) -> Self {
        let handle = batches.handle.clone();
        let position = Position { batches, batch: None, ready: VecDeque::new() };
        Rows { handle, position: ErrorCheckingMutex::new(position) }
    }

    /// Takes the next rows, up to `most`; fewer only at the end.
    ///
    /// # Errors
    /// The query fails, or a value has no object of Python.
    pub fn take(&self, py: Python<'_>, most: usize) -> PyResult<Vec<Py<PyTuple>>> {
        self.handle.engine(py)?;
        let mut position = self.position.take(py)?;
        let mut rows = Vec::new();
        while rows.len() < most && position.fill(py)? {
            let count = position.ready.len().min(most - rows.len());
            rows.extend(position.ready.drain(..count));
        }
        Ok(rows)
    }
}

impl Position {
    /// Converts more rows, if none is ready; returns whether there is one.
    fn fill(&mut self, py: Python<'_>) -> PyResult<bool> {
        while self.ready.is_empty() {
            let batch = match self.batch.take() {
                Some(batch) => batch,
                None => match self.batches.next(py)? {
                    Some(batch) => batch,
                    None => return Ok(false),
                },
            };
            let count = batch.num_rows().min(CHUNK);
            if count < batch.num_rows() {
                self.batch = Some(batch.slice(count, batch.num_rows() - count));
            }
            self.ready.extend(tuples(py, &batch.slice(0, count))?.into_iter().map(Bound::unbind));
            pause(py)?;
        }
        Ok(true)
    }
}

/// An iteration over the rows of a result.
#[pyclass(frozen, module = "pelton._pelton")]
pub struct RowIteration(Rows);

impl RowIteration {
    /// Iterates over the rows of a reader.
    pub fn new(rows: Rows) -> Self {
        RowIteration(rows)
    }
}

#[pymethods]
impl RowIteration {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<PyTuple>>> {
        Ok(self.0.take(py, 1)?.pop())
    }
}
