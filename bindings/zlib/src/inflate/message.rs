//! Message for bad data, where zlib-rs forgets it.
//!
//! In its fast loop, for which it needs much input and output, zlib-rs replaces a message by one
//! about a repeated call. If the failed call was the first of its stream, the input is decoded
//! again, with too little output for the fast loop.

use std::ffi::{CStr, c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, z_stream};

use crate::stream;
use crate::version::VERSION;

/// Output that is too small for the fast loop, which needs that of the longest match.
const SMALL: usize = 200;

/// Returns the message for an error that zlib-rs reports as `told`, in a call on the buffers of
/// `before`.
pub fn of(told: *mut c_char, window_bits: c_int, before: &z_stream) -> *mut c_char {
    if !is_forgotten(told) {
        return told;
    }
    let again = if before.total_in == 0 { repeat(window_bits, before) } else { None };
    // With complete codes only a distance can be wrong, so this is nearly always the cause.
    again.unwrap_or(c"invalid distance too far back".as_ptr().cast_mut())
}

fn is_forgotten(told: *mut c_char) -> bool {
    // SAFETY: zlib-rs's messages are strings that last.
    !told.is_null() && unsafe { CStr::from_ptr(told) }.to_bytes().starts_with(b"repeated call")
}

/// Decodes the input of `before` from its beginning. Returns the message, if there is one.
fn repeat(window_bits: c_int, before: &z_stream) -> Option<*mut c_char> {
    let mut strm = stream::unopened(before);
    // SAFETY: a stream without a state, and the caller's allocator.
    let code = unsafe {
        rs::inflateInit2_(&mut strm, window_bits, VERSION.as_ptr(), size_of::<z_stream>() as c_int)
    };
    if code != Z_OK {
        return None;
    }
    strm.next_in = before.next_in;
    strm.avail_in = before.avail_in;
    let mut room = [0; SMALL];
    loop {
        strm.next_out = room.as_mut_ptr();
        strm.avail_out = SMALL as u32;
        // SAFETY: the stream is open, over the caller's input and our room.
        let code = unsafe { rs::inflate(&mut strm, Z_NO_FLUSH) };
        if code != Z_OK {
            let told = if code == Z_BUF_ERROR || is_forgotten(strm.msg) { None } else { Some(strm.msg) };
            // SAFETY: the stream is open. Messages are not its own.
            unsafe { rs::inflateEnd(&mut strm) };
            return told.filter(|told| !told.is_null());
        }
    }
}
