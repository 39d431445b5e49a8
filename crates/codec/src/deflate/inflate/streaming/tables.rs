//! Tables that tell a code's symbols by the next bits.
//!
//! A table has an entry for every value of a code's next `ROOT` bits. Words that are longer share one that leads to a table of
//! their own, which the bits after those tell apart.

use crate::deflate::inflate::batch::entry::{MAX_LEN, SYMBOLS};
use crate::deflate::inflate::batch::tables::next_codeword;
use crate::deflate::tables::{DISTANCE, LENGTH};

/// Lowest bits of an entry: how many bits its word and what is added to its value take, from here on.
pub(crate) const TAKEN: u32 = 63;
/// Where the number of bits of the word alone starts, from here on; of a link, how many bits tell what it leads to.
pub(crate) const WORD: u32 = 8;
/// Not a length or a distance, nor a literal: one of the next two, or a word that the code does not have.
pub(crate) const OTHER: u32 = 1 << 15;
/// Leads to the table that starts at entry [`VALUE`].
pub(crate) const TABLE_LINK: u32 = 1 << 14;
/// The end of the block.
pub(crate) const END: u32 = 1 << 13;
/// A literal.
pub(crate) const LITERAL: u32 = 1 << 31;
/// Where the value starts: a literal, or what a length or a distance is without what is added.
pub(crate) const VALUE: u32 = 16;

/// Bits that tell most literals and lengths, and most distances: with more, tables take longer to fill than links cost.
pub(crate) const LITERAL_ROOT: u32 = 11;
pub(crate) const DISTANCE_ROOT: u32 = 8;
/// Bits that tell every word of the code for lengths.
pub(super) const CODE_LENGTH_ROOT: u32 = 7;

/// The most entries that a code of up to 288 words takes with a root of 11 bits, and one of 32 words with 8: from the program
/// `enough` that comes with zlib, called with 288 11 15 and 32 8 15.
pub(crate) const LITERAL_ENTRIES: usize = 2342;
pub(crate) const DISTANCE_ENTRIES: usize = 402;

/// A word that no symbol has. Of those, codes that are not complete have words of one bit only.
const NO_SYMBOL: u32 = OTHER | 1 << WORD | 1;

/// By symbol, without the bits of its word.
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

static LENS: [u32; 19] = {
    let mut entries = [0; 19];
    let mut i = 0;
    while i < 19 {
        entries[i] = (i as u32) << VALUE;
        i += 1;
    }
    entries
};

/// What the lengths of a code's words make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Every sequence of bits begins with one of its words.
    Complete,
    /// It has one word, of one bit.
    Single,
    /// It has none.
    Empty,
    /// None of these, which zlib takes for damage.
    Bad,
}

/// A block's codes.
#[derive(Clone)]
pub(crate) struct Tables {
    pub(crate) literals: [u32; LITERAL_ENTRIES],
    pub(crate) distances: [u32; DISTANCE_ENTRIES],
    pub(super) lens: [u32; 1 << CODE_LENGTH_ROOT],
    /// Entries of the first two that a header has filled.
    pub(super) used: usize,
}

impl Tables {
    pub(super) const EMPTY: Self = Self {
        literals: [0; LITERAL_ENTRIES],
        distances: [0; DISTANCE_ENTRIES],
        lens: [0; 1 << CODE_LENGTH_ROOT],
        used: 0,
    };

    /// Fills the table of literals and lengths. `None` unless zlib accepts the code.
    pub(super) fn literals(&mut self, lens: &[u8]) -> Option<()> {
        let (shape, used) = fill::<{ 1 << LITERAL_ROOT }>(lens, &LITERALS, &mut self.literals)?;
        self.used = used;
        matches!(shape, Shape::Complete | Shape::Single).then_some(())
    }

    /// The same for distances, of which there may be none.
    pub(super) fn distances(&mut self, lens: &[u8]) -> Option<()> {
        let (shape, used) = fill::<{ 1 << DISTANCE_ROOT }>(lens, &DISTANCES, &mut self.distances)?;
        self.used += used;
        (shape != Shape::Bad).then_some(())
    }

    /// The same for the code of lengths, which zlib accepts if it is empty.
    pub(super) fn lens(&mut self, lens: &[u8; 19]) -> Option<()> {
        let (shape, _) = fill::<{ 1 << CODE_LENGTH_ROOT }>(lens, &LENS, &mut self.lens)?;
        matches!(shape, Shape::Complete | Shape::Empty).then_some(())
    }
}

/// Puts the entries `of` a code's symbols in the order of their words' lengths; how many there are of each, and what they make.
fn sort(lens: &[u8], of: &[u32], sorted: &mut [u32; SYMBOLS + 1]) -> ([usize; MAX_LEN + 1], Shape) {
    let mut counts = [0; MAX_LEN + 1];
    for &len in lens {
        counts[usize::from(len) & MAX_LEN] += 1;
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
    // Symbols without a word all go to the place after the others.
    places[0] = places[MAX_LEN + 1];
    for (&of, &len) in of.iter().zip(lens) {
        let place = &mut places[usize::from(len) & MAX_LEN];
        sorted[*place] = of;
        *place += usize::from(len != 0);
    }
    (counts, shape)
}

/// Fills a table whose root has `SIZE` entries with the entries `of` symbols; what the code is, and how many entries it has.
/// `None` if the table were too short, which it never is.
fn fill<const SIZE: usize>(lens: &[u8], of: &[u32], table: &mut [u32]) -> Option<(Shape, usize)> {
    let mut sorted = [0; SYMBOLS + 1];
    let (counts, shape) = sort(lens, of, &mut sorted);
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
    // Words are kept with their first bit lowest, as the stream has them, so that the next bits are the index.
    let (mut word, mut index) = (0, 0);
    for len in 1..=root {
        let count = counts[len as usize];
        for &of in sorted.get(index..index + count)? {
            main[word % SIZE] = entry(of, len);
            word = next_codeword(word, len);
        }
        index += count;
        // What follows a word does not matter, so the table for one bit more is this one twice.
        if len < root {
            main.copy_within(0..1 << len, 1 << len);
        }
    }
    let (mut prefix, mut start, mut end) = (SIZE, 0, 0);
    for len in root + 1..=MAX_LEN as u32 {
        let count = counts[len as usize];
        for (done, &of) in sorted.get(index..index + count)?.iter().enumerate() {
            if word % SIZE != prefix {
                prefix = word % SIZE;
                start = end;
                let mut bits = len - root;
                // As many bits as tell all words with this prefix: those of each length come before the longer.
                let mut words = count - done;
                while words < 1 << bits {
                    bits += 1;
                    words = 2 * words + counts.get((root + bits) as usize)?;
                }
                end = start + (1 << bits);
                main[prefix] = OTHER | TABLE_LINK | ((SIZE + start) as u32) << VALUE | bits << WORD | root;
            }
            let own = entry(of, len - root);
            let places = links.get_mut(start..end)?.get_mut(word >> root..)?;
            places.iter_mut().step_by(1 << (len - root)).for_each(|entry| *entry = own);
            word = next_codeword(word, len);
        }
        index += count;
    }
    Some((shape, SIZE + end))
}

/// The entry of a symbol whose word has `len` bits from here on.
fn entry(of: u32, len: u32) -> u32 {
    of + (len << WORD) + len
}
