//! How a decompressing stream begins.

use std::ffi::{c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, z_stream};

use super::state::State;
use super::wrap;
use crate::memory;
use crate::stream::{Open, check_version};

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
    // SAFETY: the caller gives null or a C string.
    if let Err(code) = unsafe { check_version(version, size) } {
        return code;
    }
    // SAFETY: the caller gives null or a stream of its own.
    let Some(stream) = (unsafe { strm.as_mut() }) else { return Z_STREAM_ERROR };
    stream.msg = std::ptr::null_mut();
    memory::set_defaults(stream);
    let Some(wrap) = wrap::of(window_bits) else {
        stream.state = std::ptr::null_mut();
        return Z_STREAM_ERROR;
    };
    let state = State::new(stream, window_bits, wrap);
    // SAFETY: the caller answers for its allocator; the stream is whole, and nobody else has it.
    let open = unsafe { if Open::give(stream, state) { Open::<State>::of(strm) } else { None } };
    let Some(mut open) = open else { return Z_MEM_ERROR };
    open.begin();
    Z_OK
}
