//! Decompression of short streams.

use super::{DISTANCE_BITS, END, HEADER, WORDS};
use crate::Progress;
use crate::deflate::tables::{DISTANCE, LENGTH};
use crate::deflate::window::window;

/// The longest input. Above it, what libdeflate gains a symbol is more than its tables take.
const LONGEST: usize = 384;

/// Bits of the longest word.
const MOST_BITS: u32 = 9;

/// Bits of eight bytes that are there whichever bit of the first they begin at.
const PEEKED: u32 = 57;

/// By the next bits: the symbol times 16, and how many bits its word has.
static SYMBOLS: [u16; 1 << MOST_BITS] = {
    let mut symbols = [0; 1 << MOST_BITS];
    let mut symbol = 0;
    while symbol < WORDS.len() {
        let (word, len) = WORDS[symbol];
        let mut bits = word as usize;
        while bits < symbols.len() {
            symbols[bits] = (symbol as u16) << 4 | len as u16;
            bits += 1 << len;
        }
        symbol += 1;
    }
    symbols
};

/// The bits of an input, and zeros after it.
struct Bits<'a> {
    input: &'a [u8],
    /// Bits that were taken.
    at: usize,
}

impl Bits<'_> {
    /// The next `PEEKED` bits at least.
    fn peek(&self) -> u64 {
        window(self.input, self.at)
    }

    fn take(&mut self, count: u32) -> usize {
        let bits = self.peek() & ((1 << count) - 1);
        self.at += count as usize;
        bits as usize
    }
}

/// Decodes a stream of one block with the fixed code, if `input` begins with such and is short. `None` if not, and for whatever is
/// wrong with it or does not fit.
pub(crate) fn decode(input: &[u8], output: &mut [u8]) -> Option<Progress> {
    if input.len() > LONGEST || input.first()? & 7 != HEADER {
        return None;
    }
    let mut bits = Bits { input, at: 3 };
    let mut produced = 0;
    loop {
        // Literals as long as there are bits for another word; then one symbol of another kind.
        let mut word = bits.peek();
        let mut left = PEEKED;
        let symbol = loop {
            let found = SYMBOLS[(word & ((1 << MOST_BITS) - 1)) as usize];
            let (symbol, len) = (usize::from(found >> 4), u32::from(found & 15));
            if left < MOST_BITS {
                break None;
            }
            word >>= len;
            left -= len;
            if symbol >= END {
                break Some(symbol);
            }
            *output.get_mut(produced)? = symbol as u8;
            produced += 1;
        };
        bits.at += (PEEKED - left) as usize;
        if bits.at > 8 * input.len() {
            return None;
        }
        let Some(symbol) = symbol else { continue };
        if symbol == END {
            return Some(Progress { consumed: bits.at.div_ceil(8), produced });
        }
        let (base, extra) = LENGTH.get(symbol - END - 1)?;
        let len = usize::from(*base) + bits.take((*extra).into());
        let word = bits.take(DISTANCE_BITS) as u64;
        let (base, extra) = DISTANCE.get((word.reverse_bits() >> (64 - DISTANCE_BITS)) as usize)?;
        let distance = usize::from(*base) + bits.take((*extra).into());
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
