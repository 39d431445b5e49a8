//! Writing one block, in whichever of the three ways is shortest.

use super::bits::BitWriter;
use super::engine::Engine;
use super::header::Header;
use super::huffman::{Code, MAX_LEN};
use super::symbols::{
    DISTANCES, END, Histogram, LENGTH_INDEX, LITERAL, LITERAL_PLACES, LITERALS, MIN_MATCH, Token,
    distance_extra, distance_symbol, length_extra, place_of,
};
use crate::deflate::tables::LENGTH;

/// Types of blocks (RFC 1951, section 3.2.3).
const STORED: u64 = 0;
const FIXED: u64 = 1;
const DYNAMIC: u64 = 2;

/// Lengths of the fixed code words of literals and lengths (RFC 1951, section 3.2.6).
const FIXED_LENS: [u8; 288] = {
    let mut lens = [8; 288];
    let mut symbol = 144;
    while symbol < 280 {
        lens[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lens
};
/// Length of the fixed code words of distances.
const FIXED_DISTANCE: u8 = 5;

/// The most bytes that a stored block holds.
const STORED_LIMIT: usize = 0xffff;

/// The codes of a block, their costs known.
pub(super) struct Codes {
    pub(super) literals: Code<LITERALS>,
    pub(super) distances: Code<DISTANCES>,
}

impl Codes {
    /// The best codes for some counts.
    pub(super) fn best(counts: &Histogram) -> Self {
        Self {
            literals: Code::best(&counts.literals, MAX_LEN),
            distances: Code::best(&counts.distances, MAX_LEN),
        }
    }

    /// The fixed codes (RFC 1951, section 3.2.6).
    fn fixed() -> Self {
        let mut lens = [0; LITERALS];
        lens.copy_from_slice(&FIXED_LENS[..LITERALS]);
        let mut words = [0; LITERALS];
        // The two symbols that never occur have words too.
        words.copy_from_slice(&Code::of(FIXED_LENS).words[..LITERALS]);
        Self { literals: Code { lens, words }, distances: Code::of([FIXED_DISTANCE; DISTANCES]) }
    }

    /// Bits of the block's tokens and its end.
    fn cost(&self, counts: &Histogram) -> u64 {
        self.literals.cost(&counts.literals) + self.distances.cost(&counts.distances)
    }
}

/// Bits of a block's tokens and its end in the fixed codes.
fn fixed_cost(counts: &Histogram) -> u64 {
    let literals =
        counts.literals.iter().zip(FIXED_LENS).map(|(&count, len)| u64::from(count) * u64::from(len));
    let distances = counts.distances.iter().map(|&count| u64::from(count) * u64::from(FIXED_DISTANCE));
    literals.chain(distances).sum()
}

/// Bits that are the same in any code.
fn extra_cost(counts: &Histogram) -> u64 {
    let lengths = (END + 1..LITERALS)
        .map(|symbol| u64::from(counts.literals[symbol]) * u64::from(length_extra(symbol)));
    let distances =
        (0..DISTANCES).map(|symbol| u64::from(counts.distances[symbol]) * u64::from(distance_extra(symbol)));
    lengths.chain(distances).sum()
}

/// Bits of stored blocks for `len` bytes that start at some offset in a byte.
fn stored_cost(len: usize, offset: u32) -> u64 {
    let blocks = len.div_ceil(STORED_LIMIT).max(1) as u64;
    // Only the first starts within a byte: the others' three bits make up a whole one.
    let first = u64::from((offset + 3).next_multiple_of(8) - offset);
    first + 8 * (blocks - 1) + 32 * blocks + 8 * len as u64
}

/// Writes a block of `tokens`, which stand for `plain`. `counts` are theirs and the end's. `None` if it does not fit.
pub(super) fn block(
    engine: Engine,
    tokens: &[Token],
    counts: &Histogram,
    plain: &[u8],
    is_last: bool,
    to: &mut BitWriter<'_>,
) -> Option<()> {
    let extra = extra_cost(counts);
    let stored = stored_cost(plain.len(), to.offset());
    let fixed = 3 + fixed_cost(counts) + extra;
    let codes = Codes::best(counts);
    let header = Header::new(&codes.literals.lens, &codes.distances.lens);
    let dynamic = header.cost + codes.cost(counts) + extra;
    if stored <= fixed && stored <= dynamic {
        return self::stored(plain, is_last, to);
    }
    if fixed.min(dynamic) > to.room() {
        return None;
    }
    to.put(u64::from(is_last), 1);
    if fixed <= dynamic {
        to.put(FIXED, 2);
        engine.emit(tokens, &Tables::new(&Codes::fixed()), to);
    } else {
        to.put(DYNAMIC, 2);
        header.write(to);
        engine.emit(tokens, &Tables::new(&codes), to);
    }
    Some(())
}

/// Writes plain bytes as stored blocks. `None` if they don't fit.
pub(super) fn stored(plain: &[u8], is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
    if stored_cost(plain.len(), to.offset()) > to.room() {
        return None;
    }
    let mut rest = plain;
    loop {
        let (part, after) = rest.split_at(rest.len().min(STORED_LIMIT));
        to.put(u64::from(is_last && after.is_empty()), 1);
        to.put(STORED, 2);
        to.flush();
        to.align()?;
        let len = part.len() as u16;
        to.bytes(&len.to_le_bytes());
        to.bytes(&(!len).to_le_bytes());
        to.bytes(part);
        rest = after;
        if rest.is_empty() {
            return Some(());
        }
    }
}

/// What is written for each literal and length, by place: bits with the extra ones, and above `COUNT` how many.
type Words = [u32; LITERAL_PLACES];
/// Bits from here on are a count; a length takes 15 + 5 bits.
pub(super) const COUNT: u32 = 24;
/// In a distance's word, where its length starts.
pub(super) const DISTANCE_LEN: u32 = 16;

fn words(code: &Code<LITERALS>) -> Words {
    let mut words = [0; LITERAL_PLACES];
    for symbol in 0..END {
        words[symbol] = u32::from(code.words[symbol]) | u32::from(code.lens[symbol]) << COUNT;
    }
    for (less, word) in words[END..].iter_mut().enumerate() {
        let index = usize::from(LENGTH_INDEX[less]);
        let symbol = END + 1 + index;
        let (base, extra) = LENGTH[index];
        let above = (less + MIN_MATCH) as u32 - u32::from(base);
        let bits = u32::from(code.words[symbol]) | above << code.lens[symbol];
        *word = bits | (u32::from(code.lens[symbol]) + u32::from(extra)) << COUNT;
    }
    words
}

/// What is written for each distance symbol: the word, its length from bit 16 and how many extra bits from bit 24. Nothing
/// from `DISTANCES` on, where literals are sent.
fn distance_words(code: &Code<DISTANCES>) -> [u32; 32] {
    std::array::from_fn(|symbol| match symbol < DISTANCES {
        true => {
            u32::from(code.words[symbol]) | u32::from(code.lens[symbol]) << 16 | distance_extra(symbol) << 24
        }
        false => 0,
    })
}

/// What is written for each token.
pub(super) struct Tables {
    pub(super) words: Words,
    pub(super) distances: [u32; 32],
    end: (u16, u8),
}

impl Tables {
    fn new(codes: &Codes) -> Self {
        Self {
            words: words(&codes.literals),
            distances: distance_words(&codes.distances),
            end: (codes.literals.words[END], codes.literals.lens[END]),
        }
    }
}

/// Writes a block's tokens and its end.
#[inline(always)]
pub(super) fn tokens(tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    tokens.iter().for_each(|&token| self::token(token, tables, to));
    to.put(tables.end.0.into(), tables.end.1.into());
    to.flush();
}

/// Writes a token. No branch depends on it: a literal has a distance of no bits.
#[inline(always)]
pub(super) fn token(token: Token, tables: &Tables, to: &mut BitWriter<'_>) {
    // At most 7 bits of before, 15 + 5 of the length and 15 + 13 of the distance: 55.
    let word = tables.words[place_of(token)];
    to.put((word & ((1 << COUNT) - 1)).into(), word >> COUNT);
    let symbol = if token & LITERAL != 0 { DISTANCES } else { distance_symbol(token & 0x7fff) };
    let word = tables.distances[symbol & 31];
    let (len, extra) = (word >> DISTANCE_LEN & 255, word >> 24);
    // A distance less one, as its base less one, is a multiple of a power of two plus what the extra bits say.
    let above = u64::from(token) & ((1 << extra) - 1);
    to.put(u64::from(word & 0xffff) | above << len, len + extra);
    to.flush();
}

#[cfg(test)]
mod tests;
