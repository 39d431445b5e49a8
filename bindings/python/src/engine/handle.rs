//! Handle of an engine, tied to the process that made it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pelton::{Engine, MAX_QUEUES, QUEUES_VARIABLE};
use pyo3::prelude::*;

use super::running::{InFlightQuery, Running, stop, warn};
use super::settings::Settings;
use super::statement::Statement;
use crate::error::{Kind, raise};
use crate::process::{ProcessLocal, forked};
use crate::wait::{detached, run};

/// An engine of this process. Branches have their own tables and share the rest.
pub struct Handle {
    engine: ProcessLocal<Arc<Engine>>,
    /// The same number for all branches.
    id: u64,
    /// The connection was closed, for all branches. Written and read only with the GIL.
    closed: Arc<AtomicBool>,
}

/// The handle of a connection, which its prepared statements share until it is closed.
pub struct ClosableHandle(Mutex<Option<Arc<Handle>>>);

impl ClosableHandle {
    /// Returns an open one.
    pub fn new(handle: Arc<Handle>) -> Arc<Self> {
        Arc::new(ClosableHandle(Mutex::new(Some(handle))))
    }

    /// Returns the handle.
    ///
    /// # Errors
    /// The connection is closed, or another process made it.
    pub fn get(&self, py: Python<'_>) -> PyResult<Arc<Handle>> {
        // with the GIL, and never across a wait
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let handle = handle.ok_or_else(|| closed(py))?;
        handle.engine(py)?;
        Ok(handle)
    }

    /// Closes it, and stops its queries.
    pub fn close(&self, py: Python<'_>) {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(handle) = handle {
            handle.closed.store(true, Ordering::SeqCst);
            stop(py, handle.id());
            py.detach(|| drop(handle));
        }
    }
}

fn closed(py: Python<'_>) -> PyErr {
    Kind::Error.error(py, "the connection is closed; open another: pelton.connect()")
}

/// Number of the next engine.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Requests all of a GPU's hardware queues, unless the user has set their number. The driver reads
/// the variable when it starts, so it changes nothing for a program that has used CUDA before.
fn request_gpu_queues(py: Python<'_>) -> PyResult<()> {
    let environment = py.import("os")?.getattr("environ")?;
    environment.call_method1("setdefault", (QUEUES_VARIABLE, MAX_QUEUES.to_string()))?;
    Ok(())
}

impl Handle {
    /// Starts an engine.
    ///
    /// # Errors
    /// A requested device is not available, or the system refuses threads.
    pub fn open(py: Python<'_>, settings: Settings) -> PyResult<Arc<Self>> {
        request_gpu_queues(py)?;
        let engine = run(py, move || settings.open())?;
        let handle = Handle::new(engine, NEXT.fetch_add(1, Ordering::Relaxed), Arc::default());
        warn(py, handle.engine(py)?.notes())?;
        Ok(handle)
    }

    fn new(engine: Engine, id: u64, closed: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Handle { engine: ProcessLocal::new(Arc::new(engine)), id, closed })
    }

    /// Returns the engine.
    ///
    /// # Errors
    /// Another process made the engine.
    pub fn engine(&self, py: Python<'_>) -> PyResult<&Arc<Engine>> {
        self.engine.get().ok_or_else(|| forked(py))
    }

    /// Checks that the connection was not closed.
    ///
    /// # Errors
    /// It was.
    pub fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        if self.closed.load(Ordering::SeqCst) { Err(closed(py)) } else { Ok(()) }
    }

    /// Returns the number by which [`InFlightQuery`]s of this engine are stopped.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns an engine with its own tables, which begin with this one's.
    ///
    /// # Errors
    /// As [`Handle::engine`], and internal errors.
    pub fn branch(&self, py: Python<'_>, recording: bool) -> PyResult<Arc<Self>> {
        let engine = self.engine(py)?;
        let branch = || if recording { engine.branch_recording() } else { engine.branch() };
        let branch = detached(py, branch)?.map_err(|error| raise(py, &error))?;
        Ok(Handle::new(branch, self.id, self.closed.clone()))
    }

    /// Plans a statement and starts it.
    ///
    /// # Errors
    /// It does not parse, names an unknown table or column, or lacks values for its parameters; the
    /// connection was closed.
    pub fn query(&self, py: Python<'_>, statement: &Statement) -> PyResult<Running> {
        self.check_open(py)?;
        let (engine, statement) = (self.engine(py)?.clone(), statement.clone());
        let query = run(py, move || statement.start(&engine))?;
        let in_flight = InFlightQuery::begin(py, query.cancel_handle(), self.id);
        // another thread may have closed the connection meanwhile
        self.check_open(py).inspect_err(|_| in_flight.stop())?;
        Ok(Running { query, in_flight })
    }
}
