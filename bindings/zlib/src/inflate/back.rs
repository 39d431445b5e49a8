//! `inflateBack`: raw blocks, with the caller's functions for input and output, and its buffer as
//! the window.
//!
//! zlib-rs does not compare distances with the size of the window, and reads outside of one that is
//! smaller than the largest distance. In place of such a one it gets a window in the middle of a
//! buffer of ours, which has all that a distance reaches. Where zlib has an error, some
//! zeros come out of it.

use std::ffi::{c_char, c_int, c_void};

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR, in_func, out_func, z_stream};

use crate::stream::{self, Open, Tag};
use crate::{memory, version};

/// Bits of the largest window, and the largest distance (RFC 1951, section 3.2.5).
const MAX_WINDOW_BITS: c_int = 15;
const REACH: usize = 1 << MAX_WINDOW_BITS;

/// The state behind `strm.state`: a stream of zlib-rs, which is always open.
#[repr(C)]
struct Back {
    tag: Tag,
    inner: z_stream,
    /// Has the window in place of a caller's that is smaller than [`REACH`]; else without memory.
    around: Vec<u8>,
}

// SAFETY: repr(C), and the tag is first.
unsafe impl stream::State for Back {
    const KIND: u64 = u64::from_be_bytes(*b"pinfback");
}

/// Begins a stream. `window` has a size of `1 << window_bits` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateBackInit_(
    strm: *mut z_stream,
    window_bits: c_int,
    window: *mut u8,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a C string.
    if let Err(code) = unsafe { version::check(version, size) } {
        return code;
    }
    // SAFETY: the caller gives null or a stream of its own.
    let Some(stream) = (unsafe { strm.as_mut() }) else { return Z_STREAM_ERROR };
    if window.is_null() || !(8..=15).contains(&window_bits) {
        return Z_STREAM_ERROR;
    }
    stream.msg = std::ptr::null_mut();
    memory::set_defaults(stream);
    let mut around = Vec::new();
    if window_bits < MAX_WINDOW_BITS {
        let bytes = REACH + (1 << window_bits) + REACH;
        if around.try_reserve_exact(bytes).is_err() {
            return Z_MEM_ERROR;
        }
        around.resize(bytes, 0);
    }
    let back = Back { tag: <Back as stream::State>::tag(stream), inner: stream::unopened(stream), around };
    // SAFETY: the caller answers for its allocator; the stream is initialised, with no other user.
    let Some(open) = (unsafe { Open::create(strm, back) }) else { return Z_MEM_ERROR };
    let Back { inner, around, .. } = open.state;
    let window = if around.is_empty() { window } else { around.as_mut_ptr().wrapping_add(REACH) };
    // SAFETY: a stream without a state, the caller's allocator, and a window of that size, ours or
    // the caller's, which lives as long as the stream.
    let code = unsafe { rs::inflateBackInit_(inner, window_bits, window, version::VERSION.as_ptr(), size) };
    if code != Z_OK {
        open.close();
    }
    code
}

/// Decompresses until the last block ends, or until a function of the caller's stops it.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateBack(
    strm: *mut z_stream,
    input: Option<in_func>,
    input_for: *mut c_void,
    output: Option<out_func>,
    output_for: *mut c_void,
) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<Back>::of(strm) }) else { return Z_STREAM_ERROR };
    let inner = &mut open.state.inner;
    inner.next_in = open.strm.next_in;
    inner.avail_in = if inner.next_in.is_null() { 0 } else { open.strm.avail_in };
    // SAFETY: the stream is open; the caller answers for its functions.
    let code = unsafe { rs::inflateBack(inner, input, input_for, output, output_for) };
    open.strm.next_in = inner.next_in;
    open.strm.avail_in = inner.avail_in;
    if code == Z_DATA_ERROR {
        // The message is in the state. A call of inflate without data sets it.
        stream::detach(inner);
        // SAFETY: the stream is open, over no bytes. The next inflateBack begins from its own
        // beginning.
        unsafe {
            rs::inflateResetKeep(inner);
            rs::inflate(inner, Z_NO_FLUSH);
        }
    }
    open.strm.msg = inner.msg;
    code
}

/// Frees everything except the window.
#[unsafe(no_mangle)]
unsafe extern "C" fn inflateBackEnd(strm: *mut z_stream) -> c_int {
    // SAFETY: the caller gives null or a stream.
    let Some(open) = (unsafe { Open::<Back>::of(strm) }) else { return Z_STREAM_ERROR };
    // SAFETY: the stream is open.
    unsafe { rs::inflateBackEnd(&mut open.state.inner) };
    open.close();
    Z_OK
}
