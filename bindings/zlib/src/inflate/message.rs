//! What was wrong with bad data, where zlib-rs forgets it.
//!
//! Where it decodes codes fast, which it does with enough input and room, zlib-rs writes over its
//! message that it was called again after an error. A stream that was given whole is decoded a
//! second time, with too little room to be fast.

use std::ffi::{CStr, c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, z_stream};

use crate::stream;
use crate::version::VERSION;

/// Room for output that is too little for the fast loop, which wants that for the longest match.
const SMALL: usize = 200;

/// The message of an error that zlib-rs tells as `told`, in a call on the buffers of `before`.
pub fn of(told: *mut c_char, window_bits: c_int, before: &z_stream) -> *mut c_char {
    if !is_forgotten(told) {
        return told;
    }
    let again = if before.total_in == 0 { repeat(window_bits, before) } else { None };
    // Complete codes can't be wrong, so it is nearly always this.
    again.unwrap_or(c"invalid distance too far back".as_ptr().cast_mut())
}

fn is_forgotten(told: *mut c_char) -> bool {
    // SAFETY: zlib-rs's messages are strings that last.
    !told.is_null() && unsafe { CStr::from_ptr(told) }.to_bytes().starts_with(b"repeated call")
}

/// Decodes the input of `before` from its beginning; the message that comes, if one does.
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
