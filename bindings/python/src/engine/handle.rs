//! An engine that Python holds.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pelton::{Engine, Query};
use pyo3::prelude::*;

use super::flight::Flight;
use super::import::{Table, table};
use super::settings::Settings;
use super::{names, warning};
use crate::error::{guarded, raise};
use crate::process::{Here, forked};
use crate::wait::{detached, run};

/// An engine of this process. Branches have their own tables, and everything else in common.
pub struct Handle {
    engine: Here<Arc<Engine>>,
    /// The same for all branches.
    id: u64,
}

/// A query that was started.
pub struct Running {
    pub query: Query,
    pub flight: Arc<Flight>,
}

/// Names given to engines.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Handle {
    /// Starts an engine.
    ///
    /// # Errors
    /// A device that was asked for is not there, or the system has no threads.
    pub fn open(py: Python<'_>, settings: Settings) -> PyResult<Arc<Self>> {
        let engine = run(py, move || settings.open())?;
        let handle = Handle::new(engine, NEXT.fetch_add(1, Ordering::Relaxed));
        warning::warn(py, handle.engine(py)?.notes())?;
        Ok(handle)
    }

    fn new(engine: Engine, id: u64) -> Arc<Self> {
        Arc::new(Handle { engine: Here::new(Arc::new(engine)), id })
    }

    /// The engine.
    ///
    /// # Errors
    /// This is another process than the one that made it.
    pub fn engine(&self, py: Python<'_>) -> PyResult<&Arc<Engine>> {
        self.engine.get().ok_or_else(|| forked(py))
    }

    /// Names what [`Flight`]s are stopped by.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// An engine with its own tables, which begin with this one's.
    ///
    /// # Errors
    /// As [`Handle::engine`], and faults of Pelton's.
    pub fn branch(&self, py: Python<'_>, recording: bool) -> PyResult<Arc<Self>> {
        let engine = self.engine(py)?;
        let branch = || if recording { engine.branch_recording() } else { engine.branch() };
        let branch = detached(py, branch)?.map_err(|error| raise(py, &error))?;
        Ok(Handle::new(branch, self.id))
    }

    /// A branch with tables, or this one where there are none.
    ///
    /// # Errors
    /// As [`Handle::register`].
    pub fn with_tables(
        self: Arc<Self>,
        py: Python<'_>,
        tables: Option<HashMap<String, Bound<'_, PyAny>>>,
    ) -> PyResult<Arc<Self>> {
        let Some(tables) = tables.filter(|tables| !tables.is_empty()) else { return Ok(self) };
        let branch = self.branch(py, false)?;
        for (name, object) in tables {
            branch.register(py, &name, &object)?;
        }
        Ok(branch)
    }

    /// Gives files, or rows of Python's, a name.
    ///
    /// # Errors
    /// They are no table.
    pub fn register(&self, py: Python<'_>, name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let (engine, name) = (self.engine(py)?.clone(), names::table(name)?);
        match guarded(py, || table(object, &name))? {
            Table::Files(places) => run(py, move || engine.register_files(&name, &places)),
            Table::Rows(schema, batches) => {
                let done =
                    || engine.register_batches(&name, schema, batches).map_err(|error| raise(py, &error));
                guarded(py, done)
            }
        }
    }

    /// Plans a query and starts it.
    ///
    /// # Errors
    /// It does not parse, or names what is not there.
    pub fn query(&self, py: Python<'_>, sql: &str) -> PyResult<Running> {
        let (engine, sql) = (self.engine(py)?.clone(), sql.to_owned());
        let query = run(py, move || engine.query(&sql))?;
        let flight = Flight::begin(py, query.cancel_handle(), self.id);
        Ok(Running { query, flight })
    }
}
