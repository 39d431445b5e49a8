//! What can be set and asked on the way: level, dictionary, header, bits, search.

use std::ffi::{c_int, c_uint, c_ulong};

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR, gz_header, z_stream};

use super::init::resolve;
use super::state::{State, Wrap};
use crate::stats::{Call, Operation, Path, Reason};
use crate::stream::Open;

/// Changes level and strategy for what comes next.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateParams(strm: *mut z_stream, level: c_int, strategy: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream with buffers as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let Some(level) = resolve(level, strategy) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        let counted = Call::begin(open.strm);
        // SAFETY: the stream of zlib-rs is open, on those buffers.
        let code = open.through(Z_NO_FLUSH, |inner| unsafe { rs::deflateParams(inner, level, strategy) });
        counted.end(open.strm, code, Operation::DeflateStream, Operation::DeflateStream, Path::Plain);
        if code != Z_OK {
            return code;
        }
    }
    open.state.settings.level = level;
    open.state.settings.strategy = strategy;
    Z_OK
}

/// Gives the stream a history that is not written.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateSetDictionary(strm: *mut z_stream, dictionary: *const u8, len: c_uint) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let early_gzip = open.state.settings.wrap == Wrap::Gzip && !open.state.is_open();
    if dictionary.is_null() || early_gzip {
        return Z_STREAM_ERROR;
    }
    open.state.reason = Reason::Dictionary;
    let before = open.strm.total_in;
    // SAFETY: the dictionary is as long as the caller says.
    let code = open.through(Z_NO_FLUSH, |inner| unsafe { rs::deflateSetDictionary(inner, dictionary, len) });
    if code == Z_OK {
        // zlib counts what it takes of a dictionary as input, and takes no more than a window.
        open.strm.total_in = before + c_ulong::from(len).min(open.state.settings.window());
    }
    code
}

/// The history, and how long it is.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateGetDictionary(
    strm: *mut z_stream,
    dictionary: *mut u8,
    len: *mut c_uint,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        // SAFETY: the stream is open; the caller gives null or room for a window, and null or a number.
        return unsafe { rs::deflateGetDictionary(&open.state.inner, dictionary, len) };
    }
    // SAFETY: the caller gives null or a number.
    if let Some(len) = unsafe { len.as_mut() } {
        *len = 0;
    }
    Z_OK
}

/// Has gzip's header written as the caller says.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateSetHeader(strm: *mut z_stream, header: *mut gz_header) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.settings.wrap != Wrap::Gzip {
        return Z_STREAM_ERROR;
    }
    open.state.header = header;
    if !open.state.is_open() {
        return Z_OK;
    }
    // SAFETY: the stream is open, and the caller keeps the header until it is written.
    unsafe { rs::deflateSetHeader(&mut open.state.inner, header) }
}

/// How much is compressed but not written, in bytes and bits.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflatePending(strm: *mut z_stream, bytes: *mut c_uint, bits: *mut c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        // SAFETY: the stream is open; the caller gives null or numbers.
        return unsafe { rs::deflatePending(&mut open.state.inner, bytes, bits) };
    }
    // SAFETY: the caller gives null or numbers.
    unsafe {
        if let Some(bytes) = bytes.as_mut() {
            *bytes = 0;
        }
        if let Some(bits) = bits.as_mut() {
            *bits = 0;
        }
    }
    Z_OK
}

/// Writes up to 16 bits before what comes next.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflatePrime(strm: *mut z_stream, bits: c_int, value: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if !(0..=16).contains(&bits) {
        return Z_BUF_ERROR;
    }
    if bits == 0 {
        return Z_OK;
    }
    // zlib-rs writes the bits above, too.
    let value = value & ((1 << bits) - 1);
    open.state.reason = Reason::PrimedOrTuned;
    // SAFETY: the stream of zlib-rs is open.
    open.through(Z_NO_FLUSH, |inner| unsafe { rs::deflatePrime(inner, bits, value) })
}

/// Sets how hard matches are searched for.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateTune(
    strm: *mut z_stream,
    good: c_int,
    lazy: c_int,
    nice: c_int,
    chain: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    open.state.reason = Reason::PrimedOrTuned;
    // SAFETY: the stream of zlib-rs is open.
    open.through(Z_NO_FLUSH, |inner| unsafe { rs::deflateTune(inner, good, lazy, nice, chain) })
}
