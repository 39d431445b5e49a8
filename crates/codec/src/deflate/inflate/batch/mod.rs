//! Many independent streams at once, faster than one after the other.
//!
//! A decoder of one stream waits for the branch between literal and match, which no processor
//! predicts well. Here no branch depends on a symbol:
//!
//! - *Decode*: a look-up is a load, a shift and a few masks, whatever it finds, and several
//!   streams ("lanes") take turns, so that the others' work hides each load. It yields tokens
//!   (`entry.rs`, `simd/decode.rs`).
//! - *Partition*: a lane's tokens are separated into literals, lengths and distances, in vectors
//!   (`partition.rs` in `simd/avx2` and `simd/avx512`).
//! - *Copy*: literals and matches are written with wide copies (`simd/copy.rs`;
//!   `simd/avx512/near_copy.rs` where matches repeat the bytes just written).
//!
//! Headers, stored blocks, ends of blocks and a few rare symbols are handled between chunks
//! (`lane.rs`), and checksums are taken there while the data is in the cache. `scheduler.rs` gives
//! lanes to streams, and `eviction.rs` takes them away. Invalid or unusual data ends a stream's
//! lane, and [`crate::Decoder`] decodes it from the start: its verdict is final.

pub(crate) mod dispatch;
pub(crate) mod entry;
mod eviction;
pub(crate) mod header;
pub(crate) mod lane;
pub(crate) mod portable;
mod scheduler;
mod stream;
pub(crate) mod tables;
pub(crate) mod tokens;

use std::cmp::Reverse;

use crate::deflate::isa::BatchIsaLevel;
use crate::{Decoder, Format, snappy};
use dispatch::Isa;
use entry::ENTRIES;
use header::CodewordLengths;
use tables::Codes;
use tokens::{CHUNK_INPUT as TAIL, LANES, Sequences, Tables, Tokens};

pub use stream::Stream;

/// Decodes batches of streams, keeping its state between them. One for a thread.
///
/// Its state is 75 KB, plus that of a [`Decoder`] for streams that go there, and a number for each
/// stream of the longest batch.
pub struct BatchInflater {
    decoder: Decoder,
    /// For those that have left their lanes, which are not tried again.
    last: Decoder,
    isa: Option<Isa>,
    /// Set if every stream starts in a lane, even if that is slower; it may still be evicted.
    is_forced: bool,
    state: Box<State>,
    order: Vec<usize>,
}

/// State of each lane, and the state that they share.
struct State {
    tables: Tables,
    codes: [Codes; LANES],
    tokens: [Tokens; LANES],
    tails: [[u8; 2 * TAIL]; LANES],
    sequences: Sequences,
    lengths: CodewordLengths,
}

/// Minimum number of busy lanes: fewer are slower than libdeflate.
const MIN_LANES: usize = 3;

/// Returns whether a stream is faster in a lane. Short streams gain less than their headers and the
/// rest of the last chunk cost. Streams as long as their data are stored, and those below a twelfth
/// of it are copied mostly, which libdeflate does as fast. Runs and sorted keys are evicted later
/// (`eviction.rs`).
fn is_worth_a_lane(compressed: usize, capacity: usize) -> bool {
    compressed >= 1 << 10 && capacity > compressed && capacity / compressed < 12
}

impl Default for BatchInflater {
    fn default() -> Self {
        Self::from_isa(Isa::best(), false)
    }
}

/// Returns whether a format is DEFLATE, in a container or not.
fn is_deflate(format: Format) -> bool {
    matches!(format, Format::Deflate | Format::Zlib | Format::Gzip)
}

impl BatchInflater {
    /// Number of streams that are decoded at the same time. Others of a batch follow as those end.
    pub const LANES: usize = LANES;

    /// Minimum number of streams for which decoding them at the same time is faster than one by
    /// one.
    pub const MIN_STREAMS: usize = MIN_LANES;

    /// Returns whether a stream of `compressed` bytes and at most `capacity` uncompressed ones is
    /// decoded faster here than by [`Decoder`], on this processor and together with enough similar
    /// ones.
    pub fn gains(format: Format, compressed: usize, capacity: usize) -> bool {
        snappy::gains(format, compressed, capacity)
            || (is_deflate(format) && is_worth_a_lane(compressed, capacity) && Isa::best().is_some())
    }

    /// Returns the ISA level.
    pub fn isa_level(&self) -> BatchIsaLevel {
        self.isa.map_or(BatchIsaLevel::OneByOne, Isa::isa_level)
    }

    /// The fastest ISA level that this processor can run.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a decoder of this ISA level for batches of any size and streams of any kind, though
    /// runs and sorted keys are still evicted; `None` if this processor can't run it.
    pub fn with(isa_level: BatchIsaLevel) -> Option<Self> {
        let isa = match isa_level {
            BatchIsaLevel::OneByOne => None,
            of => Some(Isa::of(of)?),
        };
        Some(Self::from_isa(isa, true))
    }

    fn from_isa(isa: Option<Isa>, is_forced: bool) -> Self {
        // One stream after the other is the reference for the ISA levels.
        let decoder = if isa.is_some() { Decoder::new() } else { Decoder::serial() };
        let state = State {
            tables: [[0; ENTRIES]; LANES],
            codes: [const { Codes::EMPTY }; LANES],
            tokens: [Tokens::EMPTY; LANES],
            tails: [[0; 2 * TAIL]; LANES],
            sequences: Sequences::EMPTY,
            lengths: CodewordLengths::EMPTY,
        };
        Self { decoder, last: Decoder::serial(), isa, is_forced, state: Box::new(state), order: Vec::new() }
    }

    /// Decodes all streams and sets their results. A stream that fails does not disturb the others;
    /// its output is unspecified. Blocks of Snappy are interleaved too, at every ISA level.
    pub fn inflate_batch(&mut self, streams: &mut [Stream<'_>]) {
        let isa = self.isa.filter(|_| self.is_forced || streams.len() >= MIN_LANES);
        self.order.clear();
        let mut has_others = false;
        // In one pass: a second look at each of many short streams takes noticeable time.
        for (index, stream) in streams.iter_mut().enumerate() {
            stream.is_interleaved = false;
            if !is_deflate(stream.format) {
                has_others = true;
            } else if isa.is_some()
                && (self.is_forced || is_worth_a_lane(stream.input.len(), stream.output.len()))
            {
                self.order.push(index);
            } else {
                self.decoder.decode(stream);
            }
        }
        if has_others {
            self.decode_others(streams);
        }
        let Some(isa) = isa else { return };
        if !self.is_forced {
            // The longest first; a remainder that would leave most lanes idle is left out.
            self.order.sort_by_key(|&index| Reverse(streams[index].input.len()));
            let rest = self.order.len() % LANES;
            let left_out = if rest < MIN_LANES { rest } else { 0 };
            for index in self.order.drain(self.order.len() - left_out..) {
                self.decoder.decode(&mut streams[index]);
            }
        }
        if !self.order.is_empty() {
            self.lanes(isa, streams);
        }
    }

    /// Decodes those that are not DEFLATE's.
    fn decode_others(&mut self, streams: &mut [Stream<'_>]) {
        snappy::decompress_batch(streams);
        let left = streams.iter_mut().filter(|stream| !is_deflate(stream.format) && !stream.is_interleaved);
        left.for_each(|stream| self.decoder.decode(stream));
    }
}
