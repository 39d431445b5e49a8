//! What a user should know and that is no error: Python's warnings.

use std::ffi::CString;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use super::handle::Running;
use crate::process::Here;

/// Warns of each, at the line of Python that called.
///
/// # Errors
/// Whoever made warnings errors gets one.
pub fn warn(py: Python<'_>, notes: &[String]) -> PyResult<()> {
    let category = py.get_type::<PyRuntimeWarning>();
    for note in notes {
        let text = CString::new(note.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &category, &text, 1)?;
    }
    Ok(())
}

/// Lets go of a query that has given all its rows, and warns of what failed meanwhile. In this
/// order, so that rows that are there stay where a warning is an error.
///
/// # Errors
/// As [`warn`].
pub fn ended(py: Python<'_>, running: &mut Option<Here<Running>>) -> PyResult<()> {
    let ended = running.take();
    let notes = ended.as_ref().and_then(Here::get).map(|running| running.query.notes());
    drop(ended);
    warn(py, &notes.unwrap_or_default())
}
