//! Changes to inputs, from a fixed sequence of random numbers.

use pelton_random::Random;

/// The longest input that a mutation makes.
const MAX_LEN: usize = 64 << 10;
/// Numbers at the ends of fields of every width, where lengths and offsets go wrong.
const INTERESTING: [u32; 12] =
    [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/// Makes one input after the other.
pub(crate) struct Mutator(Random);

impl Mutator {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Returns a number below `end`, or 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.below(end) }
    }

    /// Puts a seed with one to eight changes into `input`.
    pub(crate) fn mutate(&mut self, seeds: &[Vec<u8>], input: &mut Vec<u8>) {
        input.clear();
        if let Some(seed) = seeds.get(self.below(seeds.len())) {
            input.extend_from_slice(seed);
        }
        // Few changes leave most of a stream sound, and so reach its deeper parts.
        for _ in 0..1 << self.below(4) {
            self.change(seeds, input);
        }
        input.truncate(MAX_LEN);
    }

    fn change(&mut self, seeds: &[Vec<u8>], input: &mut Vec<u8>) {
        let at = self.below(input.len());
        let rest = input.len() - at;
        let random = self.0.next();
        match self.below(9) {
            // A bit, the smallest change, twice as often as any other change.
            0 | 1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << (random % 8);
                }
            }
            2 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random as u8;
                }
            }
            3 => self.set_number(&mut input[at..]),
            4 => input.truncate(at),
            5 => {
                let len = self.below(rest.min(64) + 1);
                input.drain(at..at + len);
            }
            6 => {
                let len = 1 + self.below(16);
                let bytes = random.to_le_bytes();
                input.splice(at..at, bytes.into_iter().cycle().take(len));
            }
            7 => {
                let len = self.below(rest.min(256) + 1);
                input.extend_from_within(at..at + len);
            }
            _ => {
                // The start of this input and the end of another, or both whole: members, frames
                // and blocks in a row.
                if let Some(other) = seeds.get(self.below(seeds.len())) {
                    let (keep, from) = if random.is_multiple_of(2) {
                        (input.len(), 0)
                    } else {
                        (at, self.below(other.len()))
                    };
                    input.truncate(keep);
                    input.extend_from_slice(&other[from..]);
                }
            }
        }
    }

    /// Overwrites a field of one, two or four bytes by an interesting number or one near it.
    fn set_number(&mut self, bytes: &mut [u8]) {
        let near = [0, 1, u32::MAX][self.below(3)];
        let number = INTERESTING[self.below(INTERESTING.len())].wrapping_add(near);
        let width = [1, 2, 4][self.below(3)];
        let little = number.to_le_bytes();
        let field = bytes.iter_mut().take(width);
        if self.below(2) == 0 {
            field.zip(little).for_each(|(byte, new)| *byte = new);
        } else {
            field.zip(little[..width].iter().rev()).for_each(|(byte, new)| *byte = *new);
        }
    }
}

#[cfg(test)]
mod tests;
