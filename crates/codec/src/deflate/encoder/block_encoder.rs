//! The coder as others see it.

use std::collections::TryReserveError;

use super::bit_writer::BitWriter;
use super::dispatch::Isa;
use super::levels::{EncoderParameters, LEVELS, LevelParameters};
use super::match_finder::MatchFinder;
use super::symbols::{Match, Token, WINDOW};
use super::{fours, long_words, look};
use crate::deflate::encoder::block::blocks::Blocks;
use crate::deflate::encoder::block::writer;
use crate::deflate::encoder::parser::greedy;
use crate::deflate::encoder::parser::greedy::GreedyParser;
use crate::deflate::encoder::parser::near_optimal::Paths;
use crate::deflate::encoder::parser::near_optimal::encode::CHUNK;
use crate::deflate::isa::IsaLevel;
use crate::{Error, Format};

/// Bytes that [`BlockEncoder::suits`] looks at: a hundredth of the time that level 6 takes for 256 KB.
const SAMPLE: usize = 8 << 10;
/// How it does that.
const SAMPLE_PARAMETERS: EncoderParameters = EncoderParameters { ways: [1, 0], bits: 14, skip: 0, passes: 1 };
/// Hundredths of bytes a token in such a sample from which on data repeats a lot. Measured: TPC-H's rows 3.4 to 4.1, JSON 4.2
/// to 4.3, source code 4.0 to 6.4.
const REPETITIVE: usize = 415;

/// What numbers of a fixed width are compressed with at level 6, and above it: chains find what is equal at any distance, where
/// buckets are filled with what all numbers have in common. Doubles of one range, 64 KB: 2.72 at 159 MB/s and 2.73 at 109, with level 6's
/// buckets 2.63 at 44; deeper chains find no more.
const NUMERIC: [LevelParameters; 2] = [LEVELS[2], LEVELS[3]];
/// The last level at which these are ahead of libdeflate's: of 2.71 at 44 MB/s, but not of 2.75 at 27.
const MAX_NUMERIC_LEVEL: i32 = 6;

/// What words of four bytes are compressed with at levels 6 to 8: where every other position is searched by the bytes after it, those that begin
/// with an even position are not found. Numbers of four bytes, each one of 500, 64 KB: 2.17, where level 6 had 1.09. Deeper chains find no more.
const FOUR_BYTE_WORDS: LevelParameters = LEVELS[2];

/// The farthest back that matches may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The logarithm of its size in bytes.
    bits: u32,
}

impl Window {
    /// 4 KB: what Intel's IAA decompresses.
    pub const SMALL: Self = Self { bits: 12 };
    /// 32 KB, the format's limit.
    pub const FULL: Self = Self { bits: WINDOW.ilog2() };

    /// A window of 2^`bits` bytes: 512 to 32,768, the sizes that zlib has. `None` for others.
    pub const fn of_bits(bits: u32) -> Option<Self> {
        if matches!(bits, 9..=15) { Some(Self { bits }) } else { None }
    }

    /// The largest window of at most `bytes`. `None` below 512, the smallest that there is.
    pub const fn within(bytes: u32) -> Option<Self> {
        match bytes.checked_ilog2() {
            None => None,
            Some(bits) if bits > Self::FULL.bits => Some(Self::FULL),
            Some(bits) => Self::of_bits(bits),
        }
    }

    /// Its size.
    pub const fn bytes(self) -> usize {
        1 << self.bits
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::FULL
    }
}

/// Compresses blocks that join at the bit, keeping its state between them. One for a thread.
///
/// Its memory: at levels 1 to 5, up to 128 KB of links' ends, 200 KB of links and 256 KB of steps; from 6 on, 0.3 MB for what is found
/// in 16 KB and 0.3 to 0.8 MB of buckets; up to 4 bytes for each byte of a block of up to 1 MB, and a copy of what is compressed with
/// history.
pub struct BlockEncoder {
    pub(crate) isa: Isa,
    pub(crate) window: Window,
    pub(crate) match_finder: MatchFinder,
    pub(crate) matches: Vec<Match>,
    pub(crate) draft: Vec<Token>,
    /// What is stepped on where only its symbols are counted.
    pub(crate) steps: Vec<Token>,
    pub(crate) paths: Paths,
    pub(crate) greedy: GreedyParser,
    pub(crate) blocks: Blocks,
    joined: Vec<u8>,
}

impl Default for BlockEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BlockEncoder {
    /// An encoder with the fastest steps that this processor has. Its memory is asked for when it compresses.
    pub fn new() -> Self {
        Self::with_isa_level(IsaLevel::Avx512)
    }

    /// An encoder with no faster steps than these, and the fastest of those that this processor has. Its output is that of [`Self::new`].
    pub fn with_isa_level(isa_level: IsaLevel) -> Self {
        Self::with_isa(Isa::with(isa_level))
    }

    /// The steps that it takes.
    pub fn isa_level(&self) -> IsaLevel {
        self.isa.isa_level()
    }

    /// Whether there are faster steps than portable ones here for a level. If not, this coder is slower than libdeflate.
    pub fn is_accelerated(&self, level: i32) -> bool {
        self.isa_level() != IsaLevel::Portable && (1..=9).contains(&level)
    }

    /// Whether the middle of an input is like numbers of 8 bytes, all alike, which fast levels make larger than others' deeper ones do.
    pub fn is_numeric(input: &[u8]) -> bool {
        look::is_numeric(middle(input))
    }

    /// Whether the start, the middle and the end of an input repeat in long words, as levels 1 to 5 find them, rather than in words of two to five bytes, of which those levels
    /// miss most.
    pub fn repeats_long_words(input: &[u8]) -> bool {
        long_words::are_everywhere(input)
    }

    fn with_isa(isa: Isa) -> Self {
        Self {
            isa,
            window: Window::FULL,
            match_finder: MatchFinder::new(),
            matches: Vec::new(),
            draft: Vec::new(),
            steps: Vec::new(),
            paths: Paths::new(),
            greedy: GreedyParser::new(),
            blocks: Blocks::new(),
            joined: Vec::new(),
        }
    }

    /// Gets all the memory that it takes to compress `len` bytes, of which some may be history.
    fn reserve(&mut self, parameters: EncoderParameters, len: usize) -> Result<(), TryReserveError> {
        // Two more than the positions, for what is deferred.
        let chunk = CHUNK + 2;
        reserve(&mut self.matches, chunk)?;
        self.matches.resize(chunk, 0);
        self.match_finder.reserve(parameters, parameters.bits_for(len))?;
        reserve(&mut self.draft, chunk)?;
        reserve(&mut self.steps, chunk)?;
        self.paths.reserve(CHUNK)?;
        self.blocks.reserve(len, CHUNK, CHUNK)
    }

    /// As [`Self::reserve`], for the greedy levels.
    fn reserve_greedy(
        &mut self,
        parameters: greedy::GreedyParameters,
        len: usize,
    ) -> Result<(), TryReserveError> {
        self.greedy.reserve(parameters, len, self.isa_level() != IsaLevel::Portable)?;
        self.blocks.reserve(len, greedy::CHUNK, greedy::MARGIN)
    }

    /// Limits how far back matches reach, from the next call on.
    pub fn set_window(&mut self, window: Window) {
        self.window = window;
    }

    /// Compresses `input` at level 0 to 9 as one block or several, the last of them marked as the stream's last if
    /// `is_last`. Matches may reach into `history`, the uncompressed data before: its last 32 KB are looked at.
    ///
    /// # Errors
    /// `BadLevel`, `OutOfMemory`, and `OutputTooSmall` if the blocks don't fit; what was written until then is of no use.
    /// They take at most five bytes more than the input, plus six for each 16 KB of it.
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

    /// As [`Self::deflate_block`] for what follows position `start` of `uncompressed`, with what is before it as its history: without
    /// a copy.
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
        let room = (to.remaining_bits() / 8) as usize;
        let done = match usize::try_from(level) {
            Ok(0) => writer::stored(&uncompressed[start..], is_last, to),
            Ok(level @ 1..=9) => {
                let history = start.min(self.window.bytes());
                let uncompressed = &uncompressed[start - history..];
                let memory = |reserved: Result<_, _>| reserved.map_err(|_| Error::OutOfMemory { format });
                let level = match LEVELS[level - 1] {
                    LevelParameters::NearOptimal(_) if Self::is_numeric(&uncompressed[history..]) => {
                        NUMERIC[usize::from(level > MAX_NUMERIC_LEVEL as usize)]
                    }
                    LevelParameters::NearOptimal(EncoderParameters { skip: 1, .. })
                        if repeats_four_bytes(&uncompressed[history..]) =>
                    {
                        FOUR_BYTE_WORDS
                    }
                    level => level,
                };
                match level {
                    LevelParameters::Greedy(parameters) => {
                        memory(self.reserve_greedy(parameters, uncompressed.len()))?;
                        self.encode_greedy(uncompressed, history, parameters, is_last, to)
                    }
                    LevelParameters::NearOptimal(parameters) => {
                        memory(self.reserve(parameters, uncompressed.len()))?;
                        self.encode(uncompressed, history, parameters, is_last, to)
                    }
                }
            }
            _ => return Err(Error::BadLevel { format, level }),
        };
        done.ok_or(Error::OutputTooSmall { format, room })
    }

    /// Whether a level from 6 up is ahead of libdeflate's for data like this, by a sample from its middle. From 7 on it is not
    /// for columns of floats, where libdeflate's deeper search matches more, nor any for data that repeats so much that to search every
    /// position, as is done here, is a waste.
    pub(crate) fn suits(&mut self, level: i32, input: &[u8]) -> bool {
        let sample = middle(input);
        if look::is_numeric(sample) {
            return level <= MAX_NUMERIC_LEVEL;
        }
        if self.reserve(SAMPLE_PARAMETERS, sample.len()).is_err() {
            return false;
        }
        let matches = &mut self.matches[..sample.len() + 2];
        self.match_finder.reset(SAMPLE_PARAMETERS, SAMPLE_PARAMETERS.bits_for(sample.len()), WINDOW);
        self.isa.find(&mut self.match_finder, sample, 0..sample.len(), matches);
        matches[sample.len()..].fill(0);
        self.isa.parse_lazy(sample, matches);
        let tokens = &mut self.blocks.tokens;
        tokens.clear();
        self.isa.walk(&matches[..sample.len()], 0, tokens);
        // In hundredths, so that it is the same everywhere.
        sample.len() * 100 < tokens.len() * REPETITIVE
    }
}

/// Whether an input that is long enough to tell begins with words of four bytes, and has them in its middle too.
fn repeats_four_bytes(uncompressed: &[u8]) -> bool {
    if uncompressed.len() < SAMPLE / 4 {
        return false;
    }
    let len = greedy::probe::first_of(uncompressed.len());
    let middle = middle(uncompressed);
    fours::is_in_words_of_four(&uncompressed[..len])
        && fours::is_in_words_of_four(&middle[..len.min(middle.len())])
}

/// What is looked at.
fn middle(input: &[u8]) -> &[u8] {
    let middle = input.len() / 2;
    &input[middle.saturating_sub(SAMPLE / 2)..(middle + SAMPLE / 2).min(input.len())]
}

/// Has a vector hold `capacity` elements in all without asking for more memory.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, capacity: usize) -> Result<(), TryReserveError> {
    vector.try_reserve_exact(capacity.saturating_sub(vector.len()))
}
