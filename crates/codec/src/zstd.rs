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

/// Keeps a decompression context. It never holds a window: whole frames are decoded in place in the output, so a
/// frame that claims a large window or content costs nothing.
#[derive(Default)]
pub(crate) struct Decoder(Option<DCtx<'static>>);

impl Decoder {
    /// Decodes frames until what follows is not another one.
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
            // Walks the headers of the frame's blocks, and so tells a truncated frame from a corrupt one.
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

/// Where the bytes lie of a single frame of a single raw block (RFC 8878, 3.1.1), without a checksum.
pub(crate) fn stored(input: &[u8]) -> Option<Range<usize>> {
    let magic = input.first_chunk()?;
    let &descriptor = input.get(magic.len())?;
    // Frame_Content_Size_flag, Single_Segment_flag, then an unused, a reserved and a checksum's bit, Dictionary_ID_flag.
    let is_single = descriptor & 0x20 != 0;
    if u32::from_le_bytes(*magic) != FRAME || descriptor & 0x0f != 0 || !is_single {
        return None;
    }
    // A single segment says its size, in one byte if the flag is 0, and its window is as large.
    let (size, from) = (1 << (descriptor >> 6), magic.len() + 1);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
    let content = number(input.get(from..from + size)?) + if size == 2 { 256 } else { 0 };
    let header = number(input.get(from + size..)?.get(..BLOCK_HEADER)?);
    // Last_Block, and Block_Type 0.
    let is_raw = header & 0b111 == 1;
    let (block, start) = (header >> 3, from + size + BLOCK_HEADER);
    let is_whole = block == content && block <= MOST_IN_BLOCK && block == (input.len() - start) as u64;
    (is_raw && is_whole).then_some(start..input.len())
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
