//! Random test data that is the same in each run.

/// Marsaglia's xorshift64; its seed is in the test that uses it.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// 0, but for one time in sixteen.
    pub(crate) fn rarely(&mut self) -> u64 {
        if self.below(16) == 0 { self.next() } else { 0 }
    }

    /// Bytes that repeat as text and tables do: mostly copies from before, near and far.
    pub(crate) fn text(&mut self, most: u64) -> Vec<u8> {
        let letters = [1, 2, 20, 256][self.below(4) as usize];
        let length = self.below(most) as usize;
        let mut text = Vec::with_capacity(length + 300);
        while text.len() < length {
            if text.is_empty() || self.below(3) == 0 {
                (0..=self.below(12)).for_each(|_| text.push(self.below(letters) as u8));
            } else {
                let from = text.len() - 1 - self.below(text.len().min(6_000) as u64) as usize;
                (from..=from + self.below(300) as usize).for_each(|at| text.push(text[at]));
            }
        }
        text.truncate(length);
        text
    }
}
