//! What a caller gives for a batch.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple};

use crate::codec::sys::Input;

/// The buffers of a batch. The objects are all taken before any of them is asked for its buffer:
/// that may run code of Python's, which may change the list.
pub fn inputs<'py>(items: &Bound<'py, PyAny>) -> PyResult<Vec<Input<'py>>> {
    let is_one = items.is_instance_of::<PyBytes>()
        || items.is_instance_of::<PyByteArray>()
        || items.is_instance_of::<PyMemoryView>()
        || items.is_instance_of::<PyString>();
    if is_one {
        let kind = items.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "items: a sequence of buffers is required, not one '{kind}'; put it into a list"
        )));
    }
    let objects: Bound<'py, PyTuple> = match items.cast::<PyTuple>() {
        Ok(tuple) => tuple.clone(),
        Err(_) => PyTuple::new(items.py(), items.try_iter()?.collect::<PyResult<Vec<_>>>()?)?,
    };
    let mut inputs = Vec::with_capacity(objects.len());
    for index in 0..objects.len() {
        let object = objects.get_borrowed_item(index)?;
        match object.cast::<PyBytes>() {
            Ok(bytes) => inputs.push(Input::Bytes(bytes.to_owned())),
            Err(_) => inputs.push(Input::new(&object, &format!("items[{index}]"))?),
        }
    }
    Ok(inputs)
}

/// The sizes of a batch, one for each of its buffers.
pub fn sizes(sizes: Option<Vec<Option<usize>>>, items: usize) -> PyResult<Vec<Option<usize>>> {
    match sizes {
        None => Ok(vec![None; items]),
        Some(sizes) if sizes.len() == items => Ok(sizes),
        Some(sizes) => Err(PyValueError::new_err(format!(
            "sizes: there are {} for {items} items; give one for each, None where it is not known",
            sizes.len()
        ))),
    }
}
