//! Tokens as bits.

use super::huffman::Code;
use super::writer::Codes;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::symbols::{
    DISTANCES, END, LITERAL, LITERAL_PLACES, LITERALS, Token, distance_extra, distance_symbol, length_places,
    place_of,
};
use crate::deflate::tables::LENGTH;

/// What is written for each literal and length, by place: bits with the extra ones, and above `COUNT` how many.
type Codewords = [u32; LITERAL_PLACES];
/// Bits from here on are a count; a length takes 15 + 5 bits.
pub(crate) const COUNT: u32 = 24;
/// In a distance's word, where its length starts.
pub(crate) const DISTANCE_LEN: u32 = 16;
/// In a distance's word, where the number of its extra bits starts.
pub(crate) const EXTRA: u32 = 24;

fn codewords(code: &Code<LITERALS>) -> Codewords {
    let mut codewords = [0; LITERAL_PLACES];
    for (symbol, word) in codewords[..END].iter_mut().enumerate() {
        *word = u32::from(code.codewords[symbol]) | u32::from(code.lengths[symbol]) << COUNT;
    }
    for (index, &(_, extra)) in LENGTH.iter().enumerate() {
        let (len, bits) = (code.lengths[END + 1 + index], u32::from(code.codewords[END + 1 + index]));
        let word_of = bits | (u32::from(len) + u32::from(extra)) << COUNT;
        for (above, word) in codewords[END..][length_places(index)].iter_mut().enumerate() {
            *word = word_of | (above as u32) << len;
        }
    }
    codewords
}

/// What is written for each distance symbol: the word, its length from `DISTANCE_LEN` on, and how many extra bits from `EXTRA` on. Nothing
/// from `DISTANCES` on, where literals are sent.
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

/// What is written for each token.
pub(crate) struct Tables {
    pub(crate) codewords: Codewords,
    pub(crate) distances: [u32; 32],
    end: (u16, u8),
}

impl Tables {
    pub(crate) fn new(codes: &Codes) -> Self {
        Self {
            codewords: codewords(&codes.literals),
            distances: distance_codewords(&codes.distances),
            end: (codes.literals.codewords[END], codes.literals.lengths[END]),
        }
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
    // At most 7 bits of before, 15 + 5 of the length and 15 + 13 of the distance: 55.
    let word = tables.codewords[place_of(token)];
    to.put((word & ((1 << COUNT) - 1)).into(), word >> COUNT);
    let symbol = if token & LITERAL != 0 { DISTANCES } else { distance_symbol(token & 0x7fff) };
    let word = tables.distances[symbol & 31];
    let (len, extra) = (word >> DISTANCE_LEN & 255, word >> EXTRA);
    // A distance less one, as its base less one, is a multiple of a power of two plus what the extra bits say.
    let above = u64::from(token) & ((1 << extra) - 1);
    to.put(u64::from(word & 0xffff) | above << len, len + extra);
    to.flush();
}
