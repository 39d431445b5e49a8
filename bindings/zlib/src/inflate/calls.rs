//! Begin, end, reset and copy of a decompressing stream, and `inflate` itself.

use std::ffi::{c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_MEM_ERROR, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, z_stream};

use super::state::State;
use super::wrap;
use crate::settings::settings;
use crate::stats::{self, Call, Operation, Path, Reason};
use crate::stream::{Open, admit};
use crate::{memory, offload};

/// Begins a zlib stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit_(strm: *mut z_stream, version: *const c_char, size: c_int) -> c_int {
    // SAFETY: the same conditions.
    unsafe { inflateInit2_(strm, 15, version, size) }
}

/// Begins a stream. The parameters can be checked without zlib-rs, so its stream is not opened yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateInit2_(
    strm: *mut z_stream,
    window_bits: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a C string, and null or a stream of its own.
    let stream = match unsafe { admit(strm, version, size) } {
        Ok(stream) => stream,
        Err(code) => return code,
    };
    let Some(wrap) = wrap::of(window_bits) else {
        stream.state = std::ptr::null_mut();
        return Z_STREAM_ERROR;
    };
    let state = State::new(stream, window_bits, wrap);
    // SAFETY: the caller answers for its allocator; the stream is initialised, with no other user.
    let Some(mut open) = (unsafe { Open::create(strm, state) }) else { return Z_MEM_ERROR };
    open.begin();
    if !memory::uses_malloc(open.strm) && settings().accelerate {
        // Calls on a caller's allocator may be in a sandbox without system calls.
        offload::reserve_decoder();
    }
    Z_OK
}

/// Decompresses the input as far as the output suffices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflate(strm: *mut z_stream, flush: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream with buffers as it says.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let is_wrong = open.strm.next_out.is_null() || open.strm.avail_in > 0 && open.strm.next_in.is_null();
    if open.state.has_ended {
        return if is_wrong { Z_STREAM_ERROR } else { Z_STREAM_END };
    }
    let counted = Call::begin(open.strm);
    let begun = open.strm.total_in;
    let one_shot = if open.state.is_new && !is_wrong { open.decode_one_shot(flush) } else { None };
    let (code, path) = match one_shot {
        _ if is_wrong => (Z_STREAM_ERROR, Path::ZlibRs),
        Some(one_shot) => one_shot,
        None if open.ensure_native() => {
            (open.decode_streaming(flush, open.strm.total_in != begun), Path::CpuStreaming)
        }
        None => {
            let code = open.read_header(flush);
            (code, if open.state.is_native { Path::CpuStreaming } else { Path::ZlibRs })
        }
    };
    counted.end(open.strm, code, Operation::InflateStream, Operation::InflateOneShot, path);
    code
}

/// Frees everything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateEnd(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        // SAFETY: the stream is open.
        unsafe { rs::inflateEnd(&mut open.state.inner) };
    }
    open.close();
    Z_OK
}

/// Begins another stream with the same parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inflateReset(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream; the function is given streams that are open.
    unsafe { reset(strm, |inner| rs::inflateReset(inner)) }
}

/// As [`inflateReset`], with the history of the stream before.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateResetKeep(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream; the function is given streams that are open.
    unsafe {
        if let Some(mut open) = Open::<State>::of(strm).filter(|open| !open.state.retained().is_empty()) {
            if open.state.wrap == 0 {
                return open.restart_raw();
            }
            open.hand_over();
        }
        let code = reset(strm, |inner| rs::inflateResetKeep(inner));
        if let Some(open) = Open::<State>::of(strm) {
            // The next data may refer to history that only zlib-rs has.
            open.state.is_new = !open.state.is_open();
        }
        code
    }
}

/// As [`inflateReset`], for another container or window.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateReset2(strm: *mut z_stream, window_bits: c_int) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    let Some(wrap) = wrap::of(window_bits) else { return Z_STREAM_ERROR };
    open.state.window_bits = window_bits;
    open.state.wrap = wrap;
    // SAFETY: the caller gives a stream; the function is given streams that are open.
    unsafe { reset(strm, |inner| rs::inflateReset2(inner, window_bits)) }
}

/// Resets a stream, with `call` for an open stream of zlib-rs.
///
/// # Safety
/// `strm` is null or a stream.
unsafe fn reset(strm: *mut z_stream, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
    // SAFETY: by this function's condition.
    let Some(mut open) = (unsafe { Open::<State>::of(strm) }) else { return Z_STREAM_ERROR };
    if open.state.is_open() {
        let code = call(&mut open.state.inner);
        if code != Z_OK {
            return code;
        }
    }
    open.begin();
    Z_OK
}

/// Makes `dest` a copy of `source`.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateCopy(dest: *mut z_stream, source: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<State>::of(source) }) else { return Z_STREAM_ERROR };
    // SAFETY: the caller gives null or memory for a stream, which need not be one yet.
    let made = match unsafe { open.copy_to(dest, State::copy_for) } {
        Ok(made) => made,
        Err(code) => return code,
    };
    if open.state.is_native || !open.state.is_open() {
        return Z_OK;
    }
    // SAFETY: one stream is open, the other has room for a copy.
    let code = unsafe { rs::inflateCopy(&mut made.state.inner, &open.state.inner) };
    if code == Z_OK {
        made.state.follow_header();
        stats::delegated(Reason::Copied);
    } else {
        made.close();
    }
    code
}
