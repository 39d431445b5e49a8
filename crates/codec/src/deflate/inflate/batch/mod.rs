//! Many independent streams at once, faster than one after the other.
//!
//! What a single stream's decoder waits for is the branch between literal and match, which no processor predicts well:
//! libdeflate takes about twelve cycles a symbol, most of them lost to that. Here no branch depends on a symbol:
//!
//! 1. *decode*: a look-up is a load, a shift and a few masks, whatever it finds, and several streams ("lanes") take
//!    turns, so that one's load is hidden by the others' work. It yields tokens (`entry.rs`, `arch/decode.rs`).
//! 2. *split*: a lane's tokens are sorted into literals, lengths and distances, 32 at a time (`split.rs` in `arch/avx2`
//!    and `arch/avx512`).
//! 3. *copy*: literals and matches are written with wide copies (`arch/copy.rs`; `arch/avx512/near.rs` where matches repeat
//!    what has just been written).
//!
//! Headers, stored blocks, ends of blocks and a few rare symbols are handled between chunks (`lane.rs`), and checksums are taken
//! there while the data is in the cache (`checksum.rs`). `lanes.rs` says who has a lane. Whatever is wrong or odd about a stream ends
//! its lane, and [`crate::Decoder`] decodes it from the start: its verdict is final.

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
/// Its state is 75 KB, and as much as a [`Decoder`]'s where streams go there, whatever they claim to be, and a number for each stream of the longest batch.
pub struct BatchInflater {
    decoder: Decoder,
    /// For those that have left their lanes, which are not tried again.
    last: Decoder,
    isa: Option<Isa>,
    /// Whether every stream goes to the isa at first, even if that does not pay; what it sees then may still send it away.
    is_forced: bool,
    state: Box<State>,
    order: Vec<usize>,
}

/// What belongs to the lanes, by lane, and what they share.
struct State {
    tables: Tables,
    codes: [Codes; LANES],
    tokens: [Tokens; LANES],
    tails: [[u8; 2 * TAIL]; LANES],
    sequences: Sequences,
    lens: CodewordLengths,
}

/// Lanes that have to be busy for them to pay. Measured at 64 KB, as a multiple of libdeflate's speed: one alone 0.65 to
/// 0.9, two 0.93 to 1.06, three 1.01 to 1.29; with AVX2 three 1.00 to 1.23.
const MIN_LANES: usize = 3;

/// Whether a stream gains from a lane. Measured: below 1 KB the headers and the rest of the last chunk cost what the
/// symbols gain; what is not shorter than its data is all stored; and below a twelfth libdeflate takes so few
/// symbols that its copies decide. What shrinks by a hundredth or less, as compressed codes do, is mostly literals, of which a lane takes
/// 1.7 times as many as libdeflate with AVX-512. A lane gives up runs and sorted keys later, when it sees them (`eviction.rs`).
fn is_worth_a_lane(compressed: usize, capacity: usize) -> bool {
    compressed >= 1 << 10 && capacity > compressed && capacity / compressed < 12
}

impl Default for BatchInflater {
    fn default() -> Self {
        Self::from_isa(Isa::best(), false)
    }
}

/// Whether streams of the format are DEFLATE in a container, or alone.
fn is_deflate(format: Format) -> bool {
    matches!(format, Format::Deflate | Format::Zlib | Format::Gzip)
}

impl BatchInflater {
    /// Streams that are decoded at the same time. Others of a batch take the place of those that end.
    pub const LANES: usize = LANES;

    /// Streams that have to be decoded at the same time for it to be faster than one after the other.
    pub const MIN_STREAMS: usize = MIN_LANES;

    /// Whether a stream of `compressed` bytes with capacity for `capacity` uncompressed ones is decoded faster here, on this processor and
    /// beside enough others like it, than by [`Decoder`].
    pub fn gains(format: Format, compressed: usize, capacity: usize) -> bool {
        snappy::gains(format, compressed, capacity)
            || (is_deflate(format) && is_worth_a_lane(compressed, capacity) && Isa::best().is_some())
    }

    /// How batches are decoded.
    pub fn isa_level(&self) -> BatchIsaLevel {
        self.isa.map_or(BatchIsaLevel::OneByOne, Isa::isa_level)
    }

    /// The fastest isa_level that this processor can run.
    pub fn new() -> Self {
        Self::default()
    }

    /// A certain isa_level, for batches of any size and streams of any kind, though runs and sorted keys still leave their
    /// lanes; `None` if this processor can't run it.
    pub fn with(isa_level: BatchIsaLevel) -> Option<Self> {
        let isa = match isa_level {
            BatchIsaLevel::OneByOne => None,
            of => Some(Isa::of(of)?),
        };
        Some(Self::from_isa(isa, true))
    }

    fn from_isa(isa: Option<Isa>, is_forced: bool) -> Self {
        // Stream by stream is what the other implementations are compared with.
        let decoder = if isa.is_some() { Decoder::new() } else { Decoder::serial() };
        let state = State {
            tables: [[0; ENTRIES]; LANES],
            codes: [const { Codes::EMPTY }; LANES],
            tokens: [Tokens::EMPTY; LANES],
            tails: [[0; 2 * TAIL]; LANES],
            sequences: Sequences::EMPTY,
            lens: CodewordLengths::EMPTY,
        };
        Self { decoder, last: Decoder::serial(), isa, is_forced, state: Box::new(state), order: Vec::new() }
    }

    /// Decodes all streams and sets their results. One that fails does not disturb the others; its output is
    /// unspecified. Blocks of Snappy are decoded side by side too, whatever the isa_level is that was asked for.
    pub fn inflate_batch(&mut self, streams: &mut [Stream<'_>]) {
        let isa = self.isa.filter(|_| self.is_forced || streams.len() >= MIN_LANES);
        self.order.clear();
        let mut has_others = false;
        // In one go: to look at each of many streams once more is a fiftieth of the time of 4 KB that are copied.
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
            // The longest first; what would leave most lanes idle at the end is left out.
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
