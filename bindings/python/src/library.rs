//! Python's libraries for the objects that results and tables are.

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::intern;
use pyo3::prelude::*;

/// Returns a library that a call needs.
///
/// # Errors
/// `ModuleNotFoundError` that says what to install.
pub fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    library_or(py, name, &format!("this needs {name}, which is not here: pip install {name}"))
}

/// Returns a library that a call needs.
///
/// # Errors
/// `ModuleNotFoundError` with some words.
pub fn library_or<'py>(py: Python<'py>, name: &str, words: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        if !is_missing(py, &error, name) {
            return error;
        }
        let missing = PyModuleNotFoundError::new_err(words.to_owned());
        missing.set_cause(py, Some(error));
        missing
    })
}

/// Returns whether the library is missing, and not one that it needs.
fn is_missing(py: Python<'_>, error: &PyErr, name: &str) -> bool {
    let module = || error.value(py).getattr(intern!(py, "name"))?.extract::<String>();
    error.is_instance_of::<PyModuleNotFoundError>(py)
        && module().is_ok_and(|module| module.split('.').next() == Some(name))
}
