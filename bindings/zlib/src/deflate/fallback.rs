//! Fallback encoder: zlib-rs compresses one block of a stream, as a raw stream of its own with the
//! history as its dictionary.

use std::ffi::{c_int, c_uint, c_void};
use std::mem::MaybeUninit;

use libz_rs_sys as rs;
use pelton_codec::Window;
use rs::{Z_DEFLATED, Z_FINISH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH, z_stream};

use crate::version::VERSION;

/// Pseudo-level for the fallback encoder at the requested level of zlib, where the processor lacks
/// the instructions for our encoder.
pub const FALLBACK: i32 = 10;

/// Parameters for zlib-rs: level and strategy with zlib's numbers, and the window.
#[derive(Clone, Copy)]
pub struct FallbackParameters {
    pub level: c_int,
    pub strategy: c_int,
    pub window: Window,
}

/// Memory of a stream of zlib-rs, which the next stream uses again: no call asks the system for it.
pub struct FallbackMemory(Vec<MaybeUninit<u64>>);

/// Bytes of a stream with the largest window, with a margin.
const CAPACITY: usize = 448 << 10;

impl FallbackMemory {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Reserves the memory, which no stream uses; `None` if there is none.
    pub fn reserve(&mut self) -> Option<()> {
        self.0.clear();
        self.0.try_reserve_exact(CAPACITY / size_of::<u64>()).ok()
    }

    /// Returns an unopened stream on this memory, which no other stream uses.
    fn stream(&mut self) -> Option<z_stream> {
        self.reserve()?;
        let opaque = (&raw mut *self).cast();
        Some(z_stream { zalloc: Some(take), zfree: Some(leave), opaque, ..z_stream::default() })
    }
}

/// `zalloc` of a stream on a [`FallbackMemory`], of which zlib-rs takes one piece.
unsafe extern "C" fn take(opaque: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    // SAFETY: `stream` put it there, and borrows it.
    let memory = unsafe { &mut (*opaque.cast::<FallbackMemory>()).0 };
    let words = (items as usize * size as usize).div_ceil(size_of::<u64>());
    let start = memory.len();
    if memory.capacity() - start < words {
        return std::ptr::null_mut();
    }
    // SAFETY: the capacity suffices, and an element need not be initialised.
    unsafe {
        memory.set_len(start + words);
        memory.as_mut_ptr().add(start).cast()
    }
}

/// `zfree` of such a stream, which leaves all memory to the next one.
unsafe extern "C" fn leave(_: *mut c_void, _: *mut c_void) {}

/// Compresses the bytes from `start` on, from one byte boundary to the next. Returns the size;
/// `None` if memory or output is too small.
pub fn compress(
    memory: &mut FallbackMemory,
    uncompressed: &[u8],
    start: usize,
    parameters: FallbackParameters,
    is_last: bool,
    output: &mut [u8],
) -> Option<usize> {
    let (history, block) = uncompressed.split_at(start);
    let mut strm = memory.stream()?;
    (strm.next_in, strm.avail_in) = (block.as_ptr(), u32::try_from(block.len()).ok()?);
    (strm.next_out, strm.avail_out) = (output.as_mut_ptr(), u32::try_from(output.len()).ok()?);
    let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
    let bits = -(parameters.window.bytes().ilog2() as c_int);
    // SAFETY: a stream over two slices, on memory that stays, that is closed in any case.
    unsafe {
        if rs::deflateInit2_(
            &mut strm,
            parameters.level,
            Z_DEFLATED,
            bits,
            8,
            parameters.strategy,
            version,
            size,
        ) != Z_OK
        {
            return None;
        }
        if !history.is_empty() {
            rs::deflateSetDictionary(&mut strm, history.as_ptr(), history.len() as u32);
        }
        let code = rs::deflate(&mut strm, if is_last { Z_FINISH } else { Z_SYNC_FLUSH });
        let done = match is_last {
            true => code == Z_STREAM_END,
            false => code == Z_OK && strm.avail_in == 0 && strm.avail_out > 0,
        };
        rs::deflateEnd(&mut strm);
        done.then_some(output.len() - strm.avail_out as usize)
    }
}
