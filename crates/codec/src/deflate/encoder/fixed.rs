//! Compression of very short streams.

use crate::deflate::tables::{
    DISTANCE, END_OF_BLOCK, FIXED_CODEWORDS, FIXED_DISTANCE_BITS, FIXED_HEADER, LENGTH,
};

/// Maximum length of an input. Longer ones shrink more with codes of their own.
pub(crate) const MAX_INPUT: usize = 80;

/// The shortest match.
const MIN_MATCH: usize = 3;
/// Positions of strings, by a hash of eight bits.
const PLACES: usize = 256;

/// Bits on their way to the output.
struct ShortBitWriter<'a> {
    output: &'a mut [u8],
    at: usize,
    bits: u64,
    count: u32,
}

impl ShortBitWriter<'_> {
    /// Writes up to 32 bits; `None` if they don't fit.
    fn put(&mut self, bits: u64, count: u32) -> Option<()> {
        self.bits |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            *self.output.get_mut(self.at)? = self.bits as u8;
            self.at += 1;
            self.bits >>= 8;
            self.count -= 8;
        }
        Some(())
    }

    fn symbol(&mut self, symbol: usize) -> Option<()> {
        let (codeword, len) = FIXED_CODEWORDS[symbol];
        self.put(codeword.into(), len.into())
    }
}

/// Compresses up to `MAX_INPUT` bytes greedily with the fixed code, or stores them if that is
/// shorter. `None` if they don't fit.
pub(crate) fn encode(uncompressed: &[u8], output: &mut [u8]) -> Option<usize> {
    assert!(uncompressed.len() <= MAX_INPUT);
    let stored = uncompressed.len() + 5;
    let capacity = output.len().min(stored);
    match block(uncompressed, &mut output[..capacity]) {
        Some(len) => Some(len),
        // One stored block, the last: its length, and that inverted.
        None => {
            let output = output.get_mut(..stored)?;
            let len = uncompressed.len() as u8;
            output[..5].copy_from_slice(&[1, len, 0, !len, 0xff]);
            output[5..].copy_from_slice(uncompressed);
            Some(stored)
        }
    }
}

fn block(uncompressed: &[u8], output: &mut [u8]) -> Option<usize> {
    // One more than the last position of each hash; 0 for none.
    let mut places = [0_u8; PLACES];
    let mut to = ShortBitWriter { output, at: 0, bits: FIXED_HEADER.into(), count: 3 };
    let mut at = 0;
    while at < uncompressed.len() {
        let rest = &uncompressed[at..];
        let len = match rest.first_chunk::<MIN_MATCH>() {
            None => 0,
            Some(next) => {
                let place = &mut places[hash(*next)];
                let before = usize::from(std::mem::replace(place, at as u8 + 1));
                match before.checked_sub(1) {
                    None => 0,
                    Some(before) => {
                        let len =
                            rest.iter().zip(&uncompressed[before..]).take_while(|(a, b)| a == b).count();
                        if len >= MIN_MATCH {
                            put_match(&mut to, len, at - before)?;
                        }
                        len
                    }
                }
            }
        };
        if len < MIN_MATCH {
            to.symbol(rest[0].into())?;
            at += 1;
        } else {
            at += len;
        }
    }
    to.symbol(END_OF_BLOCK)?;
    to.put(0, (8 - to.count) % 8)?;
    Some(to.at)
}

/// A match; in so few bytes, its length is below 258.
fn put_match(to: &mut ShortBitWriter<'_>, len: usize, distance: usize) -> Option<()> {
    let symbol = LENGTH.partition_point(|(base, _)| usize::from(*base) <= len) - 1;
    let (base, extra) = LENGTH[symbol];
    to.symbol(END_OF_BLOCK + 1 + symbol)?;
    to.put((len - usize::from(base)) as u64, extra.into())?;
    let symbol = DISTANCE.partition_point(|(base, _)| usize::from(*base) <= distance) - 1;
    let (base, extra) = DISTANCE[symbol];
    to.put((symbol as u64).reverse_bits() >> (64 - FIXED_DISTANCE_BITS), FIXED_DISTANCE_BITS)?;
    to.put((distance - usize::from(base)) as u64, extra.into())
}

/// Returns the high bits of a product with 2^32 divided by the golden ratio.
fn hash([a, b, c]: [u8; MIN_MATCH]) -> usize {
    (u32::from_le_bytes([0, a, b, c]).wrapping_mul(0x9E37_79B1) >> 24) as usize
}

#[cfg(test)]
mod tests;
