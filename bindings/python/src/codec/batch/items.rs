//! Items of a batch: the caller's buffers, and the memory of their results.

use pelton_codec::{Error, Format, Progress};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple};

use crate::codec::sys::{Input, NewBytes};
use crate::codec::{error, size};
use crate::numbers::whole_or_none;

/// Returns the buffers of a batch. The objects are all taken before any of them is asked for its
/// buffer: that may run code of Python's, which may change the list.
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

/// Returns the sizes that a caller gives, for arguments (`from_py_with`).
///
/// # Errors
/// As [`whole`].
pub fn sizes_given(given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<Option<usize>>>> {
    if given.is_none() {
        return Ok(None);
    }
    given.try_iter()?.map(|size| whole_or_none(&size?)).collect::<PyResult<_>>().map(Some)
}

/// Returns the sizes of a batch, one for each of its buffers.
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

/// One buffer of a batch, and its result.
pub struct Item<'py> {
    pub format: Format,
    /// Decompressed size as stated by the caller.
    pub size: Option<usize>,
    pub place: Place<'py>,
}

/// Memory for a result.
pub enum Place<'py> {
    /// None so far.
    Nowhere,
    /// An object of the expected size.
    Object(NewBytes<'py>),
    /// Memory of a guessed size.
    Guess(Vec<u8>),
    /// The finished result.
    Done(Bound<'py, PyBytes>),
}

impl<'py> Item<'py> {
    /// Allocates memory for a result unless it has some: of the known size, or else `ratio` times
    /// the data.
    pub fn prepare(&mut self, py: Python<'py>, data: &[u8], ratio: f64, max_length: usize) -> PyResult<()> {
        if let Place::Nowhere = self.place {
            self.place = match self.size.or_else(|| size::claimed(self.format, data)) {
                Some(size) => Place::Object(NewBytes::new(py, size.min(max_length))?),
                None => Place::Guess(zeros(size::guess(data, ratio, max_length))?),
            };
        }
        Ok(())
    }

    /// Returns the buffer; `None` if the item is done.
    pub fn buffer(&mut self) -> Option<&mut [u8]> {
        match &mut self.place {
            Place::Object(buffer) => Some(buffer.as_mut_slice()),
            Place::Guess(guess) => Some(guess),
            Place::Nowhere | Place::Done(_) => None,
        }
    }

    /// Returns the result.
    pub fn done(self) -> Option<Bound<'py, PyBytes>> {
        if let Place::Done(bytes) = self.place { Some(bytes) } else { None }
    }

    /// Takes a result, or allocates more memory where it was too small. `place` is for messages.
    pub fn settle(
        &mut self,
        py: Python<'py>,
        result: Result<Progress, Error>,
        place: &str,
        max_length: usize,
    ) -> PyResult<()> {
        let capacity = self.buffer().map_or(0, |buffer| buffer.len());
        match (result, self.size) {
            (Ok(done), Some(size)) if done.produced != size => {
                Err(error::wrong_size(place, size, Some(done.produced)))
            }
            (Ok(done), _) => {
                self.place = Place::Done(match std::mem::replace(&mut self.place, Place::Nowhere) {
                    Place::Object(buffer) => buffer.finish(done.produced),
                    Place::Guess(guess) => PyBytes::new(py, &guess[..done.produced]),
                    Place::Done(bytes) => bytes,
                    Place::Nowhere => PyBytes::new(py, &[]),
                });
                Ok(())
            }
            (Err(Error::OutputTooSmall { .. }), Some(size)) => Err(error::wrong_size(place, size, None)),
            (Err(Error::OutputTooSmall { .. }), None) if capacity < max_length => {
                self.place = Place::Guess(zeros(size::more(capacity, max_length))?);
                Ok(())
            }
            (Err(Error::OutputTooSmall { .. }), None) => Err(error::too_long(place, max_length)),
            (Err(wrong), _) => Err(error::codec(place, &wrong)),
        }
    }
}

fn zeros(len: usize) -> PyResult<Vec<u8>> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(len).map_err(|_| error::no_memory(len))?;
    memory.resize(len, 0);
    Ok(memory)
}

/// Returns the name of an item in messages.
pub fn place(index: usize) -> String {
    format!("items[{index}]: ")
}
