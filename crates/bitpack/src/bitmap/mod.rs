//! Bitmap: a bit for each value.

mod append;

/// Bits in words of 64, from the least significant one on.
#[derive(Debug, Clone, Default)]
pub struct Bitmap {
    /// At least the words of `len` bits. The last word has zeros beyond `len`. Later words
    /// have old bits, so that a bitmap that is used again need not be zeroed.
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// No bits.
    pub fn new() -> Self {
        Self::default()
    }

    /// `len` times the same bit.
    pub fn with_len(len: usize, bit: bool) -> Self {
        let mut bits = Self::new();
        bits.extend_run(bit, len);
        bits
    }

    /// `len` bits in words of 64, from the least significant one on; those that `words` has not
    /// are 0.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        let mut bits = Bitmap { words, len };
        bits.cut();
        bits
    }

    /// `len` bits in bytes, from the least significant one on; those that `bytes` has not are 0.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Self {
        let words = bytes.chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        });
        Self::from_words(words.take(len.div_ceil(64)).collect(), len)
    }

    /// Returns the number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns its words, as [`words`](Self::words) has them.
    pub fn into_words(mut self) -> Vec<u64> {
        self.words.truncate(self.len.div_ceil(64));
        self.words
    }

    /// Returns the bits in words of 64; those of the last one beyond the length are 0.
    pub fn words(&self) -> &[u64] {
        &self.words[..self.len.div_ceil(64)]
    }

    /// Returns the bits in bytes; those of the last one beyond the length are 0.
    pub fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.words().iter().flat_map(|word| word.to_le_bytes()).take(self.len.div_ceil(8))
    }

    /// Bit `i`, which is 0 beyond the length.
    pub fn get(&self, i: usize) -> bool {
        self.words().get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Sets bit `i`, if the bitmap has it.
    pub fn set(&mut self, i: usize) {
        if i < self.len {
            self.words[i / 64] |= 1 << (i % 64);
        }
    }

    /// Returns the number of set bits.
    pub fn count_ones(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the place of the first set bit.
    pub fn first_one(&self) -> Option<usize> {
        let (i, word) = self.words().iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(i * 64 + word.trailing_zeros() as usize)
    }

    /// Returns the place of the last set bit.
    pub fn last_one(&self) -> Option<usize> {
        let (i, word) = self.words().iter().enumerate().rfind(|(_, word)| **word != 0)?;
        Some(i * 64 + 63 - word.leading_zeros() as usize)
    }

    /// Returns the places of the set bits, in order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words().iter().enumerate().flat_map(|(i, &word)| {
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            rest.take_while(|word| *word != 0).map(move |word| i * 64 + word.trailing_zeros() as usize)
        })
    }

    /// Removes all bits, and keeps their memory.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the bits from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        self.cut();
    }

    /// Keeps the bits that are set in both. Beyond the end of `other` there are none.
    pub fn and(&mut self, other: &Bitmap) {
        let others = other.words().iter().chain(std::iter::repeat(&0));
        self.used().iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Sets the bits that are set in `other`, as far as there are bits here.
    pub fn or(&mut self, other: &Bitmap) {
        self.used().iter_mut().zip(other.words()).for_each(|(word, other)| *word |= other);
        self.cut();
    }

    /// Flips every bit.
    pub fn not(&mut self) {
        self.used().iter_mut().for_each(|word| *word = !*word);
        self.cut();
    }

    /// Bits from `at` on, 64 of them; beyond the end they are 0.
    #[inline(always)]
    pub(crate) fn word_at(&self, at: usize) -> u64 {
        let words = self.words();
        let low = words.get(at / 64).copied().unwrap_or(0) >> (at % 64);
        match at % 64 {
            0 => low,
            shift => low | words.get(at / 64 + 1).copied().unwrap_or(0) << (64 - shift),
        }
    }

    /// Bits from `at` on, at most 64 and no more than `len`.
    #[inline(always)]
    pub(crate) fn word_of(&self, at: usize, len: usize) -> u64 {
        let word = self.word_at(at);
        if len < 64 { word & !(u64::MAX << len) } else { word }
    }

    /// Returns how many of the `len` bits from `at` on are set.
    pub(crate) fn count_ones_in(&self, at: usize, len: usize) -> usize {
        let whole = (0..len / 64).map(|i| self.word_at(at + i * 64).count_ones() as usize).sum::<usize>();
        let rest = self.word_of(at + len / 64 * 64, len % 64);
        whole + rest.count_ones() as usize
    }

    fn used(&mut self) -> &mut [u64] {
        &mut self.words[..self.len.div_ceil(64)]
    }

    /// Zeroes the last word's bits beyond the length.
    fn cut(&mut self) {
        if !self.len.is_multiple_of(64) {
            self.words[self.len / 64] &= !(u64::MAX << (self.len % 64));
        }
    }
}

impl PartialEq for Bitmap {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.words() == other.words()
    }
}

impl Eq for Bitmap {}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(iter: I) -> Self {
        let mut bits = Bitmap::new();
        iter.into_iter().for_each(|bit| bits.extend_run(bit, 1));
        bits
    }
}

#[cfg(test)]
mod tests;
