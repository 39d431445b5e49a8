//! Tokens, and the symbols that stand for them (RFC 1951, section 3.2.5).

use std::ops::Range;

use crate::deflate::tables::{DISTANCE, LENGTH};

/// The shortest match.
pub(crate) const MIN_MATCH: usize = 3;
/// The longest match.
pub(crate) const MAX_MATCH: usize = 258;
/// The farthest match.
pub(crate) const WINDOW: usize = 1 << 15;
/// Symbols for literals, the end of a block and lengths.
pub(crate) const LITERALS: usize = 286;
/// Symbols for distances.
pub(crate) const DISTANCES: usize = 30;
/// The symbol that ends a block.
pub(crate) const END: usize = 256;

/// What a match_finder found at a position: the length of the longest match times 2^16, plus its distance. Below
/// `match_finder::HASHED`, the length says that there is none.
pub(crate) type Match = u32;

/// A step through the uncompressed data: how many bytes it stands for times 2^16, plus the distance of a match less one, or for a
/// literal, `LITERAL` and the byte.
pub(crate) type Token = u32;

/// Set in the token of a literal; distances less one are smaller.
pub(crate) const LITERAL: u32 = 1 << 15;

/// A find.
#[inline(always)]
pub(crate) const fn match_of(len: usize, distance: usize) -> Match {
    (len << 16 | distance) as Match
}

/// The distance of a find.
#[inline(always)]
pub(crate) const fn distance_of(found: Match) -> usize {
    (found & 0xffff) as usize
}

/// The token of a literal.
#[inline(always)]
pub(crate) const fn literal(byte: u8) -> Token {
    1 << 16 | LITERAL | byte as u32
}

/// The bytes that a token stands for.
#[inline(always)]
pub(crate) const fn len_of(token: Token) -> usize {
    (token >> 16) as usize
}

/// Where a token's literal or length stands among `LITERAL_PLACES`: bytes first, then lengths less `MIN_MATCH`.
#[inline(always)]
pub(crate) const fn place_of(token: Token) -> usize {
    let place = if token & LITERAL != 0 { token & 255 } else { (token >> 16) + 256 - MIN_MATCH as u32 };
    (place & (LITERAL_PLACES as u32 - 1)) as usize
}

/// 256 bytes and 256 lengths.
pub(crate) const LITERAL_PLACES: usize = 512;

/// By length less `MIN_MATCH`: the index of its symbol in `LENGTH`.
pub(crate) const LENGTH_INDEX: [u8; 256] = {
    let mut of = [0; 256];
    let mut index = 0;
    while index < LENGTH.len() {
        // In order, so that 258 goes to the last symbol and not to the one before, which would reach it.
        let (base, extra) = LENGTH[index];
        let mut len = base as usize;
        while len < base as usize + (1 << extra) && len <= MAX_MATCH {
            of[len - MIN_MATCH] = index as u8;
            len += 1;
        }
        index += 1;
    }
    of
};

/// The lengths less `MIN_MATCH` of a symbol, by its index in `LENGTH`.
pub(crate) const fn length_places(index: usize) -> Range<usize> {
    let end = if index + 1 < LENGTH.len() { LENGTH[index + 1].0 as usize } else { MAX_MATCH + 1 };
    LENGTH[index].0 as usize - MIN_MATCH..end - MIN_MATCH
}

/// The symbols of distances, by distance less one below 256, then by that divided by 128: from 257 on, at least seven extra
/// bits make the lower bits irrelevant.
static DISTANCE_SYMBOL: [u8; 512] = {
    let mut of = [0; 512];
    let mut symbol = 0;
    while symbol < DISTANCE.len() {
        let (base, extra) = DISTANCE[symbol];
        let mut less = base as usize - 1;
        let end = less + (1 << extra);
        while less < end {
            of[if less < 256 { less } else { 256 + less / 128 }] = symbol as u8;
            less += 1;
        }
        symbol += 1;
    }
    of
};

/// The symbol of a distance less one.
#[inline(always)]
pub(crate) fn distance_symbol(less: u32) -> usize {
    let place = if less < 256 { less } else { 256 + (less >> 7) };
    DISTANCE_SYMBOL[(place & 511) as usize].into()
}

/// How often each symbol occurs.
#[derive(Clone)]
pub(crate) struct Histogram {
    pub(crate) literals: [u32; LITERALS],
    pub(crate) distances: [u32; DISTANCES],
}

impl Histogram {
    pub(crate) const EMPTY: Self = Self { literals: [0; LITERALS], distances: [0; DISTANCES] };

    /// Adds another one's counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.literals.iter_mut().zip(&other.literals).for_each(|(to, from)| *to += from);
        self.distances.iter_mut().zip(&other.distances).for_each(|(to, from)| *to += from);
    }
}

/// Extra bits of a symbol for a literal or a length.
pub(crate) const fn length_extra(symbol: usize) -> u32 {
    if symbol <= END { 0 } else { LENGTH[symbol - END - 1].1 as u32 }
}

/// Extra bits of a distance symbol.
pub(crate) const fn distance_extra(symbol: usize) -> u32 {
    DISTANCE[symbol].1 as u32
}
