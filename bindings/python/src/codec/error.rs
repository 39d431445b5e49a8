//! Errors as Python's exceptions.

use pelton_codec::Error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::import_exception!(pelton, DataError);
pyo3::import_exception!(pelton, OutOfMemory);

/// Something is wrong with the data.
pub fn data(text: String) -> PyErr {
    DataError::new_err(text)
}

/// What a codec says, with where it says so in front.
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

/// The data decompresses to more than it may.
pub fn too_long(place: &str, max_length: usize) -> PyErr {
    data(format!(
        "{place}the data decompresses to more than max_length, which is {max_length} bytes; if it is to be trusted, \
         give a larger max_length"
    ))
}

/// The data decompresses to another size than was said.
pub fn wrong_size(place: &str, size: usize, produced: Option<usize>) -> PyErr {
    let found = produced.map_or("more".to_owned(), |produced| format!("{produced}"));
    data(format!("{place}the data decompresses to {found} bytes where its size was said to be {size}"))
}

/// There is no memory for so many bytes.
pub fn no_memory(len: usize) -> PyErr {
    OutOfMemory::new_err(format!("no memory for {len} bytes"))
}
