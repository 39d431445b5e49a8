//! Bits of tokens: the codes of a block, and tables of the codeword and extra bits of each token.

use super::huffman::{Code, MAX_LEN};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::symbols::{
    DISTANCES, END, Histogram, LITERAL, LITERAL_PLACES, LITERALS, Token, distance_extra, distance_symbol,
    length_places, place_of,
};
use crate::deflate::tables::LENGTH;

/// Lengths of the fixed code codewords of literals and lengths (RFC 1951, section 3.2.6).
pub(crate) const FIXED_LENGTHS: [u8; 288] = {
    let mut lengths = [8; 288];
    let mut symbol = 144;
    while symbol < 280 {
        lengths[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lengths
};
/// Length of the fixed code codewords of distances.
pub(crate) const FIXED_DISTANCE: u8 = 5;

/// The codes of a block.
#[derive(Clone, Copy)]
pub(crate) struct Codes {
    pub(crate) literals: Code<LITERALS>,
    pub(crate) distances: Code<DISTANCES>,
}

impl Codes {
    pub(crate) const EMPTY: Self = Self { literals: Code::EMPTY, distances: Code::EMPTY };

    /// Sets the codes to those that take the fewest bits for these counts.
    pub(crate) fn assign(&mut self, counts: &Histogram) {
        self.literals.assign(&counts.literals, MAX_LEN);
        self.distances.assign(&counts.distances, MAX_LEN);
    }

    /// Returns the fixed codes (RFC 1951, section 3.2.6).
    pub(crate) fn fixed() -> Self {
        let mut lengths = [0; LITERALS];
        lengths.copy_from_slice(&FIXED_LENGTHS[..LITERALS]);
        let mut codewords = [0; LITERALS];
        // The two symbols that never occur have codewords too.
        codewords.copy_from_slice(&Code::of(FIXED_LENGTHS).codewords[..LITERALS]);
        Self { literals: Code { lengths, codewords }, distances: Code::of([FIXED_DISTANCE; DISTANCES]) }
    }

    /// Returns the bits of a block's tokens and its end, without extra bits.
    pub(crate) fn cost(&self, counts: &Histogram) -> u64 {
        self.literals.cost(&counts.literals) + self.distances.cost(&counts.distances)
    }
}

/// Codeword and extra bits of each literal and length, by place, with their number above `COUNT`.
type Codewords = [u32; LITERAL_PLACES];
/// First bit of the count; a length takes up to 15 + 5 bits.
pub(crate) const COUNT: u32 = 24;
/// First bit of the codeword length in the entry of a distance.
pub(crate) const DISTANCE_LEN: u32 = 16;
/// First bit of the number of extra bits in the entry of a distance.
pub(crate) const EXTRA: u32 = 24;

/// Sets the codeword of each literal and length.
fn assign_codewords(codewords: &mut Codewords, code: &Code<LITERALS>) {
    for (symbol, entry) in codewords[..END].iter_mut().enumerate() {
        *entry = u32::from(code.codewords[symbol]) | u32::from(code.lengths[symbol]) << COUNT;
    }
    for (index, &(_, extra)) in LENGTH.iter().enumerate() {
        let (len, bits) = (code.lengths[END + 1 + index], u32::from(code.codewords[END + 1 + index]));
        let word_of = bits | (u32::from(len) + u32::from(extra)) << COUNT;
        for (above, entry) in codewords[END..][length_places(index)].iter_mut().enumerate() {
            *entry = word_of | (above as u32) << len;
        }
    }
}

/// Returns the codeword of each distance symbol, with its length from `DISTANCE_LEN` on and the
/// number of its extra bits from `EXTRA` on; 0 from `DISTANCES` on, the entry of literals.
fn distance_codewords(code: &Code<DISTANCES>) -> [u32; 32] {
    std::array::from_fn(|symbol| match symbol < DISTANCES {
        true => {
            u32::from(code.codewords[symbol])
                | u32::from(code.lengths[symbol]) << DISTANCE_LEN
                | distance_extra(symbol) << EXTRA
        }
        false => 0,
    })
}

/// Bits of every token of a block.
#[derive(Clone, Copy)]
pub(crate) struct Tables {
    pub(crate) codewords: Codewords,
    pub(crate) distances: [u32; 32],
    end: (u16, u8),
}

impl Tables {
    pub(crate) const EMPTY: Self = Self { codewords: [0; LITERAL_PLACES], distances: [0; 32], end: (0, 0) };

    /// Sets the bits to those in a block's codes.
    pub(crate) fn assign(&mut self, codes: &Codes) {
        assign_codewords(&mut self.codewords, &codes.literals);
        self.distances = distance_codewords(&codes.distances);
        self.end = (codes.literals.codewords[END], codes.literals.lengths[END]);
    }
}

/// Writes a block's tokens and its end.
#[inline(always)]
pub(crate) fn tokens(tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
    to.flush();
    tokens.iter().for_each(|&token| self::token(token, tables, to));
    to.put(tables.end.0.into(), tables.end.1.into());
    to.flush();
}

/// Writes a token. No branch depends on it: a literal has a distance of no bits.
#[inline(always)]
pub(crate) fn token(token: Token, tables: &Tables, to: &mut BitWriter<'_>) {
    // At most 55 bits: pending ones, and the codewords and extra bits of a length and a distance.
    let entry = tables.codewords[place_of(token)];
    to.put((entry & ((1 << COUNT) - 1)).into(), entry >> COUNT);
    let symbol = if token & LITERAL != 0 { DISTANCES } else { distance_symbol(token & 0x7fff) };
    let entry = tables.distances[symbol & 31];
    let (len, extra) = (entry >> DISTANCE_LEN & 255, entry >> EXTRA);
    // A distance less one is its base less one, a multiple of a power of two, plus the extra bits.
    let above = u64::from(token) & ((1 << extra) - 1);
    to.put(u64::from(entry & 0xffff) | above << len, len + extra);
    to.flush();
}
