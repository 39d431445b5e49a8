//! Many independent streams at once, faster than one after the other.
//!
//! What a single stream's decoder waits for is the branch between literal and match, which no processor predicts well:
//! libdeflate takes about twelve cycles a symbol, most of them lost to that. Here no branch depends on a symbol:
//!
//! 1. *decode*: a look-up is a load, a shift and a few masks, whatever it finds, and several streams ("lanes") take
//!    turns, so that one's load is hidden by the others' work. It yields tokens (`entry.rs`, `arch/decode.rs`).
//! 2. *split*: a lane's tokens are sorted into literals, lengths and distances, 32 at a time (`split.rs` in `arch/avx2`
//!    and `arch/avx512`).
//! 3. *copy*: literals and matches are written with wide copies (`arch/copy.rs`).
//!
//! Headers, stored blocks, ends of blocks and a few rare symbols are handled between chunks (`lane.rs`). Whatever is
//! wrong or odd about a stream ends its lane, and [`crate::Decoder`] decodes it from the start: its verdict is final.

mod codes;
mod engine;
mod entry;
mod header;
mod lane;
mod pace;
mod portable;
mod stream;
mod tokens;

use std::array;
use std::cmp::Reverse;

use crate::deflate::{gzip, zlib};
use crate::{Decoder, Format, Progress};
use codes::Codes;
#[cfg(target_arch = "x86_64")]
pub(super) use codes::{Counts, MAX_LEN, SYMBOLS, Sorted};
use engine::Engine;
pub use engine::Implementation;
use entry::ENTRIES;
#[cfg(target_arch = "x86_64")]
pub(super) use entry::{BASES, CONSUMED, EXTRAS, INDEX_BITS, LINK, NEXT, SYMBOL_SHIFT, TABLE, TO_DISTANCE};
use header::Lens;
use lane::{Lane, Step};
#[cfg(target_arch = "x86_64")]
pub(super) use portable::copy;
pub use stream::Stream;
use stream::open;
use tokens::REACH as TAIL;
pub(super) use tokens::{Cursor, LANES, Sequences, Tables, Tokens};
#[cfg(target_arch = "x86_64")]
pub(super) use tokens::{GROUP, GROUPS, REACH, TOKENS};

/// Decodes batches of streams, keeping its state between them. One for a thread.
///
/// Its state is 75 KB, whatever the streams claim to be, and a number for each stream of the longest batch.
pub struct BatchInflater {
    decoder: Decoder,
    engine: Option<Engine>,
    /// Whether every stream goes to the engine, even if that does not pay.
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
    lens: Lens,
}

/// Lanes that have to be busy for them to pay. Measured at 64 KB, as a multiple of libdeflate's speed: one alone 0.65 to
/// 0.9, two 0.93 to 1.06, three 1.01 to 1.29; with AVX2 three 1.00 to 1.23.
const LEAST: usize = 3;

/// Whether a stream gains from a lane. Measured: below 2 KB the headers and the rest of the last chunk cost what the
/// symbols gain, and data that hardly compresses is stored, or literals that libdeflate predicts well. What compresses
/// to a sixth or less are, in pages of Parquet, runs and sorted keys, whose matches wait for the bytes before them: 0.7 of
/// libdeflate's speed.
fn pays(packed: usize, room: usize) -> bool {
    packed >= 2 << 10 && room.saturating_sub(packed) > packed / 8 && room / packed < 6
}

impl Default for BatchInflater {
    fn default() -> Self {
        Self::from_engine(Engine::best(), false)
    }
}

impl BatchInflater {
    /// Streams that are decoded at the same time. Others of a batch take the place of those that end.
    pub const LANES: usize = LANES;

    /// Streams that have to be decoded at the same time for it to be faster than one after the other.
    pub const LEAST: usize = LEAST;

    /// Whether a stream of `packed` bytes with room for `room` plain ones is decoded faster here, on this processor and
    /// beside enough others like it, than by [`Decoder`].
    pub fn gains(format: Format, packed: usize, room: usize) -> bool {
        matches!(format, Format::Deflate | Format::Zlib | Format::Gzip)
            && pays(packed, room)
            && Engine::best().is_some()
    }

    /// How batches are decoded.
    pub fn implementation(&self) -> Implementation {
        self.engine.map_or(Implementation::OneByOne, Engine::implementation)
    }

    /// The fastest implementation that this processor can run.
    pub fn new() -> Self {
        Self::default()
    }

    /// A certain implementation, for batches of any size; `None` if this processor can't run it.
    pub fn with(implementation: Implementation) -> Option<Self> {
        let engine = match implementation {
            Implementation::OneByOne => None,
            of => Some(Engine::of(of)?),
        };
        Some(Self::from_engine(engine, true))
    }

    fn from_engine(engine: Option<Engine>, is_forced: bool) -> Self {
        let state = State {
            tables: [[0; ENTRIES]; LANES],
            codes: [const { Codes::EMPTY }; LANES],
            tokens: [Tokens::EMPTY; LANES],
            tails: [[0; 2 * TAIL]; LANES],
            sequences: Sequences::EMPTY,
            lens: Lens::EMPTY,
        };
        Self { decoder: Decoder::new(), engine, is_forced, state: Box::new(state), order: Vec::new() }
    }

    /// Decodes all streams and sets their results. One that fails does not disturb the others; its output is
    /// unspecified.
    pub fn inflate_batch(&mut self, streams: &mut [Stream<'_>]) {
        let Some(engine) = self.engine else {
            streams.iter_mut().for_each(|stream| self.decoder.decode(stream));
            return;
        };
        self.order.clear();
        let pays = |stream: &Stream<'_>| pays(stream.input.len(), stream.output.len());
        self.order.extend((0..streams.len()).filter(|&index| self.is_forced || pays(&streams[index])));
        if !self.is_forced {
            // The longest first; what would leave most lanes idle at the end is left out.
            self.order.sort_by_key(|&index| Reverse(streams[index].input.len()));
            let rest = self.order.len() % LANES;
            self.order.truncate(self.order.len() - if rest < LEAST { rest } else { 0 });
            self.order.sort_unstable();
        }
        let mut lanes = self.order.iter().copied().peekable();
        for (index, stream) in streams.iter_mut().enumerate() {
            if lanes.next_if_eq(&index).is_none() {
                self.decoder.decode(stream);
            }
        }
        self.lanes(engine, streams);
    }

    /// Decodes the streams of `order` in lanes.
    fn lanes(&mut self, engine: Engine, streams: &mut [Stream<'_>]) {
        // The longest first, so that lanes run out of work at the same time; from the back.
        self.order.sort_by_key(|&index| streams[index].input.len());
        let state = &mut *self.state;
        let mut active: Vec<(usize, Lane<'_>)> = Vec::with_capacity(LANES);
        loop {
            while active.len() < LANES
                && let Some(index) = self.order.pop()
            {
                let slot = active.len();
                if let Some(&next) = self.order.last() {
                    engine.prefetch(streams[next].input);
                }
                let stream = &mut streams[index];
                let turn = open(stream, 0, 0).and_then(|mut lane| {
                    let turn = state.enter(engine, slot, &mut lane, stream)?;
                    Some((lane, turn))
                });
                match turn {
                    Some((lane, Turn::Goes)) => active.push((index, lane)),
                    Some((_, Turn::Done(progress))) => stream.done(progress),
                    None => self.decoder.decode(stream),
                }
            }
            if active.is_empty() {
                return;
            }
            let mut tails = state.tails.iter_mut();
            let mut cursors: [Cursor<'_>; LANES] = array::from_fn(|slot| match active.get(slot) {
                Some((_, lane)) => lane.cursor(tails.next().expect("a tail for a lane")),
                None => Cursor { input: &[], at: 0, next: 0 },
            });
            engine.decode(&state.tables, &mut cursors[..active.len()], &mut state.tokens);
            let ends = cursors.map(|cursor| (cursor.at, cursor.next));
            // From the back, so that a lane that takes a removed one's place has had its turn.
            for slot in (0..active.len()).rev() {
                let (index, lane) = &mut active[slot];
                let stream = &mut streams[*index];
                let (tokens, codes) = (&state.tokens[slot], &state.codes[slot]);
                let step = lane.take(engine, ends[slot], tokens, &mut state.sequences, codes, stream.output);
                let turn = match step {
                    Some(Step::Symbols) => Some(Turn::Goes),
                    Some(Step::End) => state.enter(engine, slot, lane, stream),
                    None => None,
                };
                match turn {
                    Some(Turn::Goes) => continue,
                    Some(Turn::Done(progress)) => stream.done(progress),
                    None => self.decoder.decode(stream),
                }
                active.swap_remove(slot);
                if slot < active.len() {
                    state.tables[slot] = state.tables[active.len()];
                    state.codes.swap(slot, active.len());
                }
            }
        }
    }
}

/// What became of a lane.
enum Turn {
    Goes,
    Done(Progress),
}

impl State {
    /// Moves a lane to its next symbols, over the ends of members and the starts of others.
    fn enter<'a>(
        &mut self,
        engine: Engine,
        slot: usize,
        lane: &mut Lane<'a>,
        stream: &mut Stream<'a>,
    ) -> Option<Turn> {
        let (entries, codes) = (&mut self.tables[slot], &mut self.codes[slot]);
        loop {
            if let Step::Symbols = lane.enter(engine, entries, codes, &mut self.lens, stream.output)? {
                return Some(Turn::Goes);
            }
            let (input, end) = (lane.input, lane.at.div_ceil(8));
            let plain = &stream.output[lane.start..lane.end];
            let consumed = match stream.format {
                Format::Zlib => zlib::check_trailer(input, end, plain),
                Format::Gzip => gzip::check_trailer(input, end, plain),
                _ => Ok(end),
            };
            let consumed = consumed.ok()?;
            if stream.format != Format::Gzip || !gzip::is_member(&input[consumed..]) {
                return Some(Turn::Done(Progress { consumed, produced: lane.end }));
            }
            let pace = lane.pace;
            *lane = open(stream, consumed, lane.end)?;
            lane.pace = pace;
        }
    }
}
