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
use crate::numbers::whole_or_none;

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
        let handle = batches.handle().clone();
        let position = Position { batches, batch: None, ready: VecDeque::new() };
        Rows { handle, position: ErrorCheckingMutex::new(position) }
    }

    /// Takes the next rows, up to `most`; fewer only at the end.
    ///
    /// # Errors
    /// The query fails, or a value has no object of Python; later calls raise that again. After a
    /// signal or a warning, later calls take the rows that this one has not returned.
    pub fn take(&self, py: Python<'_>, most: usize) -> PyResult<Vec<Py<PyTuple>>> {
        self.handle.engine(py)?;
        let mut position = self.position.take(py)?;
        position.batches.check(py)?;
        let mut rows = Vec::new();
        while rows.len() < most {
            match position.fill(py) {
                Ok(true) => {
                    let count = position.ready.len().min(most - rows.len());
                    rows.extend(position.ready.drain(..count));
                }
                Ok(false) => break,
                Err(error) => {
                    rows.into_iter().rev().for_each(|row| position.ready.push_front(row));
                    return Err(error);
                }
            }
        }
        Ok(rows)
    }
}

impl Position {
    /// Converts more rows, if none is ready; returns whether there is one.
    fn fill(&mut self, py: Python<'_>) -> PyResult<bool> {
        while self.ready.is_empty() {
            if self.batch.is_none() {
                self.batch = self.batches.next(py)?;
            }
            let Some(batch) = &self.batch else { return Ok(false) };
            let count = batch.num_rows().min(CHUNK);
            let made =
                tuples(py, &batch.slice(0, count)).inspect_err(|error| self.batches.fail(py, error))?;
            self.ready.extend(made.into_iter().map(Bound::unbind));
            let rest = batch.num_rows() - count;
            self.batch = (rest > 0).then(|| batch.slice(count, rest));
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

    /// Takes the next rows, up to `size` or all.
    #[pyo3(signature = (size = None))]
    fn take(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole_or_none)] size: Option<usize>,
    ) -> PyResult<Vec<Py<PyTuple>>> {
        self.0.take(py, size.unwrap_or(usize::MAX))
    }
}
