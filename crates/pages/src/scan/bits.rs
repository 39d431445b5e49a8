//! Deposit of bits: combines a mask with a mask over its set bits.

use arrow::buffer::{BooleanBuffer, Buffer};

/// Puts the bits of `bits` at the positions of the set bits of `mask`; all other bits are false.
/// Turns a filter's result on the selected rows into one on all rows. (The instruction PDEP of BMI2
/// does this to a word.)
pub fn deposit(mask: &BooleanBuffer, bits: &BooleanBuffer) -> BooleanBuffer {
    let chunks = bits.bit_chunks();
    let mut bits = BitReader { words: chunks.iter_padded(), word: 0, left: 0 };
    let words: Vec<u64> = mask
        .bit_chunks()
        .iter_padded()
        .map(|mask| deposit_word(mask, bits.take(mask.count_ones())))
        .collect();
    BooleanBuffer::new(Buffer::from_vec(words), 0, mask.len())
}

fn deposit_word(mut mask: u64, mut bits: u64) -> u64 {
    if bits == low(mask.count_ones()) {
        return mask;
    }
    let mut word = 0;
    while bits != 0 {
        let lowest = mask & mask.wrapping_neg();
        word |= lowest * (bits & 1);
        mask ^= lowest;
        bits >>= 1;
    }
    word
}

/// Returns a mask of the lowest `count` bits, at most 64.
fn low(count: u32) -> u64 {
    u64::MAX.checked_shr(64 - count).unwrap_or(0)
}

/// Bit reader over a sequence of words, lowest bits first.
struct BitReader<I> {
    words: I,
    /// Remaining bits of the last word, and their number.
    word: u64,
    left: u32,
}

impl<I: Iterator<Item = u64>> BitReader<I> {
    /// Takes the next `count` bits, at most 64; zeros after the end.
    fn take(&mut self, count: u32) -> u64 {
        let (word, left) = (self.word, self.left);
        if count <= left {
            self.word = word.checked_shr(count).unwrap_or(0);
            self.left = left - count;
            return word & low(count);
        }
        let (next, missing) = (self.words.next().unwrap_or(0), count - left);
        self.word = next.checked_shr(missing).unwrap_or(0);
        self.left = 64 - missing;
        word | (next & low(missing)) << left
    }
}

#[cfg(test)]
mod tests;
