//! Which of our coder's levels does what a level of zlib's is asked for: about zlib's size, as fast as that can be had.
//!
//! How our levels and zlib's compare depends on the data, so it is tried: a sample of what comes is compressed by zlib's own
//! algorithm at the level that was asked for, and by ours from the fastest on, until one is small enough.

use std::ffi::c_int;

use libz_rs_sys as rs;
use pelton_codec::BitWriter;
use rs::{Z_DEFLATED, Z_FINISH, Z_OK, Z_STREAM_END, z_stream};

use super::Coders;
use crate::version::VERSION;

/// Bytes of a sample: a window, so that it repeats about as much as the stream.
const SAMPLE: usize = 32 << 10;
/// A shorter piece is not worth a trial: each compression of a sample takes as long as about twice as much of the stream.
pub const WORTH_IT: usize = 4 * SAMPLE;
/// Bytes after which another sample is tried: at 2 to 4 compressions each time, a twentieth of the time or less.
const LASTS: usize = 4 << 20;

/// By level of zlib's: thousandths of its size that ours may have. At level 6 the stream may have 40 more, at level 9 ten;
/// the sample is not the stream.
const ALLOWED: [usize; 10] = [1000, 1000, 1000, 1000, 1025, 1025, 1025, 1015, 1005, 1000];

/// By level of zlib's: what is taken without a trial for pieces of a stream. Measured on rows, text, JSON, source code
/// (docs/zlib.md).
const UNTRIED: [i32; 10] = [0, 1, 1, 2, 3, 4, 4, 5, 6, 6];

/// By level of zlib's: the level of `RawEncoder` for a stream that is compressed at once.
const WHOLE: [i32; 10] = [0, 1, 2, 3, 4, 5, 5, 6, 7, 7];

/// The level for a short stream that is compressed at once.
pub fn whole(level: i32) -> i32 {
    WHOLE[level as usize]
}

/// What was chosen for a stream.
#[derive(Clone, Default)]
pub struct Choice {
    /// Our level, and zlib's that it was chosen for.
    chosen: Option<(i32, i32)>,
    /// Bytes since then.
    since: usize,
}

impl Choice {
    /// Our level for a piece of the stream that is to be compressed at a level of zlib's.
    pub fn level(&mut self, coders: &mut Coders, asked: i32, piece: &[u8]) -> i32 {
        self.since += piece.len();
        match self.chosen {
            Some((chosen, of)) if of == asked && self.since < LASTS => return chosen,
            _ if ALLOWED[asked as usize] == 1000 && asked < 4 || piece.len() < WORTH_IT => {
                return UNTRIED[asked as usize];
            }
            _ => {}
        }
        let middle = (piece.len() - SAMPLE) / 2;
        let chosen = try_out(coders, asked, &piece[middle..middle + SAMPLE]);
        *self = Self { chosen: Some((chosen, asked)), since: 0 };
        chosen
    }
}

/// The fastest of our levels whose output for the sample is small enough.
fn try_out(coders: &mut Coders, asked: i32, sample: &[u8]) -> i32 {
    let mut room = vec![0; SAMPLE + SAMPLE / 8];
    let Some(theirs) = by_zlib(asked, sample, &mut room) else { return UNTRIED[asked as usize] };
    let limit = theirs * ALLOWED[asked as usize] / 1000;
    let mut is_small_enough = |level: i32| {
        let mut to = BitWriter::new(&mut room);
        let done = coders.blocks.deflate_block(sample, &[], level, true, &mut to);
        done.is_ok() && to.finish().is_some_and(|len| len <= limit)
    };
    (2..9).find(|&level| is_small_enough(level)).unwrap_or(9)
}

/// How long the sample gets at a level of zlib's.
fn by_zlib(level: c_int, sample: &[u8], room: &mut [u8]) -> Option<usize> {
    let mut strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
    (strm.next_in, strm.avail_in) = (sample.as_ptr(), sample.len() as u32);
    (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), room.len() as u32);
    let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
    // SAFETY: a stream over two slices, on malloc.
    unsafe {
        if rs::deflateInit2_(&mut strm, level, Z_DEFLATED, -15, 8, 0, version, size) != Z_OK {
            return None;
        }
        let code = rs::deflate(&mut strm, Z_FINISH);
        rs::deflateEnd(&mut strm);
        (code == Z_STREAM_END).then_some(strm.total_out as usize)
    }
}
