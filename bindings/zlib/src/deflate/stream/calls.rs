//! Begin, end, reset and copy of a compressing stream, and `deflate` itself.

use std::ffi::{c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_BLOCK, Z_DATA_ERROR, Z_DEFLATED, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR, z_stream};

use super::parameters::{DEFAULT_MEM_LEVEL, MAX_WINDOW_BITS, Parameters};
use super::state::{State, drop_output};
use crate::stats::{self, Call, Operation, Path, Reason};
use crate::stream::{Open, admit};

/// Begins a zlib stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateInit_(
    strm: *mut z_stream,
    level: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the same conditions.
    unsafe { deflateInit2_(strm, level, Z_DEFLATED, MAX_WINDOW_BITS, DEFAULT_MEM_LEVEL, 0, version, size) }
}

/// Begins a stream. The parameters can be checked without zlib-rs, so its stream is not opened yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateInit2_(
    strm: *mut z_stream,
    level: c_int,
    method: c_int,
    window_bits: c_int,
    mem_level: c_int,
    strategy: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a C string, and null or a stream of its own.
    let stream = match unsafe { admit(strm, version, size) } {
        Ok(stream) => stream,
        Err(code) => return code,
    };
    let Some(parameters) = Parameters::check(level, method, window_bits, mem_level, strategy) else {
        return Z_STREAM_ERROR;
    };
    let state = State::new(stream, parameters);
    // SAFETY: the caller answers for its allocator; the stream is initialised, with no other user.
    let Some(mut open) = (unsafe { Open::create(strm, state) }) else { return Z_MEM_ERROR };
    open.begin();
    let code = open.state.reserve(open.strm);
    if code != Z_OK {
        open.close();
    }
    code
}

/// Compresses the input as far as the output suffices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflate(strm: *mut z_stream, flush: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream with buffers as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if !(Z_NO_FLUSH..=Z_BLOCK).contains(&flush) {
        return Z_STREAM_ERROR;
    }
    if let Err(code) = open.check_begin() {
        return code;
    }
    let counted = Call::begin(open.strm);
    let (code, path) = match open.uses_block_encoder(flush) {
        true => open.compress(flush),
        // SAFETY: the stream of zlib-rs is open, on those buffers.
        false => (open.delegate(flush, |inner| unsafe { rs::deflate(inner, flush) }), Path::ZlibRs),
    };
    counted.end(open.strm, code, Operation::DeflateStream, Operation::DeflateOneShot, path);
    code
}

/// Frees everything. Returns Z_DATA_ERROR if data was lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateEnd(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let is_cut_short = open.state.blocks.as_ref().is_some_and(|blocks| !blocks.is_finished);
    let code = match open.state.is_open() {
        // SAFETY: the stream is open.
        true => unsafe { rs::deflateEnd(&mut open.state.inner) },
        false if is_cut_short => Z_DATA_ERROR,
        false => Z_OK,
    };
    open.state.close_spare();
    open.close();
    code
}

/// Begins another stream with the same parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateReset(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    unsafe {
        reset(strm, |open| {
            open.state.retire();
            Z_OK
        })
    }
}

/// As [`deflateReset`], with the history of the stream before.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateResetKeep(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream; the functions are given streams that are open.
    unsafe {
        reset(strm, |open| {
            drop_output(&mut open.state.inner);
            rs::deflateResetKeep(&mut open.state.inner)
        })
    }
}

/// Resets a stream, with `call` for an open stream of zlib-rs.
///
/// # Safety
/// `strm` is null or a stream.
unsafe fn reset(strm: *mut z_stream, call: impl FnOnce(&mut Open<'_, State>) -> c_int) -> c_int {
    // SAFETY: by this function's condition.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        let code = call(&mut open);
        if code != Z_OK {
            return code;
        }
    }
    open.begin();
    open.state.reserve(open.strm)
}

/// Makes `dest` a copy of `source`.
#[unsafe(no_mangle)]
unsafe extern "C" fn deflateCopy(dest: *mut z_stream, source: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(source) }) else { return Z_STREAM_ERROR };
    // SAFETY: the caller gives null or memory for a stream, which may be uninitialised.
    let made = match unsafe { open.copy_to(dest, State::copy_for) } {
        Ok(made) => made,
        Err(code) => return code,
    };
    if !open.state.is_open() {
        return Z_OK;
    }
    let code = open.state.copy_inner(made.state);
    match code {
        Z_OK => stats::delegated(Reason::Copied),
        _ => made.close(),
    }
    code
}
