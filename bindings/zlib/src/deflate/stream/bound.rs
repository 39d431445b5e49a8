//! Upper bounds for compressed sizes.

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
/// Bytes that one call of `deflatePrime` may put before the blocks. zlib's bound exceeds an empty
/// block by as much.
const PRIMED: c_ulong = 2;

/// Returns the most bytes that `deflate` writes for `len` in one call with Z_FINISH.
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

/// Returns the most bytes that `compress` writes for `len`.
#[unsafe(no_mangle)]
pub extern "C" fn compressBound(len: c_ulong) -> c_ulong {
    blocks(len).saturating_add(ZLIB_WRAP)
}

/// Returns the most bytes of blocks at any level, strategy and window. The fixed code takes 9 bits
/// for a literal, hence `len/8`. Begin and end of the smallest blocks take at most a byte each,
/// hence `len/64`.
fn blocks(len: c_ulong) -> c_ulong {
    len.saturating_add(len.div_ceil(8)).saturating_add(len.div_ceil(64)).saturating_add(5)
}

/// Returns the size of the optional fields in a header.
fn optional_fields(header: &gz_header) -> c_ulong {
    let extra = if header.extra.is_null() { 0 } else { 2 + c_ulong::from(header.extra_len) };
    extra + text(header.name) + text(header.comment) + if header.hcrc != 0 { 2 } else { 0 }
}

/// Returns the size of a C string with its zero; 0 for null.
fn text(text: *const u8) -> c_ulong {
    if text.is_null() {
        return 0;
    }
    // SAFETY: the names in a header are C strings, as zlib requires.
    unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_bytes_with_nul().len() as c_ulong
}
