//! Zstandard frames (RFC 8878), on the reference implementation through `zstd-safe`.

use zstd_safe::zstd_sys::ZSTD_ErrorCode as Code;
use zstd_safe::{CCtx, DCtx, ErrorCode};

use crate::{Error, Format, Level, Progress};

const FORMAT: Format = Format::Zstd;
/// Magic_Number of a Zstandard frame, little-endian.
const FRAME: u32 = 0xFD2F_B528;
/// Magic_Number of a skippable frame: these sixteen, 0x184D2A50 to 0x184D2A5F.
const SKIPPABLE: u32 = 0x184D_2A50;
const SKIPPABLE_MASK: u32 = 0xFFFF_FFF0;

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
