//! One stream in several lanes: the symbols of a block are decoded from several places at once.
//!
//! The start of a codeword is known only once the one before has been read. But a decoder that
//! starts at any bit soon synchronises: once it comes to a symbol that a decoder from the block's
//! start comes to as well, both read the same from there on (T. J. Ferguson and J. H. Rabinowitz,
//! "Self-synchronizing Huffman codes", IEEE Transactions on Information Theory, 1984). With
//! DEFLATE's codes that takes some 15 symbols.
//!
//! So the bits ahead are cut into segments of the same length (`round.rs`). Each lane starts at the
//! first byte of one, with the block's tables, and goes on into the next segment until it meets
//! that one's lane (`synchronise.rs`). The tokens of that lane before the point are dropped. The
//! tokens of all lanes are then partitioned and copied in order (`commit.rs`). The end of a block
//! is not known before, so the work of lanes beyond it is lost.

mod commit;
mod journal;
mod round;
mod segment;
mod synchronise;

use std::ops::ControlFlow;
use std::slice;

use crate::deflate::inflate::batch::dispatch::Isa;
use crate::deflate::inflate::batch::entry::ENTRIES;
use crate::deflate::inflate::batch::header::CodewordLengths;
use crate::deflate::inflate::batch::lane::{Lane, RunningChecksum, Step};
use crate::deflate::inflate::batch::tables::Codes;
use crate::deflate::inflate::batch::tokens::{CHUNK_INPUT, LANES, Sequences, Tokens};
use crate::deflate::isa::{BatchIsaLevel, IsaLevel};
use crate::{Format, Progress};
use journal::Journal;
use segment::Segment;

/// Chunks of look-ups in a round: seven for segments of `round::LOOK_UPS`, the others for lanes
/// that have not met.
const CHUNKS: usize = 12;

/// Decodes single raw streams, several of a block's symbols at a time, keeping its state between
/// streams. One for a thread.
///
/// Its state is 190 KB, whatever the streams claim to be.
pub struct SpeculativeInflater {
    isa: Isa,
    /// Sixteenths of a bit that a look-up of the last round took.
    density: usize,
    /// Bytes of the block before; of the first, more than there are.
    last_block: usize,
    /// A single element, shared by all lanes.
    entries: Vec<[u16; ENTRIES]>,
    /// By slot.
    tails: Vec<[u8; 2 * CHUNK_INPUT]>,
    /// One.
    work: Vec<SpeculativeState>,
    /// By chunk and slot.
    store: Vec<[Tokens; LANES]>,
    journal: Journal,
    /// Whether all that the round has written is in the journal, as its lanes have read past the
    /// input.
    is_undoable: bool,
    /// Start of the stream's last block.
    block: BlockStart,
}

/// Position of a block in a stream, from which another decoder can go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BlockStart {
    /// First bit of the block's header.
    pub(crate) bit: usize,
    /// Bytes of the output before the block.
    pub(crate) produced: usize,
}

/// State of a block and a round.
#[derive(Clone, Copy)]
struct SpeculativeState {
    codes: Codes,
    lengths: CodewordLengths,
    segments: [Segment; LANES],
    sequences: Sequences,
}

/// Reason to leave a stream to another decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeculativeError {
    /// Every decoder fails: the input ends early, the output is full, or a match reaches back
    /// before the data.
    Undecodable,
    /// Something else is wrong or odd about it, or it gains nothing here.
    GivenUp,
}

/// Bytes of data for each one of a stream, from which one symbol after the other is as fast: most
/// of the time goes to the copies of long matches.
const MOST_SHRUNK: usize = 14;

/// A look-up's bits before any is known, in sixteenths: between columns of numbers and text.
const DENSITY: usize = 16 * 15 / 2;

impl SpeculativeState {
    const EMPTY: Self = Self {
        codes: Codes::EMPTY,
        lengths: CodewordLengths::EMPTY,
        segments: [Segment::EMPTY; LANES],
        sequences: Sequences::EMPTY,
    };
}

/// Returns `count` copies of a value, or `None` without memory. None of them is on the stack.
fn filled<T: Copy>(value: &'static T, count: usize) -> Option<Vec<T>> {
    let mut filled = Vec::new();
    filled.try_reserve_exact(count).ok()?;
    (0..count).for_each(|_| filled.extend_from_slice(slice::from_ref(value)));
    Some(filled)
}

impl SpeculativeInflater {
    /// Returns a decoder of the highest ISA level; `None` if none is faster than libdeflate, or
    /// without memory.
    pub fn new() -> Option<Self> {
        Self::from_isa(Isa::best()?)
    }

    /// The same of no higher ISA level than this.
    pub(crate) fn within(isa_level: IsaLevel) -> Option<Self> {
        match isa_level {
            IsaLevel::Portable => None,
            IsaLevel::Avx2 => Self::with(BatchIsaLevel::Avx2),
            IsaLevel::Avx512 => Self::new(),
        }
    }

    /// Returns a decoder of this ISA level; `None` if this processor can't run it, for
    /// [`BatchIsaLevel::OneByOne`], or without memory.
    pub fn with(isa_level: BatchIsaLevel) -> Option<Self> {
        Self::from_isa(Isa::of(isa_level)?)
    }

    fn from_isa(isa: Isa) -> Option<Self> {
        Some(Self {
            isa,
            density: DENSITY,
            last_block: usize::MAX,
            entries: filled(&[0; ENTRIES], 1)?,
            tails: filled(&[0; 2 * CHUNK_INPUT], LANES)?,
            work: filled(&SpeculativeState::EMPTY, 1)?,
            store: filled(&[Tokens::EMPTY; LANES], CHUNKS)?,
            journal: Journal::new()?,
            is_undoable: false,
            block: BlockStart::default(),
        })
    }

    /// Returns the block in which the last stream was given up. The output before it is right, and
    /// bytes written behind its start are those that any decoder writes there.
    pub(crate) fn block_given_up(&self) -> BlockStart {
        self.block
    }

    /// Returns whether a raw stream of about `compressed` bytes and at most `capacity` uncompressed
    /// ones is decoded faster here than by libdeflate, on this processor. Short, mostly stored and
    /// highly compressed streams are not: libdeflate decodes them with few symbols.
    pub fn gains(compressed: usize, capacity: usize) -> bool {
        compressed >= 5 << 9
            && capacity.saturating_sub(compressed) > compressed / 64
            && capacity / compressed < MOST_SHRUNK
            && Isa::best().is_some()
    }

    /// Decodes the raw stream at the start of `input`.
    ///
    /// # Errors
    /// Another decoder has to diagnose the stream. Bytes behind the data are as they were, also
    /// behind the place of a fault.
    pub fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<Progress, SpeculativeError> {
        self.inflate_from(input, output, BlockStart::default())
    }

    /// Decodes a stream from a later block on. `output` has all before it.
    ///
    /// # Errors
    /// As [`Self::inflate`].
    pub(crate) fn inflate_from(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        from: BlockStart,
    ) -> Result<Progress, SpeculativeError> {
        let mut lane = Lane::new(input, 0, 0, RunningChecksum::new(Format::Deflate, 0));
        (lane.at, lane.end) = (from.bit, from.produced);
        (self.density, self.last_block) = (DENSITY, usize::MAX);
        loop {
            self.block = BlockStart { bit: lane.at, produced: lane.end };
            let (entries, work) = (&mut self.entries[0], &mut self.work[0]);
            match lane.enter(self.isa, entries, &mut work.codes, &mut work.lengths, output) {
                Some(Step::Symbols) => {}
                Some(Step::End) => {
                    return Ok(Progress { consumed: lane.at.div_ceil(8), produced: lane.end });
                }
                None if lane.is_past_input() => return Err(SpeculativeError::Undecodable),
                None => return Err(SpeculativeError::GivenUp),
            }
            let start = lane.at / 8;
            loop {
                self.journal.begin(lane.end);
                match self.round(&mut lane, start, output) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break,
                    Err(error) => {
                        self.journal.undo(output);
                        return Err(error);
                    }
                }
            }
            self.last_block = lane.at / 8 - start;
        }
    }
}
