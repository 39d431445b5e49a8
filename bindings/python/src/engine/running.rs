//! Running queries: their rows, their warnings, and ways to stop them.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::Instant;

use arrow::record_batch::RecordBatch;
use pelton::{CancelHandle, Error, Query};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use crate::error::{Kind, raise};
use crate::process::ProcessLocal;
use crate::wait::{PULSE, detached};

/// A started query.
pub struct Running {
    pub query: Query,
    pub in_flight: Arc<InFlightQuery>,
}

/// The running queries. Locked only with the GIL, which a forking thread holds, so that no child
/// finds them locked.
static IN_FLIGHT: Mutex<Vec<Weak<InFlightQuery>>> = Mutex::new(Vec::new());

/// A running query, as other threads see it.
#[derive(Debug)]
pub struct InFlightQuery {
    cancel: CancelHandle,
    /// Number of its engine.
    engine: u64,
    stopped: AtomicBool,
}

impl InFlightQuery {
    /// Registers a started query.
    pub fn begin(py: Python<'_>, cancel: CancelHandle, engine: u64) -> Arc<Self> {
        let in_flight = Arc::new(InFlightQuery { cancel, engine, stopped: AtomicBool::new(false) });
        let mut all = in_flight_queries(py);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&in_flight));
        in_flight
    }

    /// Stops the query for a signal.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Stops the query for a reason that its waiting threads don't know.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.cancel();
    }

    /// Returns whether it was stopped for such a reason.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// Stops all queries of an engine.
pub fn stop(py: Python<'_>, engine: u64) {
    let running: Vec<Arc<InFlightQuery>> = in_flight_queries(py).iter().filter_map(Weak::upgrade).collect();
    running.iter().filter(|in_flight| in_flight.engine == engine).for_each(|in_flight| in_flight.stop());
}

/// Returns the queries that run.
pub fn in_flight_queries(_: Python<'_>) -> MutexGuard<'static, Vec<Weak<InFlightQuery>>> {
    IN_FLIGHT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes more rows of a query: all that come within a [`PULSE`], up to `most` rows; `None` at the
/// end.
///
/// # Errors
/// The query fails, or a signal handler raises; then the query is stopped.
pub fn pull(py: Python<'_>, running: &mut Running, most: usize) -> PyResult<Option<Vec<RecordBatch>>> {
    let Running { query, in_flight } = running;
    loop {
        let came = detached(py, || within(query, most)).inspect_err(|_| in_flight.cancel())?;
        let (batches, ended) = came.map_err(|error| match error {
            Error::Cancelled if in_flight.is_stopped() => Kind::Error.error(py, STOPPED),
            other => raise(py, &other),
        })?;
        if !batches.is_empty() || ended {
            return Ok((!batches.is_empty()).then_some(batches));
        }
        py.check_signals().inspect_err(|_| in_flight.cancel())?;
    }
}

/// Reason for the end of a query without a signal.
pub const STOPPED: &str = "the query was stopped: its connection was closed";

/// Returns the batches that come within a pulse, and whether these are the last. A batch that came
/// before an error is lost with it.
pub fn within(query: &mut Query, most: usize) -> pelton::Result<(Vec<RecordBatch>, bool)> {
    let (started, mut batches, mut rows) = (Instant::now(), Vec::new(), 0);
    while rows < most {
        match query.next_within(PULSE.saturating_sub(started.elapsed())) {
            Poll::Ready(Some(batch)) => {
                let batch = batch?;
                // Operators may give out empty batches, which are of no use.
                if batch.num_rows() > 0 {
                    rows += batch.num_rows();
                    batches.push(batch);
                }
            }
            Poll::Ready(None) => return Ok((batches, true)),
            Poll::Pending => break,
        }
    }
    Ok((batches, false))
}

/// Issues each as a warning, at the calling line of Python.
///
/// # Errors
/// The program turned warnings into errors.
pub fn warn(py: Python<'_>, notes: &[String]) -> PyResult<()> {
    let category = py.get_type::<PyRuntimeWarning>();
    for note in notes {
        let text = CString::new(note.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &category, &text, 1)?;
    }
    Ok(())
}

/// Drops a query that has given all its rows, and warns of failures meanwhile. In this order the
/// rows are kept even if a warning is an error.
///
/// # Errors
/// As [`warn`].
pub fn ended(py: Python<'_>, running: &mut Option<ProcessLocal<Running>>) -> PyResult<()> {
    let ended = running.take();
    let notes = ended.as_ref().and_then(ProcessLocal::get).map(|running| running.query.notes());
    drop(ended);
    warn(py, &notes.unwrap_or_default())
}
