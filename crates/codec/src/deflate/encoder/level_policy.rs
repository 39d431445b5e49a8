//! Which coder compresses at which level.

use super::heuristics::is_incompressible;
use crate::deflate::isa::IsaLevel;
use crate::deflate::sys::Compressor;
use crate::deflate::{BitWriter, BlockEncoder, Window, gzip, zlib};
use crate::{Error, Format, Level};

/// Encodes all three formats.
pub(crate) struct Encoder {
    /// The fastest steps that `block_encoder` may take.
    isa_level: IsaLevel,
    /// libdeflate's tables, for the level that was used last.
    libdeflate: Option<(i32, Compressor)>,
    block_encoder: Option<BlockEncoder>,
}

/// Inputs from this length on are for `coder/`, by level: below it, they are larger than libdeflate's or take longer, as what goes into a
/// block whatever it holds, codes and the first bytes of lanes, is more. Measured over six kinds of data on a Xeon, at levels 1, 2 and 4 1.17, 1.6 and
/// 1.28 times libdeflate's speed for 4 KB and no more bytes, 1.08, 1.44 and 1.11 times and 0.6% more for 3 KB; before, at level 5 for 16 KB 1.34 times and
/// 0.4% more. Blocks of 4 KB, as databases have them, mostly are a little shorter. From level 6 on, they are looked at by
/// [`BlockEncoder::suits`]: a sixth of libdeflate's time for 16 KB, a thirtieth for 64 KB.
const MIN_LEN: [usize; MAX_BLOCK_LEVEL as usize + 1] =
    [usize::MAX, 7 << 9, 7 << 9, 7 << 9, 7 << 9, 16 << 10, 48 << 10, 48 << 10, 48 << 10, 48 << 10];

/// With no more than AVX2, inputs are from this length on: on a Zen 3, levels 1 and 4 have 0.9 and 0.7 of libdeflate's speed at 4 KB, and 1.1 and 1.04
/// times that at 8 KB.
const MIN_LEN_WITH_AVX2: usize = 8 << 10;

/// Levels up to this one are taken without a look at the data: they are ahead of libdeflate's on all kinds that are measured.
const MAX_UNSAMPLED_LEVEL: i32 = 5;

/// The highest level of `coder/`.
const MAX_BLOCK_LEVEL: i32 = 9;

/// The level that stores.
const STORED: i32 = 0;

impl Default for Encoder {
    fn default() -> Self {
        Self::with_isa_level(IsaLevel::Avx512)
    }
}

impl Encoder {
    /// An encoder that has no faster steps than these.
    pub(crate) const fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self { isa_level, libdeflate: None, block_encoder: None }
    }

    /// The coder of `coder/`, made when it is first needed.
    fn blocks(&mut self) -> &mut BlockEncoder {
        self.block_encoder.get_or_insert_with(|| BlockEncoder::with_isa_level(self.isa_level))
    }

    /// The coder of `coder/`, if it is ahead of libdeflate (docs/deflate.md), which compresses what is left.
    fn block_encoder(&mut self, level: i32, input: &[u8]) -> Option<&mut BlockEncoder> {
        let min_len = usize::try_from(level).ok().and_then(|level| MIN_LEN.get(level).copied());
        if min_len.is_none_or(|min_len| input.len() < min_len) {
            return None;
        }
        let block_encoder = self.blocks();
        if block_encoder.isa_level() < IsaLevel::Avx512 && input.len() < MIN_LEN_WITH_AVX2 {
            return None;
        }
        let is_ahead = block_encoder.is_accelerated(level)
            && (level <= MAX_UNSAMPLED_LEVEL || block_encoder.suits(level, input));
        is_ahead.then_some(block_encoder)
    }

    pub(crate) fn compress(&mut self, level: Level, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let (format, value) = (level.format(), level.value());
        let capacity = output.len();
        let too_small = Error::OutputTooSmall { format, room: capacity };
        if let Some(block_encoder) = self.block_encoder(value, input) {
            return contained(block_encoder, Window::FULL, level, value, input, output)?.ok_or(too_small);
        }
        // libdeflate matches that out by compressing: at level 6 in nearly four times the time.
        if value > STORED && is_incompressible(input) {
            let done = contained(self.blocks(), Window::FULL, level, STORED, input, output)?;
            return done.ok_or(too_small);
        }
        let compressor = match &mut self.libdeflate {
            Some((last, compressor)) if *last == value => compressor,
            other => {
                // The old tables go first, so that two levels' are never held at once.
                *other = None;
                let made = Compressor::new(value).ok_or(Error::OutOfMemory { format })?;
                &mut other.insert((value, made)).1
            }
        };
        compressor.compress(format, input, output).ok_or(too_small)
    }

    /// As [`Self::compress`], with no match that reaches farther back than `window`. libdeflate has one window only, so this
    /// is all for `coder/`, whose last level takes the place of those above it.
    pub(crate) fn compress_within(
        &mut self,
        level: Level,
        window: Window,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Error> {
        if window == Window::FULL {
            return self.compress(level, input, output);
        }
        let (format, capacity) = (level.format(), output.len());
        let block_encoder = self.blocks();
        let of_blocks = level.value().min(MAX_BLOCK_LEVEL);
        let done = contained(block_encoder, window, level, of_blocks, input, output)?;
        done.ok_or(Error::OutputTooSmall { format, room: capacity })
    }
}

/// A stream in its container, which is `level`'s, with the blocks of a level of `coder/`; how long it is, or `None` if it does not fit.
fn contained(
    block_encoder: &mut BlockEncoder,
    window: Window,
    level: Level,
    of_blocks: i32,
    input: &[u8],
    output: &mut [u8],
) -> Result<Option<usize>, Error> {
    let format = level.format();
    let header: &[u8] = match format {
        Format::Zlib => &zlib::header(level.value(), window),
        Format::Gzip => &gzip::HEADER,
        _ => &[],
    };
    let Some((start, rest)) = output.split_at_mut_checked(header.len()) else { return Ok(None) };
    start.copy_from_slice(header);
    let mut bits = BitWriter::new(rest);
    block_encoder.set_window(window);
    match block_encoder.deflate_block(input, &[], of_blocks, true, &mut bits) {
        Ok(()) => {}
        Err(Error::OutputTooSmall { .. }) => return Ok(None),
        Err(error) => return Err(error),
    }
    let Some(len) = bits.finish() else { return Ok(None) };
    let end = header.len() + len;
    let trailer: &[u8] = match format {
        Format::Zlib => &zlib::trailer(input),
        Format::Gzip => &gzip::trailer(input),
        _ => &[],
    };
    let Some(capacity) = output.get_mut(end..end + trailer.len()) else { return Ok(None) };
    capacity.copy_from_slice(trailer);
    Ok(Some(end + trailer.len()))
}
