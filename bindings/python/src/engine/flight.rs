//! Queries that run, so that others can stop them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use pelton::CancelHandle;
use pyo3::prelude::*;

use crate::process::flights;

/// A query that runs, seen from outside.
#[derive(Debug)]
pub struct Flight {
    cancel: CancelHandle,
    /// The engine that runs it.
    engine: u64,
    stopped: AtomicBool,
}

impl Flight {
    /// Remembers a query that was started.
    pub fn begin(py: Python<'_>, cancel: CancelHandle, engine: u64) -> Arc<Self> {
        let flight = Arc::new(Flight { cancel, engine, stopped: AtomicBool::new(false) });
        let mut all = flights(py);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&flight));
        flight
    }

    /// Stops the query for a signal.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Stops the query for another reason, of which those who wait for it don't know.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.cancel();
    }

    /// Whether it was stopped for such a reason.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// Stops all queries of an engine.
pub fn stop(py: Python<'_>, engine: u64) {
    let running: Vec<Arc<Flight>> = flights(py).iter().filter_map(Weak::upgrade).collect();
    running.iter().filter(|flight| flight.engine == engine).for_each(|flight| flight.stop());
}
