//! Tokens of a chunk, and the sequences that the partition makes of them.

use super::entry::{DISTANCE_TABLE, ENTRIES, TABLE_SIZE};

/// Streams that are decoded at once. A look-up waits for the one before it, and the work of about
/// four lanes hides that; with more than five, registers run out.
pub(crate) const LANES: usize = 5;
/// Look-ups on one filling of the bit buffer, which holds enough bits for three
/// (`entry::BIT_BUFFER`).
pub(crate) const GROUP: usize = 3;
/// Groups in a chunk: a multiple of 32, so that a chunk's tokens fill vectors. In shorter chunks
/// the fixed costs weigh more; longer ones make more look-ups past the end of a block.
pub(crate) const GROUPS: usize = 96;
/// Tokens of one lane in a chunk.
pub(crate) const TOKENS: usize = GROUP * GROUPS;
/// Bytes of input that a chunk may touch: a group moves by at most 8 and reads 8.
pub(crate) const CHUNK_INPUT: usize = 8 * (GROUPS + 1);

/// The tables of every lane.
pub(crate) type Tables = [[u16; ENTRIES]; LANES];

/// Tokens of one lane: entries of its tables, each with the low half of its bit buffer, which has
/// the extra bits.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Tokens {
    pub(crate) entries: [u16; TOKENS],
    pub(crate) bit_buffers: [u32; TOKENS],
}

impl Tokens {
    pub(crate) const EMPTY: Self = Self { entries: [0; TOKENS], bit_buffers: [0; TOKENS] };
}

/// Read position of a lane.
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
    /// Returns a cursor at bit `at` of `input`. Near the end of the input it reads a copy with
    /// zeros after it, in `tail`.
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
    /// Returns whether the next look-up is for a distance.
    pub(crate) fn at_distance(next: u16) -> bool {
        next & DISTANCE_TABLE != 0
    }
}

/// A vector's worth of slack after the arrays that the split appends to.
const SLACK: usize = 64;

/// Maximum distance of near matches, which read bytes of the last few stores: a vector of them.
pub(crate) const NEAR: usize = 32;
/// Matches in the sample that decides whether most are near. A wrong decision only costs speed.
const SAMPLE: usize = 32;

/// A chunk's tokens by kind. The literals before each match, and the match, in order.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Sequences {
    pub(crate) literals: [u8; TOKENS + SLACK],
    /// Number of literals before each match.
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

    /// Empties the lists, except for a length without its distance.
    pub(crate) fn start(&mut self, pending: Option<u16>) {
        self.literal_count = 0;
        self.number_count = usize::from(pending.is_some());
        self.before[0] = 0;
        self.matches[0] = pending.unwrap_or_default();
    }

    /// Returns whether most of the first matches repeat the bytes just before them.
    pub(crate) fn are_near(&self) -> bool {
        let matches = &self.matches[..self.number_count].as_chunks::<2>().0;
        let sample = &matches[..matches.len().min(SAMPLE)];
        let near = sample.iter().filter(|[_, distance]| usize::from(*distance) <= NEAR).count();
        2 * near > sample.len()
    }

    /// Returns the number of bytes that they stand for.
    pub(crate) fn output_len(&self) -> usize {
        let matches = self.matches[..self.number_count].as_chunks().0;
        self.literal_count + matches.iter().map(|&[len, _]| u32::from(len)).sum::<u32>() as usize
    }

    /// Returns whether a match reaches farther back than `len`.
    pub(crate) fn reaches_past(&self, len: usize) -> bool {
        let matches = self.matches[..self.number_count].as_chunks().0;
        matches.iter().map(|&[_, distance]| distance).max().is_some_and(|max| usize::from(max) > len)
    }

    /// Returns the length that has no distance yet.
    pub(crate) fn pending(&self) -> Option<u16> {
        (self.number_count % 2 == 1).then(|| self.matches[self.number_count - 1])
    }
}

const _: () = assert!(TOKENS.is_multiple_of(32) && ENTRIES == 4 * TABLE_SIZE);
