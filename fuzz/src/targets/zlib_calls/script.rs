//! Decoding of an input into choices of calls.

/// Choices, one a byte.
pub struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    /// Reads choices from these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns whether there are more choices. After the last, every byte is 0.
    pub fn more(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Returns whether something happens that should happen `times` in 256.
    pub fn odds(&mut self, times: u8) -> bool {
        // Zero stands for no, as it is read after the end.
        self.byte().wrapping_sub(1) < times
    }

    /// Returns one of some values.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// Returns the size of a piece: often none to three bytes, seldom as much as 248 KB.
    pub fn size(&mut self) -> usize {
        match usize::from(self.byte()) {
            small @ 0..48 => small % 4,
            middle @ 48..144 => middle - 44,
            large @ 144..224 => (large - 143) * 61,
            huge => (huge - 224) << 13,
        }
    }

    /// Returns a place in something of `len` bytes.
    pub fn place(&mut self, len: usize) -> usize {
        let at = usize::from(self.byte()) << 8 | usize::from(self.byte());
        (at * len) >> 16
    }
}
