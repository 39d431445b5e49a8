//! Tables that tell a code's symbols by the next bits.
//!
//! A table has an entry for every value of a code's next `ROOT` bits. Longer codewords share an
//! entry that links to a table of their own, indexed by the following bits.

use crate::deflate::inflate::batch::entry::{MAX_LEN, SYMBOLS};
use crate::deflate::inflate::batch::tables::next_codeword;
use crate::deflate::tables::{DISTANCE, LENGTH};

/// Lowest bits of an entry: bits of its remaining codeword and extra bits.
pub(crate) const TAKEN: u32 = 63;
/// First bit of the number of codeword bits alone; in a link, of the number of index bits of its
/// table.
pub(crate) const CODEWORD_BITS: u32 = 8;
/// Neither a length, a distance nor a literal: one of the next two, or a codeword outside the code.
pub(crate) const OTHER: u32 = 1 << 15;
/// Leads to the table that starts at entry [`VALUE`].
pub(crate) const TABLE_LINK: u32 = 1 << 14;
/// The end of the block.
pub(crate) const END: u32 = 1 << 13;
/// A literal.
pub(crate) const LITERAL: u32 = 1 << 31;
/// First bit of the value: a literal, or the base of a length or a distance.
pub(crate) const VALUE: u32 = 16;

/// Index bits of the first tables. With more, tables take longer to fill than links cost.
pub(crate) const LITERAL_ROOT: u32 = 11;
pub(crate) const DISTANCE_ROOT: u32 = 8;
/// Bits that tell every codeword of the code for lengths.
pub(super) const CODE_LENGTH_ROOT: u32 = 7;

/// Maximum entries of the two codes' tables with roots of these bits, by zlib's program `enough`.
pub(crate) const LITERAL_ENTRIES: usize = 2342;
pub(crate) const DISTANCE_ENTRIES: usize = 402;

/// A codeword without a symbol. Incomplete codes only have such codewords of one bit.
const NO_SYMBOL: u32 = OTHER | 1 << CODEWORD_BITS | 1;

/// By symbol, without the bits of its codeword.
static LITERALS: [u32; SYMBOLS] = {
    let mut entries = [OTHER; SYMBOLS];
    let mut i = 0;
    while i < 256 {
        entries[i] = LITERAL | (i as u32) << VALUE;
        i += 1;
    }
    entries[256] = OTHER | END;
    i = 0;
    while i < LENGTH.len() {
        entries[257 + i] = (LENGTH[i].0 as u32) << VALUE | LENGTH[i].1 as u32;
        i += 1;
    }
    entries
};

static DISTANCES: [u32; 32] = {
    let mut entries = [OTHER; 32];
    let mut i = 0;
    while i < DISTANCE.len() {
        entries[i] = (DISTANCE[i].0 as u32) << VALUE | DISTANCE[i].1 as u32;
        i += 1;
    }
    entries
};

static CODE_LENGTHS: [u32; 19] = {
    let mut entries = [0; 19];
    let mut i = 0;
    while i < 19 {
        entries[i] = (i as u32) << VALUE;
        i += 1;
    }
    entries
};

/// Completeness of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Every sequence of bits begins with one of its codewords.
    Complete,
    /// It has one codeword, of one bit.
    Single,
    /// It has none.
    Empty,
    /// None of these, which zlib takes for damage.
    Bad,
}

/// A block's codes.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub(crate) literals: [u32; LITERAL_ENTRIES],
    pub(crate) distances: [u32; DISTANCE_ENTRIES],
    pub(super) lengths: [u32; 1 << CODE_LENGTH_ROOT],
    /// Entries of a code's symbols while its table is filled.
    sorted: [u32; SYMBOLS + 1],
    /// Entries of the first two that a header has filled.
    pub(super) used: usize,
}

impl Tables {
    pub(super) const EMPTY: Self = Self {
        literals: [0; LITERAL_ENTRIES],
        distances: [0; DISTANCE_ENTRIES],
        lengths: [0; 1 << CODE_LENGTH_ROOT],
        sorted: [0; SYMBOLS + 1],
        used: 0,
    };

    /// Fills the table of literals and lengths. `None` unless zlib accepts the code.
    pub(super) fn literals(&mut self, lengths: &[u8]) -> Option<()> {
        let (shape, used) =
            fill::<{ 1 << LITERAL_ROOT }>(lengths, &LITERALS, &mut self.sorted, &mut self.literals)?;
        self.used = used;
        matches!(shape, Shape::Complete | Shape::Single).then_some(())
    }

    /// Fills the table of distances, which may be empty.
    pub(super) fn distances(&mut self, lengths: &[u8]) -> Option<()> {
        let (shape, used) =
            fill::<{ 1 << DISTANCE_ROOT }>(lengths, &DISTANCES, &mut self.sorted, &mut self.distances)?;
        self.used += used;
        (shape != Shape::Bad).then_some(())
    }

    /// The same for the code of lengths, which zlib accepts if it is empty.
    pub(super) fn lengths(&mut self, lengths: &[u8; 19]) -> Option<()> {
        let (shape, _) =
            fill::<{ 1 << CODE_LENGTH_ROOT }>(lengths, &CODE_LENGTHS, &mut self.sorted, &mut self.lengths)?;
        matches!(shape, Shape::Complete | Shape::Empty).then_some(())
    }
}

/// Puts the entries `of` a code's symbols in the order of their codeword lengths. Returns the
/// counts of lengths, and the completeness.
fn sort(lengths: &[u8], of: &[u32], sorted: &mut [u32; SYMBOLS + 1]) -> ([usize; MAX_LEN + 1], Shape) {
    let mut counts = [0; MAX_LEN + 1];
    for lengths in lengths.chunks(8).filter(|lengths| has_codewords(lengths)) {
        for &len in lengths {
            counts[usize::from(len) & MAX_LEN] += 1;
        }
    }
    counts[0] = 0;
    let mut places = [0; MAX_LEN + 2];
    let mut used = 0;
    for len in 1..=MAX_LEN {
        places[len + 1] = places[len] + counts[len];
        used += counts[len] << (MAX_LEN - len);
    }
    let shape = match (used, places[MAX_LEN + 1]) {
        (0x8000, _) => Shape::Complete,
        (0x4000, 1) => Shape::Single,
        (0, _) => Shape::Empty,
        _ => return (counts, Shape::Bad),
    };
    // Symbols without a codeword all go to the place after the others.
    places[0] = places[MAX_LEN + 1];
    for (lengths, of) in lengths.chunks(8).zip(of.chunks(8)).filter(|(lengths, _)| has_codewords(lengths)) {
        for (&len, &of) in lengths.iter().zip(of) {
            let place = &mut places[usize::from(len) & MAX_LEN];
            sorted[*place] = of;
            *place += usize::from(len != 0);
        }
    }
    (counts, shape)
}

/// Returns whether some of up to eight symbols may have a codeword. Most literals have none in
/// text, and each would wait for the count of the one before.
fn has_codewords(lengths: &[u8]) -> bool {
    <[u8; 8]>::try_from(lengths).map_or(true, |lengths| u64::from_ne_bytes(lengths) != 0)
}

/// Fills a table, with a root of `SIZE` entries, with the entries `of` symbols. Returns the
/// completeness and the number of entries; `None` if the table were too short, which never happens.
/// `sorted` is for its use.
fn fill<const SIZE: usize>(
    lengths: &[u8],
    of: &[u32],
    sorted: &mut [u32; SYMBOLS + 1],
    table: &mut [u32],
) -> Option<(Shape, usize)> {
    let (counts, shape) = sort(lengths, of, sorted);
    let root = SIZE.ilog2();
    let (main, links) = table.split_first_chunk_mut::<SIZE>()?;
    if shape != Shape::Complete {
        main.fill(NO_SYMBOL);
        if shape == Shape::Single {
            let own = entry(sorted[0], 1);
            main.iter_mut().step_by(2).for_each(|entry| *entry = own);
        }
        return Some((shape, SIZE));
    }
    // Codewords are kept as in the stream, first bit lowest, so that the next bits are the index.
    let (mut codeword, mut index) = (0, 0);
    for len in 1..=root {
        let count = counts[len as usize];
        for &of in sorted.get(index..index + count)? {
            main[codeword % SIZE] = entry(of, len);
            codeword = next_codeword(codeword, len);
        }
        index += count;
        // The bits after a codeword don't matter, so the table for one bit more is this one twice.
        if len < root {
            main.copy_within(0..1 << len, 1 << len);
        }
    }
    let (mut prefix, mut start, mut end) = (SIZE, 0, 0);
    for len in root + 1..=MAX_LEN as u32 {
        let count = counts[len as usize];
        for (done, &of) in sorted.get(index..index + count)?.iter().enumerate() {
            if codeword % SIZE != prefix {
                prefix = codeword % SIZE;
                start = end;
                let mut bits = len - root;
                // Enough bits for all codewords with this prefix: shorter ones come first.
                let mut codewords = count - done;
                while codewords < 1 << bits {
                    bits += 1;
                    codewords = 2 * codewords + counts.get((root + bits) as usize)?;
                }
                end = start + (1 << bits);
                main[prefix] =
                    OTHER | TABLE_LINK | ((SIZE + start) as u32) << VALUE | bits << CODEWORD_BITS | root;
            }
            let own = entry(of, len - root);
            let places = links.get_mut(start..end)?.get_mut(codeword >> root..)?;
            places.iter_mut().step_by(1 << (len - root)).for_each(|entry| *entry = own);
            codeword = next_codeword(codeword, len);
        }
        index += count;
    }
    Some((shape, SIZE + end))
}

/// Returns the entry of a symbol with `len` remaining codeword bits.
fn entry(of: u32, len: u32) -> u32 {
    of + (len << CODEWORD_BITS) + len
}
