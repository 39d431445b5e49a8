//! How long compressed data can get.

use std::ffi::{CStr, c_char, c_ulong};

use libz_rs_sys as rs;
use rs::{gz_header, z_stream};

use super::state::State;
use crate::deflate::wrap::Wrap;
use crate::stream::Open;

/// zlib's header and checksum, with the identifier of a dictionary.
const ZLIB_WRAP: c_ulong = 2 + 4 + 4;
/// gzip's header without optional fields, checksum and length.
const GZIP_WRAP: c_ulong = 10 + 8;
/// What `deflatePrime` may have put before the blocks in one call. zlib's bound has as many bytes
/// more than an empty block takes.
const PRIMED: c_ulong = 2;

/// The most bytes that `deflate` writes for `len` in one call with Z_FINISH.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateBound(strm: *mut z_stream, len: c_ulong) -> c_ulong {
    // SAFETY: the caller gives null or a stream.
    let wrap = match unsafe { Open::<State>::of(strm) } {
        None => ZLIB_WRAP,
        Some(open) => match open.state.parameters.wrap {
            Wrap::Raw => 0,
            Wrap::Zlib => ZLIB_WRAP,
            // SAFETY: the caller keeps the header it gave.
            Wrap::Gzip => GZIP_WRAP + unsafe { open.state.header.as_ref() }.map_or(0, optional_fields),
        },
    };
    blocks(len).saturating_add(wrap + PRIMED)
}

/// The most bytes that `compress` writes for `len`.
#[unsafe(no_mangle)]
pub extern "C" fn compressBound(len: c_ulong) -> c_ulong {
    blocks(len).saturating_add(ZLIB_WRAP)
}

/// The most bytes of blocks, at any level, strategy and size of window: the fixed code takes 9 bits
/// for a literal, and the smallest blocks, of 127 literals, each begin and end with a byte at most
/// (which 1 in 64 covers), the last with five.
fn blocks(len: c_ulong) -> c_ulong {
    len.saturating_add(len.div_ceil(8)).saturating_add(len.div_ceil(64)).saturating_add(5)
}

/// Bytes of the fields that this header adds.
fn optional_fields(header: &gz_header) -> c_ulong {
    let extra = if header.extra.is_null() { 0 } else { 2 + c_ulong::from(header.extra_len) };
    extra + text(header.name) + text(header.comment) + if header.hcrc != 0 { 2 } else { 0 }
}

/// Bytes of a string with its end; none if there is none.
fn text(text: *const u8) -> c_ulong {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the names in a header are C strings, which is what zlib asks.
    unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_bytes_with_nul().len() as c_ulong
}
