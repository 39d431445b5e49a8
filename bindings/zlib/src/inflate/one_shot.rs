//! One-shot decompression: a stream that is complete in its first call, with output for all of it.
//!
//! Speculative decoding or the streaming decoder take at most half of zlib-rs's time.
//!
//! Only an attempt shows whether a stream is complete. If it is not, or is corrupt, no input has
//! been consumed, and decoding starts again as a stream.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys::{Z_BLOCK, Z_FINISH, Z_STREAM_END};

use super::state::State;
use super::wrap::{self, HeaderKind};
use crate::backoff::Backoff;
use crate::checksum;
use crate::offload::{self, Body};
use crate::settings::settings;
use crate::stats::Path;
use crate::stream::Open;

/// Backoff for streams that begin without Z_FINISH, and for those with it: programs that
/// read streams in pieces fail every attempt.
static BACKOFF: [Backoff; 2] = [Backoff::new(), Backoff::new()];

/// `data_type` of a stream that has ended: the last block has been read.
const ENDED: c_int = 64;

/// A decoded stream.
struct OneShot {
    read: usize,
    written: usize,
    /// Its container.
    header_kind: HeaderKind,
    /// Checksum for `strm.adler`.
    sum: Option<u32>,
    path: Path,
}

/// Decodes a complete stream.
fn decode(input: &[u8], output: &mut [u8], wrap: c_int, window_bits: c_int) -> Option<OneShot> {
    let (start, header_kind) = wrap::header(input, wrap, window_bits)?;
    let bits = match header_kind {
        HeaderKind::Zlib => c_int::from(input[0] >> 4) + 8,
        HeaderKind::Unknown => window_bits.abs().min(15),
        _ => 15,
    };
    let Body { consumed, produced, path } = offload::decompress(&input[start..], output, 1 << bits)?;
    let (trailer, uncompressed) = (&input[start + consumed..], &output[..produced]);
    let (sum, after) = match header_kind {
        HeaderKind::Zlib => {
            let sum = checksum::adler(1, uncompressed);
            (trailer.first_chunk() == Some(&sum.to_be_bytes())).then_some((Some(sum), 4))
        }
        HeaderKind::Gzip => {
            let sum = checksum::crc(0, uncompressed);
            let len = (uncompressed.len() as u32).to_le_bytes();
            let is_right = trailer.starts_with(&sum.to_le_bytes()) && trailer.get(4..8) == Some(&len);
            is_right.then_some((Some(sum), 8))
        }
        _ => Some((None, 0)),
    }?;
    Some(OneShot { read: start + consumed + after, written: produced, header_kind, sum, path })
}

impl Open<'_, State> {
    /// Decodes a stream that begins and ends in this call. Returns the code and the path for the
    /// statistics; `None` if it does not end.
    pub fn decode_one_shot(&mut self, flush: c_int) -> Option<(c_int, Path)> {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let is_asked_to_stop = flush >= Z_BLOCK;
        if !settings().accelerate {
            return None;
        }
        let is_usual = state.header.is_null() && (state.wrap == 0 || state.wrap & wrap::CHECKED != 0);
        if !is_usual || is_asked_to_stop || strm.next_in.is_null() || strm.next_out.is_null() {
            return None;
        }
        let backoff = &BACKOFF[usize::from(flush == Z_FINISH)];
        if !backoff.should_try() {
            return None;
        }
        // SAFETY: the caller's buffers are as long as it says; the output is written before it is
        // read.
        let (input, output) = unsafe {
            (
                slice::from_raw_parts(strm.next_in, strm.avail_in as usize),
                slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize),
            )
        };
        let Some(one_shot) = decode(input, output, state.wrap, state.window_bits) else {
            backoff.failed();
            return None;
        };
        backoff.succeeded();
        let OneShot { read, written, header_kind, sum, path } = one_shot;
        strm.next_in = input[read..].as_ptr();
        strm.avail_in -= read as u32;
        strm.total_in += read as u64;
        strm.next_out = output[written..].as_mut_ptr();
        strm.avail_out -= written as u32;
        strm.total_out += written as u64;
        strm.data_type = ENDED;
        if let Some(sum) = sum {
            strm.adler = sum.into();
        }
        state.retain(&output[..written], flush);
        (state.header_kind, state.has_ended) = (header_kind, true);
        Some((Z_STREAM_END, path))
    }
}
