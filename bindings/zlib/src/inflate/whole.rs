//! A stream that is given whole, with room for all of it: such are decoded in half of zlib-rs's time and less, in segments or by
//! libdeflate.
//!
//! Nothing tells before whether it is whole. So the first call of a stream tries; if it isn't, or anything is wrong with it,
//! nothing was consumed, and zlib-rs begins at its beginning.

use std::ffi::c_int;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use libz_rs_sys::{Z_BLOCK, Z_FINISH, Z_STREAM_END};
use pelton_codec::RawDecoder;

use super::state::State;
use super::wrap::{self, Seen};
use crate::checksum;
use crate::pool::Pool;
use crate::settings::settings;
use crate::stream::Open;

/// The decoders of the process.
static DECODERS: Pool<RawDecoder> = Pool::new();

/// How often in a row it was tried in vain, with Z_FINISH and without: programs that read streams in pieces always do.
static IN_VAIN: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
/// After so many times in vain, one in as many is tried.
const PATIENCE: u32 = 16;

/// What `data_type` says of a stream that has ended: its last block has.
const ENDED: c_int = 64;

/// A container's header, if it is whole and usual: its length, and what the container is.
pub fn header(input: &[u8], wrap: c_int, window_bits: c_int) -> Option<(usize, Seen)> {
    if wrap & (wrap::ZLIB | wrap::GZIP) == 0 {
        return Some((0, Seen::Nothing));
    }
    let &[first, second, ..] = input else { return None };
    let is_zlib = first & 15 == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
    if wrap & wrap::ZLIB != 0 && is_zlib {
        let window = c_int::from(first >> 4) + 8;
        let is_right =
            second & 0x20 == 0 && window <= 15 && (window_bits & 15 == 0 || window <= window_bits & 15);
        return is_right.then_some((2, Seen::Zlib));
    }
    if wrap & wrap::GZIP == 0 || [first, second] != [0x1f, 0x8b] {
        return None;
    }
    let (&[8, flags], rest) = input.get(2..)?.split_first_chunk()? else { return None };
    // A header that has a checksum of its own, or flags that nobody has given a meaning, is for zlib-rs.
    if flags & 0b1110_0010 != 0 {
        return None;
    }
    let mut rest = rest.get(6..)?;
    if flags & 4 != 0 {
        let (len, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            rest = &rest[rest.iter().position(|&byte| byte == 0)? + 1..];
        }
    }
    Some((input.len() - rest.len(), Seen::Gzip))
}

/// Decodes a whole stream: what was read and written, what was around it, and the checksum that zlib would tell.
fn decode(
    input: &[u8],
    output: &mut [u8],
    wrap: c_int,
    window_bits: c_int,
) -> Option<(usize, usize, Seen, Option<u32>)> {
    let (start, seen) = header(input, wrap, window_bits)?;
    let body = DECODERS.with(RawDecoder::new, |decoder| decoder.decompress(&input[start..], output))??;
    let (trailer, plain) = (&input[start + body.consumed..], &output[..body.produced]);
    let read = start + body.consumed;
    match seen {
        Seen::Zlib => {
            let sum = checksum::adler(1, plain);
            (trailer.first_chunk() == Some(&sum.to_be_bytes())).then_some((
                read + 4,
                body.produced,
                seen,
                Some(sum),
            ))
        }
        Seen::Gzip => {
            let sum = checksum::crc(0, plain);
            let len = (plain.len() as u32).to_le_bytes();
            let is_right = trailer.starts_with(&sum.to_le_bytes()) && trailer.get(4..8) == Some(&len);
            is_right.then_some((read + 8, body.produced, seen, Some(sum)))
        }
        _ => Some((read, body.produced, seen, None)),
    }
}

impl Open<'_, State> {
    /// Decodes a stream that begins with this call and ends in it; none if it doesn't.
    pub fn decode_whole(&mut self, flush: c_int) -> Option<c_int> {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let is_asked_to_stop = flush >= Z_BLOCK;
        if !settings().accelerate {
            return None;
        }
        let is_plain = state.header.is_null() && (state.wrap == 0 || state.wrap & wrap::CHECKED != 0);
        if !is_plain || is_asked_to_stop || strm.next_in.is_null() || strm.next_out.is_null() {
            return None;
        }
        let in_vain = &IN_VAIN[usize::from(flush == Z_FINISH)];
        let times = in_vain.load(Ordering::Relaxed);
        if times >= PATIENCE && !times.is_multiple_of(PATIENCE) {
            in_vain.store(times.wrapping_add(1), Ordering::Relaxed);
            return None;
        }
        // SAFETY: the caller's buffers are as long as it says; the output is written before it is read.
        let (input, output) = unsafe {
            (
                slice::from_raw_parts(strm.next_in, strm.avail_in as usize),
                slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize),
            )
        };
        let Some((read, written, seen, sum)) = decode(input, output, state.wrap, state.window_bits) else {
            in_vain.store(times.wrapping_add(1), Ordering::Relaxed);
            return None;
        };
        in_vain.store(0, Ordering::Relaxed);
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
        state.keep(&output[..written], flush);
        (state.seen, state.has_ended) = (seen, true);
        Some(Z_STREAM_END)
    }
}
