//! Short streams of one block with the fixed code (RFC 1951, section 3.2.6): what a hundred bytes are best compressed to.
//!
//! libdeflate's time for such is that for its tables: it clears 200 KB of them before it compresses, and builds those of the
//! fixed code, which are constants here, before it decompresses.

mod decode;
mod encode;

pub(super) use decode::decode;
pub(super) use encode::{LONGEST, encode};

/// The header of such a block, the last of its stream: three bits.
const HEADER: u8 = 0b011;

/// The symbol that ends a block.
const END: usize = 256;

/// The words of literals and lengths, the first bit the least significant, and how many bits they have.
const WORDS: [(u16, u8); 288] = {
    let mut words = [(0, 0); 288];
    let mut symbol = 0;
    while symbol < 288 {
        let (word, len) = match symbol {
            0..144 => (0x30 + symbol, 8),
            144..256 => (0x190 + symbol - 144, 9),
            256..280 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        words[symbol] = ((word as u16).reverse_bits() >> (16 - len), len as u8);
        symbol += 1;
    }
    words
};

/// Bits of a distance's word, which is its symbol, the first bit the most significant.
const DISTANCE_BITS: u32 = 5;

#[cfg(test)]
mod tests;
