//! A block that zlib-rs compresses within a stream of ours: a raw stream of its own, with the
//! history as its dictionary.

use std::ffi::c_int;

use libz_rs_sys as rs;
use pelton_codec::Window;
use rs::{Z_DEFLATED, Z_FINISH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH, z_stream};

use crate::version::VERSION;

/// Instead of a level of ours: zlib-rs at the level that was asked for, where none of ours is small
/// enough. In long runs and padding, our search finds only what is in the run. Or where the
/// processor lacks what makes ours worth using.
pub const FALLBACK: i32 = 10;

/// How it compresses: level and strategy as zlib numbers them, and the window.
#[derive(Clone, Copy)]
pub struct FallbackParameters {
    pub level: c_int,
    pub strategy: c_int,
    pub window: Window,
}

/// Compresses what follows position `start` of `uncompressed`, from one byte boundary to another,
/// and returns how long that is; `None` if there is no memory or no room.
pub fn compress(
    uncompressed: &[u8],
    start: usize,
    parameters: FallbackParameters,
    is_last: bool,
    output: &mut [u8],
) -> Option<usize> {
    let (history, block) = uncompressed.split_at(start);
    let mut strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
    (strm.next_in, strm.avail_in) = (block.as_ptr(), u32::try_from(block.len()).ok()?);
    (strm.next_out, strm.avail_out) = (output.as_mut_ptr(), u32::try_from(output.len()).ok()?);
    let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
    let bits = -(parameters.window.bytes().ilog2() as c_int);
    // SAFETY: a stream over two slices, on malloc, that is closed in any case.
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
