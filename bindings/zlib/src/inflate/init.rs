//! How a decompressing stream begins.

use std::ffi::{c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, z_stream};

use super::state::State;
use super::wrap;
use crate::stream::{Open, admit};

/// Begins a zlib stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit_(strm: *mut z_stream, version: *const c_char, size: c_int) -> c_int {
    // SAFETY: the same conditions.
    unsafe { inflateInit2_(strm, 15, version, size) }
}

/// Begins a stream. zlib-rs is not asked yet: whether the settings are right is known without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit2_(
    strm: *mut z_stream,
    window_bits: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a C string, and null or a stream of its own.
    let stream = match unsafe { admit(strm, version, size) } {
        Ok(stream) => stream,
        Err(code) => return code,
    };
    let Some(wrap) = wrap::of(window_bits) else {
        stream.state = std::ptr::null_mut();
        return Z_STREAM_ERROR;
    };
    let state = State::new(stream, window_bits, wrap);
    // SAFETY: the caller answers for its allocator; the stream is whole, and nobody else has it.
    let Some(mut open) = (unsafe { Open::begun(strm, state) }) else { return Z_MEM_ERROR };
    open.begin();
    Z_OK
}
