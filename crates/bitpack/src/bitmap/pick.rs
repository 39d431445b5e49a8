//! Selection of a bitmap's bits by another bitmap.

use super::Bitmap;

impl Bitmap {
    /// Returns the bits at which `mask` has a set bit, in order. Bits beyond the end are 0.
    pub fn pick(&self, mask: &Bitmap) -> Bitmap {
        let len = mask.count_ones();
        let mut words = Vec::with_capacity(len.div_ceil(64) + 1);
        let (mut held, mut count) = (0u64, 0u32);
        let own = self.words().iter().copied().chain(std::iter::repeat(0));
        for (word, &mask) in own.zip(mask.words()) {
            let ones = mask.count_ones();
            let picked = match mask {
                0 => continue,
                u64::MAX => word,
                mask => compress(word, mask),
            };
            held |= picked << count;
            if count + ones >= 64 {
                words.push(held);
                // A shift by 64 is none in Rust; all bits were used then.
                held = if count == 0 { 0 } else { picked >> (64 - count) };
            }
            count = (count + ones) % 64;
        }
        if count > 0 {
            words.push(held);
        }
        Bitmap::from_words(words, len)
    }
}

/// Moves the bits of a word at which the mask has a set bit to the lower end, zeroes the others.
/// This is x86's PEXT in steps of doubling distances (Warren, Hacker's Delight, section 7-4).
fn compress(word: u64, mask: u64) -> u64 {
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
