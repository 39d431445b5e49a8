//! Options of a decompressing stream: dictionary, header, primed bits, position, recovery after
//! damage.

use std::ffi::{c_int, c_long, c_uint, c_ulong};
use std::slice;

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_DATA_ERROR, Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, gz_header, z_stream};

use super::state::State;
use super::wrap::{self, HeaderKind};
use crate::stream::Open;

/// Result of `inflateMark` for a stream that has not begun, or is invalid.
const NO_MARK: c_long = -1 << 16;

/// Sets the history that the stream was compressed with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateSetDictionary(
    strm: *mut z_stream,
    dictionary: *const u8,
    len: c_uint,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.wrap == 0 {
        open.ensure_native();
    } else if open.state.is_native || !open.state.is_open() {
        // The stream has not asked for a dictionary.
        return Z_STREAM_ERROR;
    }
    if let Some(decoder) = open.state.native() {
        let bytes = match len {
            0 => &[],
            // SAFETY: the dictionary is as long as the caller says.
            len => unsafe { slice::from_raw_parts(dictionary, len as usize) },
        };
        return if decoder.extend_history(bytes) { Z_OK } else { Z_MEM_ERROR };
    }
    // SAFETY: the dictionary is as long as the caller says.
    open.delegate(|inner| unsafe { rs::inflateSetDictionary(inner, dictionary, len) })
}

/// Copies the history and its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateGetDictionary(
    strm: *mut z_stream,
    dictionary: *mut u8,
    len: *mut c_uint,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let retained = open.state.retained();
    if open.state.is_open() && !open.state.is_native && retained.is_empty() {
        // SAFETY: the stream is open; the caller gives null or room for a window, and null or a
        // number.
        return unsafe { rs::inflateGetDictionary(&open.state.inner, dictionary, len) };
    }
    // SAFETY: the caller gives null or room for a window, and null or a number.
    unsafe {
        if !dictionary.is_null() {
            retained.as_ptr().copy_to_nonoverlapping(dictionary, retained.len());
        }
        if let Some(len) = len.as_mut() {
            *len = retained.len() as c_uint;
        }
    }
    Z_OK
}

/// Sets the structure that receives gzip's header.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateGetHeader(strm: *mut z_stream, header: *mut gz_header) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.wrap & wrap::GZIP == 0 {
        return Z_STREAM_ERROR;
    }
    // SAFETY: the caller gives null or a header.
    if let Some(header) = unsafe { header.as_mut() } {
        header.done = 0;
    }
    if open.state.is_native || open.state.has_ended {
        // The header has been read.
        return Z_OK;
    }
    open.state.header = header;
    if open.state.is_open() {
        open.state.want_header();
    }
    Z_OK
}

/// Puts up to 16 bits before the input.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflatePrime(strm: *mut z_stream, bits: c_int, value: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if bits == 0 {
        return Z_OK;
    }
    if open.state.wrap == 0 {
        open.ensure_native();
    }
    if let Some(decoder) = open.state.native() {
        return decoder.prime(bits, value);
    }
    // Only zlib-rs knows which part of a header is bits and which is input.
    open.state.keep_delegated();
    // SAFETY: the stream of zlib-rs is open.
    open.delegate(|inner| unsafe { rs::inflatePrime(inner, bits, value) })
}

/// Skips to the marker of a full flush, after damage.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateSync(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream with a buffer as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    // zlib recognises gzip's header at its fourth byte, and its own at the second.
    let had_header = match open.state.header_kind {
        HeaderKind::Unknown if open.state.wrap & wrap::GZIP != 0 => open.strm.total_in >= 4,
        HeaderKind::Unknown => open.strm.total_in >= 2,
        HeaderKind::Gzip | HeaderKind::BadGzip | HeaderKind::Zlib => true,
        HeaderKind::Garbage => false,
    };
    let code = if open.state.is_native {
        open.synchronize()
    } else {
        if open.strm.avail_in == 0 && !open.state.is_open() {
            return Z_BUF_ERROR;
        }
        open.hand_over();
        // SAFETY: the stream of zlib-rs is open, on that buffer.
        open.delegate(|inner| unsafe { rs::inflateSync(inner) })
    };
    if code != Z_BUF_ERROR {
        if !open.state.is_native {
            open.state.keep_delegated();
        }
        open.state.has_ended = false;
    }
    if code != Z_BUF_ERROR && open.state.header_kind == HeaderKind::Unknown {
        // Skipped bytes count as read from now on, and are not a header.
        open.state.header_kind = if had_header { HeaderKind::BadGzip } else { HeaderKind::Garbage };
    }
    if code == Z_OK {
        // The following data has no header, and the checksum at its end covers more than that data.
        if had_header {
            open.state.wrap &= !wrap::CHECKED;
        } else {
            open.state.wrap = 0;
        }
        // Another sync needs the kind of the header, too.
        let (header_kind, is_native) = (open.state.header_kind, open.state.is_native);
        open.restart();
        (open.state.header_kind, open.state.is_native, open.state.is_new) = (header_kind, is_native, false);
        open.state.is_delegated = !is_native;
        open.state.has_no_sum = !is_native && matches!(header_kind, HeaderKind::Gzip | HeaderKind::BadGzip);
        open.strm.msg = std::ptr::null_mut();
        if !is_native {
            open.resume();
        }
    }
    code
}

/// Returns whether the stream is at the empty block of a flush, before its lengths.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateSyncPoint(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if let Some(decoder) = open.state.native() {
        return decoder.is_at_sync_point().into();
    }
    // SAFETY: the stream is open if it is asked.
    if open.state.is_open() { unsafe { rs::inflateSyncPoint(&mut open.state.inner) } } else { 0 }
}

/// Returns the distance in bits to the beginning of the last code, and the bytes of its match that
/// are not written yet.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateMark(strm: *mut z_stream) -> c_long {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return NO_MARK };
    if let Some(decoder) = open.state.native() {
        return decoder.mark();
    }
    // SAFETY: the stream is open if it is asked.
    if open.state.is_open() { unsafe { rs::inflateMark(&open.state.inner) } } else { NO_MARK }
}

/// Allows distances beyond the beginning, in a zlib compiled for that. This one is not.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateUndermine(strm: *mut z_stream, _subvert: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    if unsafe { Open::<State>::of(strm) }.is_some() { Z_DATA_ERROR } else { Z_STREAM_ERROR }
}

/// Sets whether checksums are verified.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateValidate(strm: *mut z_stream, check: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if check != 0 && open.state.wrap != 0 {
        open.state.wrap |= wrap::CHECKED;
    } else {
        open.state.wrap &= !wrap::CHECKED;
    }
    open.state.validate();
    Z_OK
}

/// Returns the number of entries in the current Huffman tables.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateCodesUsed(strm: *mut z_stream) -> c_ulong {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return c_ulong::MAX };
    if let Some(decoder) = open.state.native() {
        return decoder.entries() as c_ulong;
    }
    // SAFETY: the stream is open if it is asked.
    if open.state.is_open() { unsafe { rs::inflateCodesUsed(&mut open.state.inner) } } else { 0 }
}
