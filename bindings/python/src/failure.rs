//! First failure of a result's query, which every later use of the result raises again.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use crate::error::Kind;

/// An exception of Pelton's that is raised several times.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
}

impl Failure {
    /// Returns a failure with a message.
    pub fn new(kind: Kind, message: String) -> Self {
        Failure { kind, message }
    }

    /// Returns an exception of Pelton's; `None` for others, which signal handlers and warnings
    /// raise.
    pub fn of(py: Python<'_>, error: &PyErr) -> Option<Self> {
        let kind = Kind::of(py, error)?;
        Some(Failure { kind, message: error.value(py).to_string() })
    }

    /// Returns the failure of a reader after a signal has stopped its query.
    pub fn interrupted() -> Self {
        let what = "the query was stopped while these rows were taken, and the others are lost: run it again";
        Failure { kind: Kind::Error, message: what.to_owned() }
    }

    /// Returns the exception.
    pub fn raise(&self, py: Python<'_>) -> PyErr {
        self.kind.error(py, &self.message)
    }

    /// Returns the text of the exception.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The failure of a result's query, shared by the result and the readers of its rows.
#[derive(Clone, Default)]
pub struct FirstFailure(Arc<OnceLock<Failure>>);

impl FirstFailure {
    /// Keeps a failure, unless there was one before.
    pub fn keep(&self, failure: Failure) {
        // the first one stays
        let _ = self.0.set(failure);
    }

    /// Returns the failure, if there was one.
    pub fn get(&self) -> Option<&Failure> {
        self.0.get()
    }

    /// Checks that there was none.
    ///
    /// # Errors
    /// The failure.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.get().map_or(Ok(()), |failure| Err(failure.raise(py)))
    }
}
