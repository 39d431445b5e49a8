//! Table entries: 16 bits that describe a codeword, and the layout of their tables.
//!
//! Every look-up takes the next [`INDEX_BITS`] bits of the stream and yields one entry, which is
//! also the token that the partition reads. Fields of an entry:
//!
//! | bits, from the lowest | |
//! |---|---|
//! | six | number of consumed bits: code and extra bits; none for a [stop](is_stop) |
//! | five | low bits of a literal, or the number of the length or distance symbol |
//! | one | the next look-up is for a distance |
//! | one | a link: no symbol yet, the next look-up is in the table of long codewords |
//! | three | high bits of a literal |
//!
//! The two flags in place are the offset in bytes of the next table, so that finding it is one
//! `and`. A literal and a distance look alike; the entry before tells them apart. A stop consumes
//! nothing and leads back to its own table, so a lane that meets one stays there until the chunk
//! ends.

use crate::deflate::tables::{DISTANCE, LENGTH};

/// Maximum codeword length.
pub(crate) const MAX_LEN: usize = 15;

/// Symbol that ends a block.
pub(crate) const END_OF_BLOCK: usize = 256;

/// Maximum number of symbols of a code.
pub(crate) const SYMBOLS: usize = 288;
/// A code's symbols in the order of their codewords, and slack for a vector.
pub(crate) type Sorted = [u16; SYMBOLS + 32];

/// Number of codewords of each length but 0.
pub(crate) type Counts = [u16; MAX_LEN + 1];

/// Bits that index a table. Longer codewords are found through a table link.
pub(crate) const INDEX_BITS: u32 = 10;
/// Entries of one table.
pub(crate) const TABLE_SIZE: usize = 1 << INDEX_BITS;
/// Entries of a lane: the four tables that bits 11 and 12 choose from.
pub(crate) const ENTRIES: usize = 4 * TABLE_SIZE;

/// The bits of an entry that are its consumption.
pub(crate) const CONSUMED: u16 = 63;
/// First bit of a symbol's number, or of a literal's low five bits.
pub(crate) const SYMBOL_SHIFT: u32 = 6;
/// The flag of entries before a distance: in bytes, where the distances' table starts.
pub(crate) const DISTANCE_TABLE: u16 = (TABLE_SIZE * size_of::<u16>()) as u16;
/// Flag of table links: the offset in bytes of the tables of long codewords.
pub(crate) const TABLE_LINK: u16 = 2 * DISTANCE_TABLE;
/// The bits that are the next table's offset in bytes.
pub(crate) const NEXT_TABLE: u16 = DISTANCE_TABLE | TABLE_LINK;

/// Minimum bits for a group of three look-ups: those that a register of 64 holds past the byte it
/// starts in. Distance, length, distance takes most; so the bits allowed for a distance depend on
/// those of a block's lengths (`tables.rs`).
pub(crate) const BIT_BUFFER: u32 = 56;

pub(crate) const fn is_stop(entry: u16) -> bool {
    entry & CONSUMED == 0
}

pub(crate) const fn literal(entry: u16) -> u8 {
    (entry >> SYMBOL_SHIFT & 0x1f | entry >> 8 & 0xe0) as u8
}

/// Entry of a symbol without one.
pub(crate) const NONE: u16 = u16::MAX;

/// By literal or length symbol. The end of a block has none, since a lane has to stop there.
pub(crate) const LITERAL_ENTRIES: [u16; 288] = {
    let mut entries = [NONE; 288];
    let mut i = 0;
    while i < 256 {
        entries[i] = (i as u16 & 0x1f) << SYMBOL_SHIFT | (i as u16 & 0xe0) << 8;
        i += 1;
    }
    let mut i = 0;
    while i < LENGTH.len() {
        entries[257 + i] = DISTANCE_TABLE | (i as u16) << SYMBOL_SHIFT | LENGTH[i].1 as u16;
        i += 1;
    }
    entries
};

/// By distance symbol.
pub(crate) const DISTANCE_ENTRIES: [u16; 32] = {
    let mut entries = [NONE; 32];
    let mut i = 0;
    while i < DISTANCE.len() {
        entries[i] = (i as u16) << SYMBOL_SHIFT | DISTANCE[i].1 as u16;
        i += 1;
    }
    entries
};

/// Base values by a symbol's number in an entry and the bit above it: distances, and from index 32
/// on lengths.
pub(crate) const BASES: [u16; 64] = by_symbol(true);
/// Counts of extra bits, by the same index.
pub(crate) const EXTRAS: [u16; 64] = by_symbol(false);

const fn by_symbol(base: bool) -> [u16; 64] {
    let mut values = [0; 64];
    let mut i = 0;
    while i < DISTANCE.len() {
        values[i] = if base { DISTANCE[i].0 } else { DISTANCE[i].1 as u16 };
        i += 1;
    }
    let mut i = 0;
    while i < LENGTH.len() {
        values[32 + i] = if base { LENGTH[i].0 } else { LENGTH[i].1 as u16 };
        i += 1;
    }
    values
}
