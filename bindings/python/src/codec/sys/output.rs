//! A buffer of the caller's to decompress into.

use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;

use super::input::View;

/// A writable export, held for as long as this value lives, so that it neither moves nor changes
/// its length.
///
/// Another thread that writes to it at the same time breaks what the call is about to give: the
/// contents are then unspecified. Nothing else is: what a decoder reads back from its output are
/// bytes to copy, never a length or a place.
pub struct Output<'py>(View<'py>);

impl<'py> Output<'py> {
    /// Takes the export of `object`.
    pub fn new(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        View::get(object, ffi::PyBUF_WRITABLE).map(Self).map_err(|error| {
            let text =
                format!("{name}: a writable buffer in one piece is required: {}", error.value(object.py()));
            if error.is_instance_of::<pyo3::exceptions::PyTypeError>(object.py()) {
                pyo3::exceptions::PyTypeError::new_err(text)
            } else {
                pyo3::exceptions::PyBufferError::new_err(text)
            }
        })
    }

    /// Where the bytes go.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let (start, len) = self.0.parts();
        // SAFETY: the export is held for as long as the slice is borrowed, and is the caller's to
        // give for that time.
        if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(start, len) } }
    }

    /// Where the bytes are.
    pub fn range(&self) -> std::ops::Range<usize> {
        let (start, len) = self.0.parts();
        start as usize..start as usize + len
    }
}
