//! Zstandard frames (RFC 8878), on the reference implementation through `zstd-safe`.

use std::ops::Range;

use zstd_safe::zstd_sys::ZSTD_ErrorCode as Code;
use zstd_safe::{CCtx, DCtx, ErrorCode};

use crate::{Error, Format, Level, Progress};

const FORMAT: Format = Format::Zstd;
/// Magic_Number of a Zstandard frame, little-endian.
const FRAME: u32 = 0xFD2F_B528;
/// Magic_Number of a skippable frame: these sixteen, 0x184D2A50 to 0x184D2A5F.
const SKIPPABLE: u32 = 0x184D_2A50;
const SKIPPABLE_MASK: u32 = 0xFFFF_FFF0;
/// Bytes of a block's header.
const BLOCK_HEADER: usize = 3;
/// Block_Maximum_Size where the window is not smaller.
const MOST_IN_BLOCK: u64 = 128 << 10;
/// The largest window that the library takes on 32 bits (`ZSTD_WINDOWLOG_MAX_32`); on 64 it takes
/// twice as much.
const MOST_WINDOW_LOG: u64 = 30;

/// Keeps a decompression context. It never holds a window: whole frames are decoded in place in the
/// output, so a frame that claims a large window or content costs nothing.
#[derive(Default)]
pub(crate) struct Decoder(Option<DCtx<'static>>);

impl Decoder {
    /// Decodes frames until other bytes follow.
    pub(crate) fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, Error> {
        let context = match &mut self.0 {
            Some(context) => context,
            empty => empty.insert(DCtx::try_create().ok_or(Error::OutOfMemory { format: FORMAT })?),
        };
        let room = output.len();
        let mut done = Progress::default();
        loop {
            let rest = &input[done.consumed..];
            match starts_frame(rest) {
                true => {}
                false if done.consumed > 0 => return Ok(done),
                false if rest.len() < size_of::<u32>() => return Err(Error::Truncated { format: FORMAT }),
                false => return Err(corrupt("not a Zstandard frame")),
            }
            // Walks the headers of the frame's blocks, and so tells a truncated frame from a
            // corrupt one.
            let frame = zstd_safe::find_frame_compressed_size(rest).map_err(|e| match e {
                e if is(e, Code::ZSTD_error_srcSize_wrong) => Error::Truncated { format: FORMAT },
                e => corrupt(zstd_safe::get_error_name(e)),
            })?;
            done.produced +=
                context.decompress(&mut output[done.produced..], &rest[..frame]).map_err(|e| match e {
                    e if is(e, Code::ZSTD_error_dstSize_tooSmall) => {
                        Error::OutputTooSmall { format: FORMAT, room }
                    }
                    e if is(e, Code::ZSTD_error_memory_allocation) => Error::OutOfMemory { format: FORMAT },
                    e => corrupt(zstd_safe::get_error_name(e)),
                })?;
            done.consumed += frame;
        }
    }
}

/// Where the bytes lie of a single frame of a single raw block, without a checksum (RFC 8878,
/// 3.1.1).
pub(crate) fn stored(input: &[u8]) -> Option<Range<usize>> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
    let mut at = 0;
    let mut take = |bytes: usize| {
        let taken = input.get(at..at + bytes)?;
        at += bytes;
        Some(number(taken))
    };
    if take(size_of_val(&FRAME))? != u64::from(FRAME) {
        return None;
    }
    // Frame_Content_Size_flag, Single_Segment_flag, then an unused, a reserved and a checksum's
    // bit, Dictionary_ID_flag.
    let descriptor = take(1)?;
    if descriptor & 0x0f != 0 {
        return None;
    }
    let (flag, is_single) = (descriptor >> 6, descriptor & 0x20 != 0);
    // A single segment says its size, and its window is as large; others may say it.
    let window = if is_single { None } else { Some(window(take(1)?)?) };
    let content = match (flag, is_single) {
        (0, false) => None,
        (1, _) => Some(take(2)? + 256),
        (flag, _) => Some(take(1 << flag)?),
    };
    let header = take(BLOCK_HEADER)?;
    // Last_Block, and Block_Type 0.
    let (is_raw, block) = (header & 0b111 == 1, header >> 3);
    let most = window.or(content).map_or(MOST_IN_BLOCK, |window| window.min(MOST_IN_BLOCK));
    let is_whole = content.is_none_or(|content| content == block) && block == (input.len() - at) as u64;
    (is_raw && is_whole && block <= most).then_some(at..input.len())
}

/// Window_Size, from its descriptor (RFC 8878, 3.1.1.1.2), if the library takes one so large.
fn window(descriptor: u64) -> Option<u64> {
    let log = 10 + (descriptor >> 3);
    let base = 1 << log;
    (log <= MOST_WINDOW_LOG).then(|| base + base / 8 * (descriptor & 7))
}

fn starts_frame(input: &[u8]) -> bool {
    input.first_chunk().is_some_and(|magic| {
        let magic = u32::from_le_bytes(*magic);
        magic == FRAME || magic & SKIPPABLE_MASK == SKIPPABLE
    })
}

/// Keeps a compression context.
#[derive(Default)]
pub(crate) struct Encoder(Option<CCtx<'static>>);

impl Encoder {
    pub(crate) fn compress(&mut self, level: Level, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let context = match &mut self.0 {
            Some(context) => context,
            empty => empty.insert(CCtx::try_create().ok_or(Error::OutOfMemory { format: FORMAT })?),
        };
        let room = output.len();
        context.compress(output, input, level.value()).map_err(|e| match e {
            e if is(e, Code::ZSTD_error_dstSize_tooSmall) => Error::OutputTooSmall { format: FORMAT, room },
            _ => Error::OutOfMemory { format: FORMAT },
        })
    }
}

/// The library returns an error's code negated.
fn is(error: ErrorCode, code: Code) -> bool {
    error == (code as usize).wrapping_neg()
}

fn corrupt(what: &'static str) -> Error {
    Error::Corrupt { format: FORMAT, what }
}

pub(crate) fn compress_bound(len: usize) -> usize {
    zstd_safe::compress_bound(len)
}
