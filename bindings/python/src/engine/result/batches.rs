//! Iteration over the batches of a result.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use pyo3::prelude::*;

use crate::engine::export::{self, OneBatch, Rows};
use crate::engine::handle::Handle;
use crate::engine::running::{ended, pull};
use crate::error_checking_mutex::ErrorCheckingMutex;
use crate::failure::Failure;
use crate::process::forked;

/// Rows that are taken batch by batch.
pub struct Batches {
    handle: Arc<Handle>,
    rows: Rows,
    /// All rows are kept by the result, so that they can be taken after the connection's end.
    is_kept: bool,
    /// Reason why no more rows can be taken.
    failure: Option<Failure>,
}

impl Batches {
    /// Takes some rows.
    pub fn new(handle: Arc<Handle>, rows: Rows) -> Self {
        let is_kept = rows.running.is_none();
        Batches { handle, rows, is_kept, failure: None }
    }

    /// Returns the connection.
    pub fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// Checks that more rows can be taken.
    ///
    /// # Errors
    /// The error of an earlier call, or of another reader of the result; the connection is closed.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.raise(py));
        }
        if self.is_kept {
            return Ok(());
        }
        self.rows.failed.check(py)?;
        self.handle.check_open(py)
    }

    /// Has later calls raise an error of these rows, if it is no signal's.
    pub fn fail(&mut self, py: Python<'_>, error: &PyErr) {
        self.failure = Failure::of(py, error);
    }

    /// Returns the next of them.
    ///
    /// # Errors
    /// The query fails, or a signal handler raises.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        self.check(py)?;
        while self.rows.kept.is_empty() {
            let Rows { kept, running, failed, .. } = &mut self.rows;
            let Some(query) = running else { return Ok(None) };
            let query = query.get_mut().ok_or_else(|| forked(py))?;
            match pull(py, query, 1) {
                Ok(Some(batches)) => kept.extend(batches),
                Ok(None) => ended(py, running)?,
                Err(error) => {
                    *running = None;
                    let failure = Failure::of(py, &error);
                    failure.iter().for_each(|failure| failed.keep(failure.clone()));
                    self.failure = Some(failure.unwrap_or_else(Failure::interrupted));
                    return Err(error);
                }
            }
        }
        let Some(batch) = self.rows.kept.pop_front() else { return Ok(None) };
        let batch = export::cast(py, &batch, &self.rows.schema).inspect_err(|error| self.fail(py, error))?;
        Ok(Some(batch))
    }

    /// Takes a batch back that no caller got.
    fn put_back(&mut self, batch: RecordBatch) {
        self.rows.kept.push_front(batch);
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
        let mut batches = self.batches.take(py)?;
        let Some(batch) = batches.next(py)? else { return Ok(None) };
        let made = self.make.bind(py).call1((Py::new(py, OneBatch::new(batch.clone()))?,));
        made.map(Some).inspect_err(|_| batches.put_back(batch))
    }
}
