//! Appending to a bitmap that may end within a word.

use super::Bitmap;

impl Bitmap {
    /// Appends `len` times the same bit.
    pub fn extend_run(&mut self, bit: bool, len: usize) {
        if len == 0 {
            return;
        }
        let (start, end) = (self.len, self.len + len);
        self.reserve(end.div_ceil(64));
        let (at, shift) = (start / 64, start % 64);
        // Levels with nulls between the values consist of runs that end in the word they begin in.
        if shift + len <= 64 {
            let ones = if bit { (u64::MAX >> (64 - len)) << shift } else { 0 };
            let held = if shift == 0 { 0 } else { self.words[at] };
            self.words[at] = held | ones;
            self.len = end;
            return;
        }
        let word = if bit { u64::MAX } else { 0 };
        // The word that is there in part, then whole ones.
        if shift > 0 {
            self.words[at] |= word << shift;
        }
        let whole = start.div_ceil(64);
        if whole < end.div_ceil(64) {
            self.words[whole..end.div_ceil(64)].fill(word);
        }
        self.len = end;
        self.cut();
    }

    /// Appends the bits of another.
    pub fn extend(&mut self, other: &Bitmap) {
        self.append_with(other.len, |words| words.copy_from_slice(other.words()));
    }

    /// Appends `len` bits, which `fill` writes into whole words. The last word's bits beyond them
    /// do not count.
    ///
    /// If the bitmap ends within a word, the words are shifted into place afterwards, from the
    /// first-level cache: a few operations a word, and none in the loops of `fill`.
    pub(crate) fn append_with(&mut self, len: usize, fill: impl FnOnce(&mut [u64])) {
        let (start, end) = (self.len, self.len + len);
        let (at, shift, count) = (start / 64, start % 64, len.div_ceil(64));
        self.reserve(at + count + 1);
        if shift == 0 {
            fill(&mut self.words[at..at + count]);
        } else {
            fill(&mut self.words[at + 1..at + 1 + count]);
            let mut held = self.words[at];
            for i in at..at + count {
                let word = self.words[i + 1];
                self.words[i] = held | word << shift;
                held = word >> (64 - shift);
            }
            self.words[at + count] = held;
        }
        self.len = end;
        self.cut();
    }

    fn reserve(&mut self, words: usize) {
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }
}
