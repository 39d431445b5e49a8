//! Engines of the package's functions, one for each combination of settings.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;

use super::handle::Handle;
use super::running::{self, in_flight_queries};
use super::settings::Settings;
use crate::process;

/// Most engines that are kept. Each has idle threads; programs that alternate between more settings
/// should open connections.
const KEPT: usize = 4;

/// Ordered by last use. Locked only with the GIL, and never across a wait, so that no child of a
/// fork finds it locked.
static ENGINES: Mutex<Vec<(Settings, Arc<Handle>)>> = Mutex::new(Vec::new());

fn engines(_: Python<'_>) -> MutexGuard<'static, Vec<(Settings, Arc<Handle>)>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the engine with these settings. After a fork it is a new one.
///
/// # Errors
/// The engine cannot be started.
pub fn engine(py: Python<'_>, settings: Settings) -> PyResult<Arc<Handle>> {
    let known = {
        let mut engines = engines(py);
        engines.retain(|(_, handle)| handle.engine(py).is_ok());
        let position = engines.iter().position(|(of, _)| *of == settings);
        position.map(|position| {
            let found = engines.remove(position);
            engines.push(found.clone());
            found.1
        })
    };
    if let Some(handle) = known {
        return Ok(handle);
    }
    let opened = Handle::open(py, settings.clone())?;
    let mut engines = engines(py);
    // Another thread may have opened one meanwhile; the older one stays.
    if let Some((_, handle)) = engines.iter().find(|(of, _)| *of == settings) {
        return Ok(handle.clone());
    }
    engines.push((settings, opened.clone()));
    let too_many = (engines.len() > KEPT).then(|| engines.remove(0));
    drop(engines);
    py.detach(|| drop(too_many));
    Ok(opened)
}

/// Drops all of them.
fn close(py: Python<'_>) {
    let all = std::mem::take(&mut *engines(py));
    for (_, handle) in &all {
        running::stop(py, handle.id());
    }
    py.detach(|| drop(all));
}

/// Stops all queries, and waits until no thread is detached.
#[pyfunction]
fn end(py: Python<'_>) {
    process::begin_end();
    for in_flight in in_flight_queries(py).drain(..).filter_map(|in_flight| in_flight.upgrade()) {
        in_flight.stop();
    }
    process::wait_for_threads(py);
    close(py);
}

/// Resets the state of a forked child, without the parent's queries and threads.
#[pyfunction]
fn forget(py: Python<'_>) {
    process::begin_child();
    in_flight_queries(py).clear();
}

/// Registers both functions as hooks of Python.
pub fn add_hooks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(end, module)?,))?;
    let hooks = pyo3::types::PyDict::new(py);
    hooks.set_item("after_in_child", wrap_pyfunction!(forget, module)?)?;
    py.import("os")?.getattr("register_at_fork")?.call((), Some(&hooks))?;
    Ok(())
}
