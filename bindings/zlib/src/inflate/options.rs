//! What can be set and asked on the way: dictionary, header, bits, where the stream is, how to go
//! on after damage.

use std::ffi::{c_int, c_long, c_uint, c_ulong};
use std::slice;

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_DATA_ERROR, Z_OK, Z_STREAM_ERROR, gz_header, z_stream};

use super::state::State;
use super::wrap::{self, HeaderKind};
use crate::stream::Open;

/// `inflateMark` of a stream that has not begun, and of what is none.
const NO_MARK: c_long = -1 << 16;

/// Gives the stream the history that it was compressed with.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateSetDictionary(strm: *mut z_stream, dictionary: *const u8, len: c_uint) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.wrap == 0 {
        open.is_native();
    } else if open.state.is_native || !open.state.is_open() {
        // Nothing has asked for a dictionary yet.
        return Z_STREAM_ERROR;
    }
    if let Some(decoder) = open.state.native() {
        let bytes = match len {
            0 => &[],
            // SAFETY: the dictionary is as long as the caller says.
            len => unsafe { slice::from_raw_parts(dictionary, len as usize) },
        };
        decoder.extend_history(bytes);
        return Z_OK;
    }
    // SAFETY: the dictionary is as long as the caller says.
    open.delegate(|inner| unsafe { rs::inflateSetDictionary(inner, dictionary, len) })
}

/// The history, and how long it is.
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

/// Has gzip's header told to the caller when it is read.
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
        // It was read.
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
        open.is_native();
    }
    if let Some(decoder) = open.state.native() {
        return decoder.prime(bits, value);
    }
    // What of a header are bits and what is input is zlib-rs's to know.
    open.state.keep_delegated();
    // SAFETY: the stream of zlib-rs is open.
    open.delegate(|inner| unsafe { rs::inflatePrime(inner, bits, value) })
}

/// Skips to where a full flush was, after damage.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateSync(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream with a buffer as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    // zlib knows that a header is gzip's from its fourth byte on, and that it is its own from the
    // second.
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
        // What is passed over now counts as read, and is no header.
        open.state.header_kind = if had_header { HeaderKind::BadGzip } else { HeaderKind::Garbage };
    }
    if code == Z_OK {
        // What comes next has no header, and the checksum at its end is of more than what is left.
        if had_header {
            open.state.wrap &= !wrap::CHECKED;
        } else {
            open.state.wrap = 0;
        }
        // Another sync has to know of the header, too.
        let (header_kind, is_native) = (open.state.header_kind, open.state.is_native);
        open.restart();
        (open.state.header_kind, open.state.is_native, open.state.is_new) = (header_kind, is_native, false);
        open.state.is_delegated = !is_native;
        open.state.has_no_sum = !is_native && matches!(header_kind, HeaderKind::Gzip | HeaderKind::BadGzip);
        open.strm.msg = std::ptr::null_mut();
    }
    code
}

/// Whether the stream is at the empty block of a flush, before its lengths.
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

/// How far back the last code began in bits, and how much of it is still to be written.
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

/// Has distances before the beginning allowed, in a zlib compiled for that; this one is not.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateUndermine(strm: *mut z_stream, _subvert: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    if unsafe { Open::<State>::of(strm) }.is_some() { Z_DATA_ERROR } else { Z_STREAM_ERROR }
}

/// Whether checksums are compared.
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

/// Entries of the tables of codes that are in use.
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
