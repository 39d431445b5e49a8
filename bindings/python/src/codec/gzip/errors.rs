//! Errors in the words and classes of the standard module.

use pyo3::exceptions::PyEOFError;
use pyo3::prelude::*;

pyo3::import_exception!(gzip, BadGzipFile);

pub fn ended() -> PyErr {
    PyEOFError::new_err("Compressed file ended before the end-of-stream marker was reached")
}

pub fn bad(text: String) -> PyErr {
    BadGzipFile::new_err(text)
}
