//! Decompression of short streams.

use super::bit_buffer::peek_bits;
use crate::Progress;
use crate::deflate::tables::{
    DISTANCE, END_OF_BLOCK, FIXED_CODEWORDS, FIXED_DISTANCE_BITS, FIXED_HEADER, LENGTH,
};

/// Maximum length of an input. Above it, libdeflate's faster symbols outweigh its tables.
const MAX_INPUT: usize = 384;

/// Bits of the longest word.
const MAX_CODEWORD_BITS: u32 = 9;

/// Bits that eight bytes provide from any bit of the first.
const PEEKED: u32 = 57;

/// Bits of a codeword length in [`SYMBOLS`]: those that a shift uses.
const LEN_BITS: u32 = 6;

/// By the next bits: the codeword length of the symbol, and above that the symbol.
static SYMBOLS: [u16; 1 << MAX_CODEWORD_BITS] = {
    let mut symbols = [0; 1 << MAX_CODEWORD_BITS];
    let mut symbol = 0;
    while symbol < FIXED_CODEWORDS.len() {
        let (codeword, len) = FIXED_CODEWORDS[symbol];
        let mut bits = codeword as usize;
        while bits < symbols.len() {
            symbols[bits] = (symbol as u16) << LEN_BITS | len as u16;
            bits += 1 << len;
        }
        symbol += 1;
    }
    symbols
};

/// Whole bytes that eight bytes provide from any bit of the first.
const BYTES: usize = PEEKED as usize / 8;

/// A byte in each byte of a number.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns the leading literals of eight bits, and their number, `BYTES` at most.
///
/// Their codewords, first bit highest, are one range of bytes, and all others begin with a smaller
/// or larger byte: so all bytes are compared at once.
fn literals(bits: u64) -> ([u8; 8], usize) {
    const HIGH: u64 = each(0x80);
    // The bits of each byte the other way round.
    let words = bits.reverse_bits().swap_bytes();
    // With its highest bit set, no byte borrows from the next.
    let less = (words | HIGH) - each(0x30);
    let below = !words & !less;
    let above = words & words << 1;
    let others = (below | above) & HIGH | 0x80 << (8 * BYTES);
    ((less ^ !words & HIGH).to_le_bytes(), others.trailing_zeros() as usize / 8)
}

/// The next bits.
struct BitReader {
    word: u64,
    taken: u32,
}

impl BitReader {
    fn take(&mut self, count: u32) -> usize {
        let bits = self.word >> self.taken & ((1 << count) - 1);
        self.taken += count;
        bits as usize
    }
}

/// Decodes a short stream of one block with the fixed code. `None` for any other input, and if the
/// data is invalid or does not fit.
pub(crate) fn decode(input: &[u8], output: &mut [u8]) -> Option<Progress> {
    if input.len() > MAX_INPUT || input.first()? & 7 != FIXED_HEADER {
        return None;
    }
    let mut at = 3;
    let mut produced = 0;
    loop {
        let mut word = peek_bits(input, at);
        // Nothing is decoded from beyond the input, and nothing written behind the data.
        let mut left = u32::try_from(8 * input.len() - at).map_or(PEEKED, |left| left.min(PEEKED));
        let is_end = left < PEEKED;
        let end = at + left as usize;
        let (bytes, count) = literals(word);
        let count = count.min(left as usize / 8);
        match output.get_mut(produced..).and_then(|rest| rest.first_chunk_mut()) {
            Some(to) => {
                let behind = u64::MAX << (8 * count);
                let word = u64::from_le_bytes(*to) & behind | u64::from_le_bytes(bytes) & !behind;
                *to = word.to_le_bytes();
            }
            None => output.get_mut(produced..produced + count)?.copy_from_slice(&bytes[..count]),
        }
        produced += count;
        word >>= 8 * count;
        left -= 8 * count as u32;
        // Literals of any length while bits remain for another codeword; then one symbol of another
        // kind.
        let symbol = loop {
            if left < MAX_CODEWORD_BITS && !is_end {
                break None;
            }
            let found = SYMBOLS[(word & ((1 << MAX_CODEWORD_BITS) - 1)) as usize];
            let (symbol, len) = (usize::from(found >> LEN_BITS), u32::from(found) & ((1 << LEN_BITS) - 1));
            word >>= len;
            left = left.checked_sub(len)?;
            if symbol >= END_OF_BLOCK {
                break Some(symbol);
            }
            *output.get_mut(produced)? = symbol as u8;
            produced += 1;
        };
        at = end - left as usize;
        let Some(symbol) = symbol else { continue };
        if symbol == END_OF_BLOCK {
            return Some(Progress { consumed: at.div_ceil(8), produced });
        }
        let (base, extra) = LENGTH.get(symbol - END_OF_BLOCK - 1)?;
        // The rest of a match has at most 23 bits.
        let mut bits = BitReader { word: peek_bits(input, at), taken: 0 };
        let len = usize::from(*base) + bits.take((*extra).into());
        let word = bits.take(FIXED_DISTANCE_BITS) as u64;
        let (base, extra) = DISTANCE.get((word.reverse_bits() >> (64 - FIXED_DISTANCE_BITS)) as usize)?;
        let distance = usize::from(*base) + bits.take((*extra).into());
        at += bits.taken as usize;
        if at > 8 * input.len() {
            return None;
        }
        let from = produced.checked_sub(distance)?;
        if output.len() - produced < len {
            return None;
        }
        for place in produced..produced + len {
            output[place] = output[place - produced + from];
        }
        produced += len;
    }
}

#[cfg(test)]
mod tests;
