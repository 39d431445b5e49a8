//! Moves of bits between the lower end of a word and the places of a mask's set bits.
//!
//! Both directions take the move within a word as a function: PDEP and PEXT where they are fast,
//! and portable steps elsewhere. They are inlined, so that the instruction set of the caller holds.

/// Puts bits, in order, at the places of the set bits of a mask; all other bits are 0. Both are
/// words, from the least significant bit on; bits beyond the end are 0.
#[inline(always)]
pub(crate) fn deposit(
    mask: impl Iterator<Item = u64>,
    bits: impl Iterator<Item = u64>,
    expand: impl Fn(u64, u64) -> u64,
) -> Vec<u64> {
    let mut bits = BitReader { words: bits, word: 0, left: 0 };
    mask.map(|mask| expand(bits.take(mask.count_ones()), mask)).collect()
}

/// Takes the bits of `words` at which `mask` has a set bit, in order, as words. `len` is their
/// number. Words beyond the end are 0.
#[inline(always)]
pub(crate) fn pick(words: &[u64], mask: &[u64], len: usize, compress: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let mut picked_words = Vec::with_capacity(len.div_ceil(64) + 1);
    let (mut held, mut count) = (0u64, 0u32);
    let own = words.iter().copied().chain(std::iter::repeat(0));
    for (word, &mask) in own.zip(mask) {
        let ones = mask.count_ones();
        let picked = match mask {
            0 => continue,
            u64::MAX => word,
            mask => compress(word, mask),
        };
        held |= picked << count;
        if count + ones >= 64 {
            picked_words.push(held);
            // A shift by 64 is none in Rust; all bits were used then.
            held = if count == 0 { 0 } else { picked >> (64 - count) };
        }
        count = (count + ones) % 64;
    }
    if count > 0 {
        picked_words.push(held);
    }
    picked_words
}

/// Moves the bits of a word at which the mask has a set bit to the lower end, zeroes the others.
/// This is x86's PEXT in steps of doubling distances (Warren, Hacker's Delight, section 7-4).
pub(crate) fn compress(word: u64, mask: u64) -> u64 {
    let (mut word, mut mask) = (word & mask, mask);
    // Places with an odd number of cleared bits of the mask below them, for the distance of a step.
    let mut cleared = !mask << 1;
    for step in 0..6 {
        let mut odd = cleared;
        for shift in [1, 2, 4, 8, 16, 32] {
            odd ^= odd << shift;
        }
        let moved = odd & mask;
        mask = (mask ^ moved) | (moved >> (1 << step));
        let bits = word & moved;
        word = (word ^ bits) | (bits >> (1 << step));
        cleared &= !odd;
    }
    word
}

/// Moves the lowest bits of a word to the places of the mask's set bits, zeroes the others: x86's
/// PDEP.
pub(crate) fn expand(mut bits: u64, mut mask: u64) -> u64 {
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
#[inline(always)]
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
    #[inline(always)]
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
