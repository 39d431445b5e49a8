//! Links of the sequential parser: the distance from each position to the one before with the same
//! hash.

use std::collections::TryReserveError;
use std::ops::Range;

use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::match_finder::buckets::SPREAD;
use crate::deflate::encoder::match_finder::chains::{TAG, entry};
use crate::deflate::encoder::symbols::MIN_MATCH;

/// Hashed bytes.
pub(crate) const HASHED: usize = 4;
/// Logarithms of the numbers of entries: for four bytes, and for three.
const BITS: u32 = 16;
const BITS_OF_THREE: u32 = 13;
/// Positions whose links are kept: more than a window and a chunk. Their low 16 bits are the index.
pub(crate) const KEPT: usize = 1 << 16;
/// Positions that are linked together. Their links are in one piece.
const GROUP: usize = 64;
/// Bits of a link that hold the distance less one.
pub(crate) const DISTANCE: u16 = 0x7fff;
/// Set in the link of a position to one with other bytes, which only has the same hash.
pub(crate) const OTHER: u16 = !DISTANCE;
/// Link of a position that has none.
pub(crate) const NONE: u16 = u16::MAX;
/// Maximum distance of a match of three bytes: a farther one costs as much as its literals.
const MAX_DISTANCE_OF_THREE: u32 = 1 << 12;

/// The last positions by hash, and the links of a window and a chunk.
pub(crate) struct Links {
    /// Last position with each hash of four bytes, as an entry.
    heads: Vec<u32>,
    /// The same for three bytes.
    heads_of_three: Vec<u32>,
    /// Link from each position to the one before with the same hash of four bytes.
    pub(super) of_four: Vec<u16>,
    /// The same for three bytes, if these are equal and near.
    pub(super) of_three: Vec<u16>,
    /// Positions below are linked.
    linked: usize,
    /// Whether matches of three bytes are linked.
    pub(super) has_three: bool,
}

impl Links {
    pub(crate) const fn new() -> Self {
        Self {
            heads: Vec::new(),
            heads_of_three: Vec::new(),
            of_four: Vec::new(),
            of_three: Vec::new(),
            linked: 0,
            has_three: false,
        }
    }

    pub(crate) fn reserve(&mut self) -> Result<(), TryReserveError> {
        sized_to(&mut self.heads, 1 << BITS)?;
        sized_to(&mut self.heads_of_three, 1 << BITS_OF_THREE)?;
        sized_to(&mut self.of_four, KEPT)?;
        sized_to(&mut self.of_three, KEPT)
    }

    /// Clears the state. The memory was reserved.
    pub(crate) fn reset(&mut self) {
        self.heads.fill(0);
        self.heads_of_three.fill(0);
        (self.linked, self.has_three) = (0, false);
    }

    /// Sets whether matches of three bytes are linked, from the next positions on.
    pub(crate) fn set_three(&mut self, has_three: bool) {
        self.has_three = has_three;
    }

    /// Links the positions up to `end` that are not linked yet. The last ones of the buffer, which
    /// have no four bytes, have no link.
    #[inline(always)]
    pub(crate) fn link(&mut self, buffer: &[u8], end: usize) {
        let range = self.linked..end.max(self.linked);
        self.linked = range.end;
        let limit = (buffer.len() + 1).saturating_sub(HASHED).clamp(range.start, range.end);
        let mut at = range.start;
        while at < limit {
            let end = (at / GROUP * GROUP + GROUP).min(limit);
            link::<HASHED, { 1 << BITS }>(sized(&mut self.heads), &mut self.of_four, buffer, at..end);
            at = end;
        }
        let mut at = if self.has_three { range.start } else { limit };
        while at < limit {
            let end = (at / GROUP * GROUP + GROUP).min(limit);
            let heads = sized(&mut self.heads_of_three);
            link::<MIN_MATCH, { 1 << BITS_OF_THREE }>(heads, &mut self.of_three, buffer, at..end);
            at = end;
        }
        for at in limit..range.end {
            self.of_four[usize::from(at as u16)] = NONE;
            self.of_three[usize::from(at as u16)] = NONE;
        }
    }
}

/// Links positions of a group by `BYTES` bytes.
///
/// The pass over the heads cannot be done in vectors, the one after it is.
#[inline(always)]
fn link<const BYTES: usize, const HEADS: usize>(
    heads: &mut [u32; HEADS],
    links: &mut [u16],
    buffer: &[u8],
    range: Range<usize>,
) {
    let (start, len) = (range.start, range.len());
    let bits = HEADS.ilog2();
    let (mut hashes, mut before) = ([0; GROUP], [0; GROUP]);
    let words = buffer[start..start + len + HASHED - 1].windows(HASHED);
    for (((number, word), hash), before) in words.enumerate().zip(&mut hashes).zip(&mut before) {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        // Without the bytes that are too many.
        *hash = word.wrapping_mul(SPREAD << (8 * (HASHED - BYTES)));
        let head = &mut heads[(*hash >> (u32::BITS - bits)) as usize];
        *before = std::mem::replace(head, entry(*hash, bits, start + number));
    }
    let links = &mut links[usize::from(start as u16)..][..len];
    for (((number, &hash), &before), link) in hashes[..len].iter().enumerate().zip(&before).zip(links) {
        let new = entry(hash, bits, start + number);
        // Positions from long ago may seem near. That does no harm: their bytes are compared.
        let distance = new.wrapping_sub(before).wrapping_sub(1) & !TAG;
        let is_other = (new ^ before) & TAG != 0;
        *link = if BYTES == HASHED {
            let link = if distance > DISTANCE.into() { NONE } else { distance as u16 };
            link | if is_other { OTHER } else { 0 }
        } else if is_other || distance >= MAX_DISTANCE_OF_THREE {
            NONE
        } else {
            distance as u16
        };
    }
}

/// Returns a table as an array.
fn sized<T, const N: usize>(table: &mut [T]) -> &mut [T; N] {
    table.try_into().expect("the memory was reserved")
}

/// Gives a table its length.
fn sized_to<T: Copy + Default>(table: &mut Vec<T>, len: usize) -> Result<(), TryReserveError> {
    reserve(table, len)?;
    table.resize(len, T::default());
    Ok(())
}
