//! What a user should know and that is no error: Python's warnings.

use std::ffi::CString;

use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

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
