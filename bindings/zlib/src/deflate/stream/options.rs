//! Options of a compressing stream: level, dictionary, header, primed bits, tuning.

use std::ffi::{c_int, c_uint, c_ulong};

use libz_rs_sys as rs;
use rs::{Z_BUF_ERROR, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR, gz_header, z_stream};

use super::parameters::{Parameters, resolve};
use super::state::State;
use crate::deflate::block_encoder::BlockStream;
use crate::deflate::wrap::Wrap;
use crate::stats::{Call, Operation, Path, Reason};
use crate::stream::Open;

/// Changes level and strategy for the following data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateParams(strm: *mut z_stream, level: c_int, strategy: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream with buffers as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let Some(level) = resolve(level, strategy) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        let counted = Call::begin(open.strm);
        // SAFETY: the stream of zlib-rs is open, on those buffers.
        let code = open.delegate(Z_NO_FLUSH, |inner| unsafe { rs::deflateParams(inner, level, strategy) });
        counted.end(open.strm, code, Operation::DeflateStream, Operation::DeflateStream, Path::ZlibRs);
        if code != Z_OK {
            return code;
        }
    } else {
        let Parameters { level: before, strategy: parameters, .. } = open.state.parameters;
        let is_same = function(level) == function(before) && strategy == parameters;
        let ended = if is_same { Ok(()) } else { open.end_block() };
        if let Err(code) = ended {
            return code;
        }
    }
    open.state.parameters.level = level;
    open.state.parameters.strategy = strategy;
    if let Some(blocks) = &mut open.state.blocks {
        blocks.strategy = strategy;
    }
    Z_OK
}

/// Returns which of zlib's functions compresses at a level. zlib ends a block if that changes.
fn function(level: c_int) -> c_int {
    match level {
        0 => 0,
        1..=3 => 1,
        _ => 2,
    }
}

/// Sets a dictionary: history that is not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateSetDictionary(
    strm: *mut z_stream,
    dictionary: *const u8,
    len: c_uint,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if dictionary.is_null() {
        return Z_STREAM_ERROR;
    }
    // zlib counts a dictionary as input, up to the size of the window.
    let counted = open.strm.total_in + c_ulong::from(len).min(open.state.parameters.window());
    if let Some(blocks) = &mut open.state.blocks {
        // The stream has begun: zlib accepts another history only for raw blocks, and not inside
        // one. After the end it accepts it.
        if !blocks.is_finished {
            if blocks.has_check() || !blocks.gathered().is_empty() {
                return Z_STREAM_ERROR;
            }
            // SAFETY: the dictionary is as long as the caller says.
            let history = unsafe { std::slice::from_raw_parts(dictionary, len as usize) };
            if blocks.set_history(history).is_err() {
                return Z_MEM_ERROR;
            }
        }
        open.strm.total_in = counted;
        return Z_OK;
    }
    if open.state.parameters.wrap == Wrap::Gzip && !open.state.is_open() {
        return Z_STREAM_ERROR;
    }
    open.state.reason = Reason::Dictionary;
    // SAFETY: the dictionary is as long as the caller says.
    let code = open.delegate(Z_NO_FLUSH, |inner| unsafe { rs::deflateSetDictionary(inner, dictionary, len) });
    if code == Z_OK {
        open.strm.total_in = counted;
    }
    code
}

/// Copies the history and its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateGetDictionary(
    strm: *mut z_stream,
    dictionary: *mut u8,
    len: *mut c_uint,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        // SAFETY: the stream is open; the caller gives null or memory for a window, and null or a
        // number.
        return unsafe { rs::deflateGetDictionary(&open.state.inner, dictionary, len) };
    }
    let window = open.state.blocks.as_ref().map_or(&[][..], BlockStream::window);
    // SAFETY: the caller gives null or memory for a window, and null or a number.
    unsafe {
        if !dictionary.is_null() {
            window.as_ptr().copy_to_nonoverlapping(dictionary, window.len());
        }
        if let Some(len) = len.as_mut() {
            *len = window.len() as c_uint;
        }
    }
    Z_OK
}

/// Sets the fields of gzip's header.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateSetHeader(strm: *mut z_stream, header: *mut gz_header) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.parameters.wrap != Wrap::Gzip {
        return Z_STREAM_ERROR;
    }
    open.state.header = header;
    if !open.state.is_open() {
        return Z_OK;
    }
    // SAFETY: the stream is open, and the caller keeps the header until it is written.
    unsafe { rs::deflateSetHeader(&mut open.state.inner, header) }
}

/// Returns the bytes and bits that are compressed but not written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflatePending(strm: *mut z_stream, bytes: *mut c_uint, bits: *mut c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let (pending_bytes, pending_bits) = if open.state.is_open() {
        let (mut bytes, mut bits) = (0, 0);
        // SAFETY: the stream is open; two numbers are given.
        let code = unsafe { rs::deflatePending(&mut open.state.inner, &mut bytes, &mut bits) };
        if code != Z_OK {
            return code;
        }
        // zlib-rs holds back up to seven whole bytes with the bits.
        (bytes + bits as c_uint / 8, bits % 8)
    } else {
        let (bytes, bits) = open.state.blocks.as_ref().map_or((&[][..], 0), BlockStream::undelivered);
        (bytes.len() as c_uint, bits.into())
    };
    // SAFETY: the caller gives null or numbers.
    unsafe {
        if let Some(bytes) = bytes.as_mut() {
            *bytes = pending_bytes;
        }
        if let Some(bits) = bits.as_mut() {
            *bits = pending_bits;
        }
    }
    Z_OK
}

/// Writes up to 16 bits before the following data.
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
    // zlib-rs would write higher bits, too.
    let value = value & ((1 << bits) - 1);
    if let Some(blocks) = &mut open.state.blocks {
        let has_room = blocks.prime((value as u32, bits as u32)).is_ok();
        return if has_room { Z_OK } else { Z_BUF_ERROR };
    }
    open.state.reason = Reason::PrimedOrTuned;
    if open.state.is_open() && !open.state.has_room_for_bits() {
        return Z_BUF_ERROR;
    }
    // SAFETY: the stream of zlib-rs is open.
    open.delegate(Z_NO_FLUSH, |inner| unsafe { rs::deflatePrime(inner, bits, value) })
}

/// Sets the limits of the search for matches.
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
    if open.state.blocks.is_some() {
        // Our encoder's search has no such limits.
        return Z_OK;
    }
    open.state.reason = Reason::PrimedOrTuned;
    // SAFETY: the stream of zlib-rs is open.
    open.delegate(Z_NO_FLUSH, |inner| unsafe { rs::deflateTune(inner, good, lazy, nice, chain) })
}
