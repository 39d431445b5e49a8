//! Random test data, the same in each run.

/// A random sequence, determined by its seed.
pub(crate) struct Random(pelton_random::Random);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Random {
        Random(pelton_random::Random::new(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next() >> 16
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Returns 0, except for one time in sixteen.
    pub(crate) fn rarely(&mut self) -> u64 {
        if self.below(16) == 0 { self.next() } else { 0 }
    }

    /// Returns bytes with repetitions like text and tables: mostly copies of earlier bytes, near
    /// and far.
    pub(crate) fn text(&mut self, max_len: u64) -> Vec<u8> {
        let letters = [1, 2, 20, 256][self.below(4) as usize];
        let length = self.below(max_len) as usize;
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
