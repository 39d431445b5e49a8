//! Stream of one of the libraries, and its state after a call.

use std::ffi::{CStr, c_char, c_int};

use libz_rs_sys::{Z_OK, z_stream};

use super::api::Zlib;

/// The version that callers were compiled for.
pub const VERSION: *const c_char = c"1.2.13".as_ptr();
/// The size of a `z_stream`.
pub const SIZE: c_int = size_of::<z_stream>() as c_int;

/// Returns a stream before its begin, as C programs make it.
pub fn blank() -> Box<z_stream> {
    // SAFETY: all zeros are null pointers, no functions, and numbers.
    Box::new(unsafe { std::mem::zeroed() })
}

/// Returns the text of `strm.msg`.
pub fn message(strm: &z_stream) -> &str {
    if strm.msg.is_null() {
        return "-";
    }
    // SAFETY: both libraries leave null or a string that lives as long as they do.
    unsafe { CStr::from_ptr(strm.msg) }.to_str().expect("messages are ASCII")
}

/// Shows a stream its input.
pub fn give(strm: &mut z_stream, input: &[u8]) {
    strm.next_in = input.as_ptr();
    strm.avail_in = input.len() as u32;
}

/// Runs a call with `capacity` bytes of output, which are appended to `output`, and returns its
/// code.
pub fn with_capacity(
    strm: &mut z_stream,
    output: &mut Vec<u8>,
    capacity: usize,
    call: impl FnOnce(*mut z_stream) -> c_int,
) -> c_int {
    output.reserve(capacity.max(1));
    strm.next_out = output.spare_capacity_mut().as_mut_ptr().cast();
    strm.avail_out = capacity as u32;
    let before = strm.total_out;
    let code = call(strm);
    let written = capacity - strm.avail_out as usize;
    // A reset in between makes total_out begin again, but no call with an output buffer resets.
    assert_eq!(strm.total_out - before, written as u64, "total_out is not what was written");
    // SAFETY: the library has written that many of the bytes that were reserved.
    unsafe { output.set_len(output.len() + written) };
    code
}

/// Begins to decompress.
pub fn begin_inflate(zlib: &Zlib, bits: c_int) -> (Box<z_stream>, c_int) {
    let mut strm = blank();
    // SAFETY: the stream has not been begun.
    let code = unsafe { (zlib.inflateInit2_)(&mut *strm, bits, VERSION, SIZE) };
    assert!(code == Z_OK || strm.state.is_null(), "inflateInit2 failed and left a state");
    (strm, code)
}
