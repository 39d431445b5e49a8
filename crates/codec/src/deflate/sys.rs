//! The safe edge of libdeflate: owned states, slices in, counts out. The rest of this crate's
//! `unsafe` is in `arch/`.

#![allow(unsafe_code)]

use std::ptr;
use std::ptr::NonNull;

use libdeflate_sys as ffi;

use crate::{Format, Progress};

/// Reason of libdeflate's failure.
pub(super) enum Failure {
    /// The data is invalid or ends early; libdeflate does not say which.
    BadData,
    /// The output is full and more was to come.
    NoRoom,
}

/// Owns a `libdeflate_decompressor`.
pub(super) struct Decompressor(NonNull<ffi::libdeflate_decompressor>);

// SAFETY: the state is plain memory that only this value points to; libdeflate keeps nothing for a
// thread.
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// `None` if there is no memory.
    pub(super) fn new() -> Option<Self> {
        // SAFETY: has no preconditions; returns null or an owned state.
        NonNull::new(unsafe { ffi::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Decodes the raw stream at the start of `input`.
    pub(super) fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Failure> {
        let mut done = Progress::default();
        // SAFETY: the state is live and borrowed mutably; both slices are valid for their lengths,
        // and libdeflate reads and writes only within them; the two counts outlive the call.
        let result = unsafe {
            ffi::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
                &mut done.consumed,
                &mut done.produced,
            )
        };
        match result {
            ffi::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(done),
            ffi::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(Failure::NoRoom),
            // SHORT_OUTPUT is only for callers that do not ask for the produced count.
            _ => Err(Failure::BadData),
        }
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the state came from libdeflate_alloc_decompressor and is freed once.
        unsafe { ffi::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// Owns a `libdeflate_compressor`. Its tables depend on its level.
pub(super) struct Compressor(NonNull<ffi::libdeflate_compressor>);

// SAFETY: as for Decompressor.
unsafe impl Send for Compressor {}

impl Compressor {
    /// `level` is 0 to 12. `None` if there is no memory or no such level.
    pub(super) fn new(level: i32) -> Option<Self> {
        // SAFETY: takes any level; returns null or an owned state.
        NonNull::new(unsafe { ffi::libdeflate_alloc_compressor(level) }).map(Self)
    }

    /// Returns the number of bytes written, or `None` if they do not fit. `format` is deflate, zlib
    /// or gzip.
    pub(super) fn compress(&mut self, format: Format, input: &[u8], output: &mut [u8]) -> Option<usize> {
        let compress = match format {
            Format::Zlib => ffi::libdeflate_zlib_compress,
            Format::Gzip => ffi::libdeflate_gzip_compress,
            _ => ffi::libdeflate_deflate_compress,
        };
        // SAFETY: the state is live and borrowed mutably; both slices are valid for their lengths,
        // and libdeflate reads and writes only within them.
        let written = unsafe {
            compress(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
            )
        };
        (written != 0).then_some(written)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: the state came from libdeflate_alloc_compressor and is freed once.
        unsafe { ffi::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// The longest result for `len` bytes at any level. `format` is deflate, zlib or gzip.
pub(crate) fn compress_bound(format: Format, len: usize) -> usize {
    let bound = match format {
        Format::Zlib => ffi::libdeflate_zlib_compress_bound,
        Format::Gzip => ffi::libdeflate_gzip_compress_bound,
        _ => ffi::libdeflate_deflate_compress_bound,
    };
    // SAFETY: a null compressor is allowed and asks for the bound over all levels.
    unsafe { bound(ptr::null_mut(), len) }
}
