//! A `bytes` object under construction.

use std::ptr;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::error;

/// A `bytes` object of a known size, not yet visible to Python code.
pub struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
}

impl<'py> NewBytes<'py> {
    /// Makes an object of `len` uninitialised bytes, so that nothing is written twice.
    pub fn new(py: Python<'py>, len: usize) -> PyResult<Self> {
        let size = isize::try_from(len).map_err(|_| error::no_memory(len))?;
        // SAFETY: the thread is attached. The result is null with an exception set, or a new
        // `bytes` object.
        let object = unsafe {
            Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(ptr::null(), size))
                .map_err(|_| error::no_memory(len))?
                .cast_into_unchecked()
        };
        Ok(Self { object })
    }

    /// Returns the memory to write to.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let len = self.object.as_bytes().len();
        if len == 0 {
            // All empty objects are the same one.
            return &mut [];
        }
        // SAFETY: this value made the object and keeps it to the end, so that its memory has no
        // other user. The memory comes from an allocator outside of Rust, so that its bytes have
        // some value for the compiler; users of the slice write to it, and `finish` returns the
        // written part.
        unsafe {
            let start = ffi::PyBytes_AsString(self.object.as_ptr());
            slice::from_raw_parts_mut(start.cast(), len)
        }
    }

    /// Returns the object, shortened to the `written` bytes.
    pub fn finish(self, written: usize) -> Bound<'py, PyBytes> {
        let bytes = self.object.as_bytes();
        if written == bytes.len() { self.object } else { PyBytes::new(self.object.py(), &bytes[..written]) }
    }
}
