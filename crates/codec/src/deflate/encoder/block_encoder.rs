//! Encoder of DEFLATE blocks that join at the bit.

use super::bit_writer::BitWriter;
use super::dispatch::Isa;
use super::heuristics;
use super::levels::{
    self, EncoderParameters, LEVELS, LevelParameters, SEQUENTIAL_LEVELS, Window, parameters_of, reserve,
};
use crate::deflate::encoder::block::writer::{Blocks, Input, write_stored};
use crate::deflate::encoder::parser::fastest::encode::FastestParser;
use crate::deflate::encoder::parser::greedy::GreedyParser;
use crate::deflate::encoder::parser::greedy::probe::probe_len;
use crate::deflate::encoder::parser::near_optimal::encode::NearOptimalParser;
use crate::deflate::encoder::parser::sequential::encode::SequentialParser;
use crate::deflate::encoder::scratch::Scratch;
use crate::deflate::isa::IsaLevel;
use crate::{Error, Format};

/// Bytes of the sample from the middle of an input: little against the time of level 6.
const SAMPLE: usize = 8 << 10;
/// Parameters of the search in the sample.
const SAMPLE_PARAMETERS: EncoderParameters = EncoderParameters { ways: [1, 0], bits: 14, skip: 0, passes: 1 };
/// Hundredths of bytes per token of the sample from which on data is repetitive. Rows and JSON are
/// mostly below, source code above.
const REPETITIVE: usize = 415;

/// Parameters for numbers of a fixed width, at level 6 and above it. Chains find equal numbers at
/// any distance; buckets fill up with the bytes that all numbers have in common.
const NUMERIC: [LevelParameters; 2] = [LEVELS[2], LEVELS[3]];
/// Maximum level at which these are ahead of libdeflate.
const MAX_NUMERIC_LEVEL: i32 = 6;

/// Parameters for words of four bytes, at levels 6 to 8. Those levels search every other position
/// by the bytes after it, and so miss words at even positions.
const FOUR_BYTE_WORDS: LevelParameters = LEVELS[2];

/// Compresses blocks that join at the bit, keeping its state between them. One for a thread.
///
/// Its memory: for the greedy levels, the hash table, chain links of a window and a chunk, and the
/// steps of lanes; for the others, the matches of a chunk and the buckets; about a megabyte either
/// way. In addition up to four bytes for each byte of a block, and a copy of an input that has
/// history.
pub struct BlockEncoder {
    isa: Isa,
    window: Window,
    near_optimal: NearOptimalParser,
    greedy: GreedyParser,
    sequential: SequentialParser,
    fastest: FastestParser,
    blocks: Blocks,
    joined: Vec<u8>,
}

impl Default for BlockEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BlockEncoder {
    /// Added to a level of zlib: the block is searched one position after the other, as zlib does
    /// it, and has about zlib's size at that level on all data. It takes less time than levels 6
    /// to 9 where data repeats much.
    pub const SEQUENTIAL: i32 = levels::SEQUENTIAL;

    /// Returns an encoder at the highest ISA level of this processor. Memory is reserved when it
    /// compresses.
    pub fn new() -> Self {
        Self::with_isa_level(IsaLevel::Avx512)
    }

    /// Returns an encoder at this ISA level, or at the highest one below that this processor has.
    /// The output is the same at every level.
    pub fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self {
            isa: Isa::with(isa_level),
            window: Window::FULL,
            near_optimal: NearOptimalParser::new(),
            greedy: GreedyParser::new(),
            sequential: SequentialParser::new(),
            fastest: FastestParser::new(),
            blocks: Blocks::new(),
            joined: Vec::new(),
        }
    }

    /// Reserves the memory for blocks of `len` bytes, history included, at every level: no call
    /// needs more.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn reserve(&mut self, len: usize) -> Result<(), Error> {
        let has_vectors = self.isa_level() != IsaLevel::Portable;
        // The sequential levels need the same memory.
        LEVELS
            .iter()
            .chain(&SEQUENTIAL_LEVELS[..2])
            .try_for_each(|level| match *level {
                LevelParameters::Greedy(parameters) => {
                    self.greedy.reserve(&mut self.blocks, parameters, len, has_vectors)
                }
                LevelParameters::NearOptimal(parameters) => {
                    self.near_optimal.reserve(&mut self.blocks, parameters, len)
                }
                LevelParameters::Sequential(_) => self.sequential.reserve(&mut self.blocks, len),
                LevelParameters::Fastest => self.fastest.reserve(&mut self.blocks, len),
            })
            .map_err(|_| Error::OutOfMemory { format: Format::Deflate })
    }

    /// Returns its ISA level.
    pub fn isa_level(&self) -> IsaLevel {
        self.isa.isa_level()
    }

    /// Returns whether a level runs in vectors here. If not, this encoder is slower than
    /// libdeflate.
    pub fn is_accelerated(&self, level: i32) -> bool {
        self.isa_level() != IsaLevel::Portable && parameters_of(level).is_some()
    }

    /// Returns whether the middle of an input resembles numbers of 8 bytes with similar high bytes,
    /// which the greedy levels compress less than other encoders' deeper ones.
    pub fn is_numeric(input: &[u8]) -> bool {
        heuristics::is_numeric(middle(input))
    }

    /// Returns whether the start, the middle and the end of an input repeat words of six bytes and
    /// more, which levels 1 to 5 find, rather than shorter ones, which they mostly miss. `false`
    /// without memory.
    pub fn repeats_long_words(&mut self, input: &[u8]) -> bool {
        let scratch = self.blocks.scratch.reserved();
        scratch.is_some_and(|scratch| heuristics::repeats_long_words(input, &mut scratch.repeats))
    }

    /// Returns whether neither codes nor matches make an input of 2 to 48 KB shorter by a
    /// hundredth, as with encrypted or compressed bytes. `false` for other lengths and without
    /// memory.
    pub fn is_incompressible(&mut self, input: &[u8]) -> bool {
        let scratch = self.blocks.scratch.reserved();
        scratch.is_some_and(|scratch| heuristics::is_incompressible(input, &mut scratch.repeats))
    }

    /// Limits the distance of matches, from the next call on.
    pub fn set_window(&mut self, window: Window) {
        self.window = window;
    }

    /// Compresses `input` as one block or several; the last of them is marked as the stream's last
    /// if `is_last`. Levels are 0 to 9, and those of the sequential parser ([`Self::SEQUENTIAL`]).
    /// Matches may reach into the end of `history`, the uncompressed data before the input.
    ///
    /// # Errors
    /// `BadLevel`, `OutOfMemory`, and `OutputTooSmall` if the blocks don't fit; the bytes written
    /// until then are useless. The blocks take at most five bytes more than the input, plus six for
    /// each 16 KB of it.
    pub fn deflate_block(
        &mut self,
        input: &[u8],
        history: &[u8],
        level: i32,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Result<(), Error> {
        let history = &history[history.len().saturating_sub(self.window.bytes())..];
        if history.is_empty() {
            return self.deflate_after(input, 0, level, is_last, to);
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        if reserve(&mut joined, history.len() + input.len()).is_err() {
            return Err(Error::OutOfMemory { format: Format::Deflate });
        }
        joined.extend_from_slice(history);
        joined.extend_from_slice(input);
        let done = self.deflate_after(&joined, history.len(), level, is_last, to);
        self.joined = joined;
        done
    }

    /// Compresses the bytes of `uncompressed` from `start` on as [`Self::deflate_block`] does, with
    /// the bytes before `start` as history, without a copy.
    ///
    /// # Errors
    /// As for [`Self::deflate_block`].
    ///
    /// # Panics
    /// If `uncompressed` is shorter than `start`.
    pub fn deflate_after(
        &mut self,
        uncompressed: &[u8],
        start: usize,
        level: i32,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Result<(), Error> {
        let format = Format::Deflate;
        let capacity = (to.remaining_bits() / 8) as usize;
        let done = match level {
            0 => write_stored(&uncompressed[start..], is_last, to),
            level => {
                let Some(parameters) = parameters_of(level) else {
                    return Err(Error::BadLevel { format, level });
                };
                let window = self.window.bytes();
                let from = start.min(window);
                let buffer = &uncompressed[start - from..];
                let memory = |reserved: Result<_, _>| reserved.map_err(|_| Error::OutOfMemory { format });
                let parameters = match parameters {
                    LevelParameters::NearOptimal(_) if Self::is_numeric(&buffer[from..]) => {
                        NUMERIC[usize::from(level > MAX_NUMERIC_LEVEL)]
                    }
                    LevelParameters::NearOptimal(EncoderParameters { skip: 1, .. })
                        if repeats_four_byte_words(&buffer[from..], &mut self.blocks) =>
                    {
                        FOUR_BYTE_WORDS
                    }
                    parameters => parameters,
                };
                let input = Input { buffer, from, window, is_last };
                let (isa, blocks) = (self.isa, &mut self.blocks);
                match parameters {
                    LevelParameters::Greedy(parameters) => {
                        let has_vectors = isa.isa_level() != IsaLevel::Portable;
                        memory(self.greedy.reserve(blocks, parameters, buffer.len(), has_vectors))?;
                        self.greedy.encode(isa, blocks, input, parameters, to)
                    }
                    LevelParameters::NearOptimal(parameters) => {
                        memory(self.near_optimal.reserve(blocks, parameters, buffer.len()))?;
                        self.near_optimal.encode(isa, blocks, input, parameters, to)
                    }
                    LevelParameters::Sequential(parameters) => {
                        memory(self.sequential.reserve(blocks, buffer.len()))?;
                        self.sequential.encode(isa, blocks, input, parameters, to)
                    }
                    LevelParameters::Fastest => {
                        memory(self.fastest.reserve(blocks, buffer.len()))?;
                        self.fastest.encode(isa, blocks, input, to)
                    }
                }
            }
        };
        done.ok_or(Error::OutputTooSmall { format, room: capacity })
    }

    /// Returns whether a level from 6 up is ahead of libdeflate for data like the middle of this
    /// input. From 7 on it is not for columns of floats, where libdeflate's deeper search finds
    /// more, nor is any of them for repetitive data, where searching every position is a waste.
    pub(crate) fn suits(&mut self, level: i32, input: &[u8]) -> bool {
        let sample = middle(input);
        if heuristics::is_numeric(sample) {
            return level <= MAX_NUMERIC_LEVEL;
        }
        let blocks = &mut self.blocks;
        if self.near_optimal.reserve(blocks, SAMPLE_PARAMETERS, sample.len()).is_err() {
            return false;
        }
        let tokens =
            self.near_optimal.count_lazy_tokens(self.isa, SAMPLE_PARAMETERS, sample, &mut blocks.tokens);
        // In hundredths, so that it is the same on every processor.
        sample.len() * 100 < tokens * REPETITIVE
    }
}

/// Returns whether an input that is long enough begins with words of four bytes, and has them in
/// its middle too.
fn repeats_four_byte_words(uncompressed: &[u8], blocks: &mut Blocks) -> bool {
    if uncompressed.len() < SAMPLE / 4 {
        return false;
    }
    let len = probe_len(uncompressed.len());
    let middle = middle(uncompressed);
    let Some(Scratch { repeats, .. }) = blocks.scratch.reserved() else { return false };
    heuristics::repeats_aligned_fours(&uncompressed[..len], repeats)
        && heuristics::repeats_aligned_fours(&middle[..len.min(middle.len())], repeats)
}

/// Returns the sample from the middle of an input.
fn middle(input: &[u8]) -> &[u8] {
    let middle = input.len() / 2;
    &input[middle.saturating_sub(SAMPLE / 2)..(middle + SAMPLE / 2).min(input.len())]
}

// -- Parts -------------------------------------------------------------------------------------

/// Maximum level of blocks.
const MAX_LEVEL: i32 = 9;

/// Returns the maximum length of the blocks of `len` bytes, as a part or as a whole raw stream, by
/// any encoder: the bound of [`BlockEncoder::deflate_block`], the empty block at the end of a part,
/// and the slack of its writer.
pub fn part_bound(len: usize) -> usize {
    len + 16 + 6 * (len / (16 << 10) + 1)
}

impl BlockEncoder {
    /// Compresses the bytes of `uncompressed` from `start` on as a part of a raw stream, with the
    /// bytes before as history. No block is marked as the last, and the part ends with an empty
    /// stored block, so that the next part starts at a byte, as after zlib's `Z_SYNC_FLUSH`.
    /// Returns its length, at most [`part_bound`]. Levels from 10 up to [`Self::SEQUENTIAL`] are
    /// level 9.
    ///
    /// # Errors
    /// As for [`Self::deflate_block`].
    ///
    /// # Panics
    /// If `uncompressed` is shorter than `start`.
    pub fn deflate_part(
        &mut self,
        uncompressed: &[u8],
        start: usize,
        level: i32,
        output: &mut [u8],
    ) -> Result<usize, Error> {
        let capacity = output.len();
        let mut to = BitWriter::new(output);
        let level = if (MAX_LEVEL..=Self::SEQUENTIAL).contains(&level) { MAX_LEVEL } else { level };
        self.deflate_after(uncompressed, start, level, false, &mut to)?;
        to.close_byte().ok_or(Error::OutputTooSmall { format: Format::Deflate, room: capacity })?;
        Ok(to.pause().0)
    }
}

#[cfg(test)]
mod tests;
