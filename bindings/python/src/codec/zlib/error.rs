//! zlib's codes as Python's exceptions, in the words of the standard module.

use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_MEM_ERROR, Z_STREAM_ERROR};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

mod standard {
    // The standard library's own class, so that programs which catch that catch ours.
    pyo3::import_exception!(zlib, error);
}

/// An exception of zlib's class with a text of the caller's.
pub fn error(text: String) -> PyErr {
    standard::error::new_err(text)
}

/// The exception for a code: what was done, and zlib's own message if there is one.
pub fn of(code: c_int, doing: &str, message: Option<String>) -> PyErr {
    if code == Z_MEM_ERROR {
        return PyMemoryError::new_err(format!("out of memory {doing}"));
    }
    let message = message.or_else(|| {
        let text = match code {
            Z_BUF_ERROR => "incomplete or truncated stream",
            Z_STREAM_ERROR => "inconsistent stream state",
            Z_DATA_ERROR => "invalid input data",
            _ => return None,
        };
        Some(text.to_owned())
    });
    error(match message {
        Some(message) => format!("Error {code} {doing}: {message}"),
        None => format!("Error {code} {doing}"),
    })
}
