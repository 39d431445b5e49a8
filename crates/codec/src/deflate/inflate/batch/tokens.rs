//! What the decoding of a chunk leaves behind, and what the split makes of it.

use super::entry::{DISTANCE_TABLE, ENTRIES, TABLE_SIZE};

/// Streams that are decoded at once. A look-up waits ten cycles for the one before it (load, shift, mask, and a third of
/// a refill) and takes three of the core's time, so four would hide the wait. Measured on Zen 4, cycles a look-up: 3.25
/// with four, 3.0 with five, 3.3 with six and 3.7 with eight, for which there are not enough registers.
pub(crate) const LANES: usize = 5;
/// Look-ups on one filling of the window: what three can consume is known to fit (`entry::BIT_BUFFER`).
pub(crate) const GROUP: usize = 3;
/// Groups in a chunk. A multiple of 32, so that a chunk's tokens fill vectors of 32. With 32 groups what is done once a
/// chunk costs a sixth more in all; with 128 nothing is gained, and more look-ups are made past the end of a block.
pub(crate) const GROUPS: usize = 96;
/// Tokens of one lane in a chunk.
pub(crate) const TOKENS: usize = GROUP * GROUPS;
/// Bytes of input that a chunk may touch: a group moves by at most 8 and reads 8.
pub(crate) const CHUNK_INPUT: usize = 8 * (GROUPS + 1);

/// The tables of every lane.
pub(crate) type Tables = [[u16; ENTRIES]; LANES];

/// The tokens of one lane: entries of its tables, each with the low half of the window it was found in, which has the
/// extra bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Tokens {
    pub(crate) entries: [u16; TOKENS],
    pub(crate) bit_buffers: [u32; TOKENS],
}

impl Tokens {
    pub(crate) const EMPTY: Self = Self { entries: [0; TOKENS], bit_buffers: [0; TOKENS] };
}

/// Where a lane reads.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// At least [`CHUNK_INPUT`] bytes from the one that bit `at` is in.
    pub(crate) input: &'a [u8],
    /// The next bit.
    pub(crate) at: usize,
    /// The offset of the table of the next look-up, in bytes: bits of `entry::NEXT_TABLE`.
    pub(crate) next: u16,
}

impl<'a> Cursor<'a> {
    /// Reads `input` from bit `at`. Near the end of the input that is a copy with zeros behind it, in `tail`.
    pub(crate) fn new(input: &'a [u8], at: usize, next: u16, tail: &'a mut [u8; 2 * CHUNK_INPUT]) -> Self {
        let rest = &input[(at / 8).min(input.len())..];
        let at = at % 8;
        if rest.len() >= CHUNK_INPUT {
            return Self { input: rest, at, next };
        }
        tail[..rest.len()].copy_from_slice(rest);
        tail[rest.len()..rest.len() + CHUNK_INPUT].fill(0);
        Self { input: tail, at, next }
    }
}

impl Cursor<'_> {
    /// Whether the next look-up is for a distance.
    pub(crate) fn at_distance(next: u16) -> bool {
        next & DISTANCE_TABLE != 0
    }
}

/// A vector's worth of slack after the arrays that the split appends to.
const SLACK: usize = 64;

/// Distances up to here are of matches that read what the last few stores wrote: a vector's bytes.
pub(crate) const NEAR: usize = 32;
/// Matches that are looked at to tell whether most are near. What a chunk is taken for changes its speed alone.
const SAMPLE: usize = 32;

/// A chunk's tokens by kind. The literals before each match, and the match, in order.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Sequences {
    pub(crate) literals: [u8; TOKENS + SLACK],
    /// How many literals there are before the match.
    pub(crate) before: [u16; TOKENS + SLACK],
    /// A length, its distance, and so on. The last distance may be in the next chunk.
    pub(crate) matches: [u16; TOKENS + SLACK],
    pub(crate) literal_count: usize,
    /// Lengths and distances together.
    pub(crate) number_count: usize,
}

impl Sequences {
    pub(crate) const EMPTY: Self = Self {
        literals: [0; TOKENS + SLACK],
        before: [0; TOKENS + SLACK],
        matches: [0; TOKENS + SLACK],
        literal_count: 0,
        number_count: 0,
    };

    /// Empties the lists but for a length whose distance is to come.
    pub(crate) fn start(&mut self, pending: Option<u16>) {
        self.literal_count = 0;
        self.number_count = usize::from(pending.is_some());
        self.before[0] = 0;
        self.matches[0] = pending.unwrap_or_default();
    }

    /// Whether most matches repeat what was written just before them, by the first ones.
    pub(crate) fn are_near(&self) -> bool {
        let matches = &self.matches[..self.number_count].as_chunks::<2>().0;
        let sample = &matches[..matches.len().min(SAMPLE)];
        let near = sample.iter().filter(|[_, distance]| usize::from(*distance) <= NEAR).count();
        2 * near > sample.len()
    }

    /// The length whose distance is to come.
    pub(crate) fn pending(&self) -> Option<u16> {
        (self.number_count % 2 == 1).then(|| self.matches[self.number_count - 1])
    }
}

const _: () = assert!(TOKENS.is_multiple_of(32) && ENTRIES == 4 * TABLE_SIZE);
