//! Level policy: chooses between the block encoder and libdeflate.

use crate::deflate::isa::IsaLevel;
use crate::deflate::sys::Compressor;
use crate::deflate::{BitWriter, BlockEncoder, Window, gzip, zlib};
use crate::{Error, Format, Level};

/// Encodes all three formats.
pub(crate) struct Encoder {
    /// The fastest steps that `block_encoder` may take.
    isa_level: IsaLevel,
    /// libdeflate's tables, for the levels that were used last.
    libdeflate: [Option<(i32, Compressor)>; MAX_KEPT],
    /// Number of tables that are kept: one, or [`MAX_KEPT`] once some were reserved.
    kept: usize,
    /// The next one to be replaced.
    next: usize,
    block_encoder: Option<BlockEncoder>,
}

/// Shortest input, by level, for the block encoder. Below it the fixed costs of a block, its codes
/// and the first bytes of each lane, outweigh the faster search.
/// From level 6 on, inputs of this length are also sampled by [`BlockEncoder::suits`]. Figures are
/// in docs/deflate.md.
const MIN_LEN: [usize; MAX_BLOCK_LEVEL as usize + 1] =
    [usize::MAX, 7 << 9, 7 << 9, 7 << 9, 7 << 9, 16 << 10, 48 << 10, 48 << 10, 48 << 10, 48 << 10];

/// Shortest input with no more than AVX2: the fixed costs outweigh more there.
const MIN_LEN_WITH_AVX2: usize = 8 << 10;

/// Maximum level that needs no sample: up to it the block encoder is ahead on all measured data.
const MAX_UNSAMPLED_LEVEL: i32 = 5;

/// Maximum level of the block encoder.
const MAX_BLOCK_LEVEL: i32 = 9;

/// Most tables of libdeflate that are kept: one for each level, so that none which was reserved is
/// freed for another.
const MAX_KEPT: usize = 13;

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
        Self { isa_level, libdeflate: [const { None }; MAX_KEPT], kept: 1, next: 0, block_encoder: None }
    }

    /// Reserves the memory for inputs of up to `len` bytes, with libdeflate at `levels`.
    pub(crate) fn reserve(&mut self, levels: &[i32], len: usize) -> Result<(), Error> {
        self.blocks().reserve(len)?;
        self.kept = MAX_KEPT;
        levels.iter().try_for_each(|&level| self.libdeflate(Level::new(Format::Deflate, level)?).map(drop))
    }

    /// Returns the block encoder, made when it is first needed.
    fn blocks(&mut self) -> &mut BlockEncoder {
        match &mut self.block_encoder {
            Some(block_encoder) => block_encoder,
            empty => insert(empty, self.isa_level),
        }
    }

    /// Returns the block encoder if it is ahead of libdeflate, which compresses the remaining
    /// inputs.
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
        if value > STORED && self.blocks().is_incompressible(input) {
            let done = contained(self.blocks(), Window::FULL, level, STORED, input, output)?;
            return done.ok_or(too_small);
        }
        self.libdeflate(level)?.compress(format, input, output).ok_or(too_small)
    }

    /// Returns libdeflate's compressor for a level.
    pub(in crate::deflate) fn libdeflate(&mut self, level: Level) -> Result<&mut Compressor, Error> {
        let (format, value) = (level.format(), level.value());
        let is_of = |kept: &Option<(i32, Compressor)>| kept.as_ref().is_some_and(|(of, _)| *of == value);
        let place = match self.libdeflate.iter().position(is_of) {
            Some(place) => place,
            None => {
                let place = self.next;
                self.next = (place + 1) % self.kept;
                // The old tables go first, so that no more are held at once.
                self.libdeflate[place] = None;
                self.libdeflate[place] = Compressor::new(value).map(|made| (value, made));
                place
            }
        };
        let compressor = self.libdeflate[place].as_mut().map(|(_, compressor)| compressor);
        compressor.ok_or(Error::OutOfMemory { format })
    }

    /// Compresses as [`Self::compress`] does, with matches of at most `window` bytes back.
    /// libdeflate has one window only, so the block encoder takes every level; its last one stands
    /// for those above.
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

/// Makes a block encoder. Only this call has it on the stack.
#[cold]
#[inline(never)]
fn insert(to: &mut Option<BlockEncoder>, isa_level: IsaLevel) -> &mut BlockEncoder {
    to.insert(BlockEncoder::with_isa_level(isa_level))
}

/// Writes a stream in the container of `level`, with blocks of level `of_blocks`. Returns its
/// length, or `None` if it does not fit.
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
