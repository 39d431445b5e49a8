//! Writing one block, in whichever of the three ways is shortest.

use super::header::Header;
use super::huffman::{Code, MAX_LEN};
use super::token_writer::Tables;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::symbols::{
    DISTANCES, END, Histogram, LITERALS, Token, distance_extra, length_extra,
};

/// Types of blocks (RFC 1951, section 3.2.3).
const STORED: u64 = 0;
const FIXED: u64 = 1;
const DYNAMIC: u64 = 2;

/// Lengths of the fixed code codewords of literals and lengths (RFC 1951, section 3.2.6).
const FIXED_LENGTHS: [u8; 288] = {
    let mut lengths = [8; 288];
    let mut symbol = 144;
    while symbol < 280 {
        lengths[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    lengths
};
/// Length of the fixed code codewords of distances.
const FIXED_DISTANCE: u8 = 5;

/// The most bytes that a stored block holds.
const STORED_LIMIT: usize = 0xffff;

/// The codes of a block, their costs known.
pub(crate) struct Codes {
    pub(crate) literals: Code<LITERALS>,
    pub(crate) distances: Code<DISTANCES>,
}

impl Codes {
    /// The best codes for some counts.
    pub(crate) fn best(counts: &Histogram) -> Self {
        Self {
            literals: Code::best(&counts.literals, MAX_LEN),
            distances: Code::best(&counts.distances, MAX_LEN),
        }
    }

    /// The fixed codes (RFC 1951, section 3.2.6).
    fn fixed() -> Self {
        let mut lengths = [0; LITERALS];
        lengths.copy_from_slice(&FIXED_LENGTHS[..LITERALS]);
        let mut codewords = [0; LITERALS];
        // The two symbols that never occur have codewords too.
        codewords.copy_from_slice(&Code::of(FIXED_LENGTHS).codewords[..LITERALS]);
        Self { literals: Code { lengths, codewords }, distances: Code::of([FIXED_DISTANCE; DISTANCES]) }
    }

    /// Bits of the block's tokens and its end.
    fn cost(&self, counts: &Histogram) -> u64 {
        self.literals.cost(&counts.literals) + self.distances.cost(&counts.distances)
    }
}

/// Bits of a block's tokens and its end in the fixed codes.
fn fixed_cost(counts: &Histogram) -> u64 {
    let literals =
        counts.literals.iter().zip(FIXED_LENGTHS).map(|(&count, len)| u64::from(count) * u64::from(len));
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

/// Writes a block of `tokens`, which stand for `uncompressed`. `counts` are theirs and the end's. `None` if it does not fit.
pub(crate) fn block(
    isa: Isa,
    tokens: &[Token],
    counts: &Histogram,
    uncompressed: &[u8],
    is_last: bool,
    to: &mut BitWriter<'_>,
) -> Option<()> {
    let extra = extra_cost(counts);
    let stored = stored_cost(uncompressed.len(), to.offset());
    let fixed = 3 + fixed_cost(counts) + extra;
    let codes = Codes::best(counts);
    let header = Header::new(&codes.literals.lengths, &codes.distances.lengths);
    let dynamic = header.cost + codes.cost(counts) + extra;
    if stored <= fixed && stored <= dynamic {
        return self::stored(uncompressed, is_last, to);
    }
    if fixed.min(dynamic) > to.remaining_bits() {
        return None;
    }
    to.put(u64::from(is_last), 1);
    if fixed <= dynamic {
        to.put(FIXED, 2);
        isa.emit(tokens, &Tables::new(&Codes::fixed()), to);
    } else {
        to.put(DYNAMIC, 2);
        header.write(to);
        isa.emit(tokens, &Tables::new(&codes), to);
    }
    Some(())
}

/// Writes uncompressed bytes as stored blocks. `None` if they don't fit.
pub(crate) fn stored(uncompressed: &[u8], is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
    if stored_cost(uncompressed.len(), to.offset()) > to.remaining_bits() {
        return None;
    }
    let mut rest = uncompressed;
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

#[cfg(test)]
mod tests;
