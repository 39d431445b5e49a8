//! Iteration over the batches of a result.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;

use crate::engine::export::{self, OneBatch, Rows};
use crate::engine::handle::Handle;
use crate::engine::running::{ended, pull};
use crate::error_checking_mutex::ErrorCheckingMutex;
use crate::process::forked;

/// Rows that are taken batch by batch.
pub struct Batches {
    pub handle: Arc<Handle>,
    pub rows: Rows,
}

impl Batches {
    /// Returns the next of them.
    ///
    /// # Errors
    /// The query fails, or a signal handler raises.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        while self.rows.kept.is_empty() {
            let Rows { kept, running, .. } = &mut self.rows;
            let Some(query) = running else { return Ok(None) };
            let query = query.get_mut().ok_or_else(|| forked(py))?;
            match pull(py, query, 1) {
                Ok(Some(batches)) => kept.extend(batches),
                Ok(None) => ended(py, running)?,
                Err(error) => {
                    *running = None;
                    return Err(error);
                }
            }
        }
        let Some(batch) = self.rows.kept.pop_front() else { return Ok(None) };
        export::cast(py, &batch, &self.rows.schema).map(Some)
    }
}

/// An iteration over the batches of a result.
#[pyclass(frozen, module = "pelton._pelton")]
pub struct Iteration {
    handle: Arc<Handle>,
    /// Locked across waits, after the handle has excluded a forked child.
    batches: ErrorCheckingMutex<Batches>,
    /// `pyarrow.record_batch`.
    make: Py<PyAny>,
}

impl Iteration {
    /// Iterates over the results of `make` for each batch.
    pub fn new(batches: Batches, make: Py<PyAny>) -> Self {
        Iteration { handle: batches.handle.clone(), batches: ErrorCheckingMutex::new(batches), make }
    }
}

#[pymethods]
impl Iteration {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.handle.engine(py)?;
        let batch = self.batches.take(py)?.next(py)?;
        let Some(batch) = batch else { return Ok(None) };
        self.make.bind(py).call1((Py::new(py, OneBatch::new(batch))?,)).map(Some)
    }
}
