//! A `bytes` object that is still being written.

use std::ptr;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::codec::error;

/// A `bytes` object of a known size that nobody else has seen yet.
pub struct NewBytes<'py> {
    object: Bound<'py, PyBytes>,
}

impl<'py> NewBytes<'py> {
    /// Returns an object of `len` bytes. They hold what the allocator left there, so that nothing
    /// is written twice.
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

    /// Where the bytes go.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let len = self.object.as_bytes().len();
        if len == 0 {
            // The empty object is everybody's.
            return &mut [];
        }
        // SAFETY: the object was made by this value and is not given away before the end, so nobody
        // else has its memory. That comes from an allocator outside of Rust, so its bytes are some
        // bytes to the compiler; whoever gets the slice writes to it, and `finish` gives away what
        // was written.
        unsafe {
            let start = ffi::PyBytes_AsString(self.object.as_ptr());
            slice::from_raw_parts_mut(start.cast(), len)
        }
    }

    /// Returns the object, of which `written` bytes were written: a shorter one, if that is not
    /// all.
    pub fn finish(self, written: usize) -> Bound<'py, PyBytes> {
        let bytes = self.object.as_bytes();
        if written == bytes.len() { self.object } else { PyBytes::new(self.object.py(), &bytes[..written]) }
    }
}
