//! Buffers that Python lends for the time of a call.
//!
//! Work is done without the interpreter's lock, so that other threads run meanwhile, which may
//! change a `bytearray` while a decoder reads it. Lengths cannot change, as the export is held; but
//! the contents of a slice in Rust must not change, and a decoder that reads a byte twice has to
//! read the same. So:
//! - `bytes` are immutable, and read in place;
//! - a read-only export is read in place, if the object under a `memoryview` is read-only too:
//!   Arrow's buffers, a file mapped for reading. If a program changes the memory by other means, as
//!   by writing to a mapped file, the result is unspecified bytes or an error;
//! - everything else is copied, while the lock is held. Copying compressed data is a small part of
//!   the work.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;

use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::codec::error;

/// Input of a call.
pub enum Input<'py> {
    /// An immutable object.
    Bytes(Bound<'py, PyBytes>),
    /// A read-only export, held.
    View(View<'py>),
    /// A copy of data that may change.
    Copy(Vec<u8>),
}

/// An export of a buffer, released on drop.
pub struct View<'py> {
    // A box, since exporters may let the structure point into itself.
    raw: Box<ffi::Py_buffer>,
    _attached: Python<'py>,
}

impl<'py> View<'py> {
    /// Takes a contiguous export, writable if `flags` require that.
    pub fn get(object: &Bound<'py, PyAny>, flags: i32) -> PyResult<Self> {
        let mut raw: Box<MaybeUninit<ffi::Py_buffer>> = Box::new(MaybeUninit::zeroed());
        // SAFETY: the object is alive, and the structure is there to be filled.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), raw.as_mut_ptr(), flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        // SAFETY: filled by the call above; all zeros would be valid, too.
        let view = Self { raw: unsafe { raw.assume_init() }, _attached: object.py() };
        if view.raw.len < 0 || view.raw.buf.is_null() && view.raw.len > 0 {
            return Err(PyBufferError::new_err("the object exports a buffer that is none"));
        }
        Ok(view)
    }

    /// Returns the start and the length of the memory.
    pub fn parts(&self) -> (*mut u8, usize) {
        (self.raw.buf.cast(), self.raw.len as usize)
    }

    fn is_read_only(&self) -> bool {
        self.raw.readonly != 0
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        // SAFETY: the export was taken, is given back once, and the thread is attached for as long
        // as this value lives.
        unsafe { ffi::PyBuffer_Release(&mut *self.raw) }
    }
}

impl<'py> Input<'py> {
    /// Takes the export of `object`; `name` is its name in messages.
    pub fn new(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        // A subclass has the same memory even if it defines `__buffer__`.
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        let view = View::get(object, ffi::PyBUF_SIMPLE).map_err(|error| explain(object, name, error))?;
        if view.is_read_only() && (view.parts().1 == 0 || !changes_elsewhere(object)?) {
            return Ok(Self::View(view));
        }
        let (start, len) = view.parts();
        let mut copy: Vec<u8> = Vec::new();
        copy.try_reserve_exact(len).map_err(|_| error::no_memory(len))?;
        if len > 0 {
            // SAFETY: the export is held, and no thread of Python's runs: the copy is done with the
            // lock. It is made by memcpy alone, through a pointer, into memory of that capacity.
            unsafe {
                copy.as_mut_ptr().copy_from_nonoverlapping(start, len);
                copy.set_len(len);
            }
        }
        Ok(Self::Copy(copy))
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::View(view) => {
                let (start, len) = view.parts();
                // SAFETY: the export is held for as long as the slice is borrowed, and its memory
                // does not change (see the module).
                if len == 0 { &[] } else { unsafe { slice::from_raw_parts(start, len) } }
            }
            Self::Copy(copy) => copy,
        }
    }
}

/// Returns whether a `memoryview` that can't be written to is of an object that can.
fn changes_elsewhere(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(view) = object.cast::<PyMemoryView>() else { return Ok(false) };
    let base = view.getattr("obj")?;
    if base.is_instance_of::<PyBytes>() {
        return Ok(false);
    }
    // A view without an object, as of memory that C lends, may change.
    View::get(&base, ffi::PyBUF_FULL_RO).map_or(Ok(true), |base| Ok(!base.is_read_only()))
}

/// Returns the error for an object without a usable export.
fn explain(object: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyErr {
    let py = object.py();
    let kind = object.get_type().name().map_or_else(|_| "object".into(), |kind| kind.to_string());
    if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(format!("{name}: a bytes-like object is required, not '{kind}'"))
    } else if error.is_instance_of::<PyBufferError>(py) {
        let error = error.value(py);
        PyBufferError::new_err(format!("{name}: the buffer of '{kind}' can't be read in one piece: {error}"))
    } else {
        error
    }
}

/// A writable export, held for as long as this value lives, so that it neither moves nor changes
/// its length.
///
/// If another thread writes to it meanwhile, the result is unspecified. Nothing else breaks: the
/// bytes that a decoder reads back from its output are copied, and never used as lengths or places.
pub struct Output<'py>(View<'py>);

impl<'py> Output<'py> {
    /// Takes the export of `object`.
    pub fn new(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        View::get(object, ffi::PyBUF_WRITABLE).map(Self).map_err(|error| {
            let text =
                format!("{name}: a writable buffer in one piece is required: {}", error.value(object.py()));
            if error.is_instance_of::<PyTypeError>(object.py()) {
                PyTypeError::new_err(text)
            } else {
                PyBufferError::new_err(text)
            }
        })
    }

    /// Returns the memory to write to.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let (start, len) = self.0.parts();
        // SAFETY: the export is held for as long as the slice is borrowed, and is the caller's to
        // give for that time.
        if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(start, len) } }
    }

    /// Returns the addresses of the bytes.
    pub fn range(&self) -> Range<usize> {
        let (start, len) = self.0.parts();
        start as usize..start as usize + len
    }
}
