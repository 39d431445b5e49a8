//! Errors as Python's exceptions.

use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_MEM_ERROR, Z_STREAM_ERROR};
use pelton_codec::Error;
use pyo3::exceptions::{PyEOFError, PyMemoryError, PyValueError};
use pyo3::prelude::*;

pyo3::import_exception!(pelton, DataError);
pyo3::import_exception!(pelton, OutOfMemory);
pyo3::import_exception!(gzip, BadGzipFile);

/// Returns the exception for damaged data.
pub fn data(text: String) -> PyErr {
    DataError::new_err(text)
}

/// Returns the exception for a codec's error, with the place in front.
pub fn codec(place: &str, error: &Error) -> PyErr {
    let text = format!("{place}{error}");
    match error {
        Error::BadLevel { .. } | Error::UnknownFormat { .. } | Error::InputTooLarge { .. } => {
            PyValueError::new_err(text)
        }
        Error::OutOfMemory { .. } => OutOfMemory::new_err(text),
        _ => data(text),
    }
}

/// Returns the data decompresses to more than it may.
pub fn too_long(place: &str, max_length: usize) -> PyErr {
    data(format!(
        "{place}the data decompresses to more than max_length, which is {max_length} bytes; if it is to be trusted, \
         give a larger max_length"
    ))
}

/// Returns the data decompresses to another size than was said.
pub fn wrong_size(place: &str, size: usize, produced: Option<usize>) -> PyErr {
    let found = produced.map_or("more".to_owned(), |produced| format!("{produced}"));
    data(format!("{place}the data decompresses to {found} bytes where its size was said to be {size}"))
}

/// Returns the exception for an allocation of this number of bytes.
pub fn no_memory(len: usize) -> PyErr {
    OutOfMemory::new_err(format!("no memory for {len} bytes"))
}

mod standard {
    // The standard library's own class, so that programs which catch it catch ours.
    pyo3::import_exception!(zlib, error);
}

/// Returns an exception of zlib's class with a text of the caller's.
pub fn zlib(text: String) -> PyErr {
    standard::error::new_err(text)
}

/// Returns the exception for a code: the operation, and zlib's own message if there is one.
pub fn zlib_code(code: c_int, doing: &str, message: Option<String>) -> PyErr {
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
    zlib(match message {
        Some(message) => format!("Error {code} {doing}: {message}"),
        None => format!("Error {code} {doing}"),
    })
}

/// Returns a gzip file ends within a member.
pub fn gzip_ended() -> PyErr {
    PyEOFError::new_err("Compressed file ended before the end-of-stream marker was reached")
}

/// Returns a gzip file is damaged, or is none.
pub fn bad_gzip(text: String) -> PyErr {
    BadGzipFile::new_err(text)
}
