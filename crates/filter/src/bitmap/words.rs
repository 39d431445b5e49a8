//! Appending to a bitmap, at whatever bit it ends.

use super::Bitmap;

/// Takes bits 64 at a time, and appends them.
pub(crate) struct Words<'a> {
    to: &'a mut [u64],
    at: usize,
    /// How many bits of the word at `at` there are already, in `carry`.
    shift: u32,
    carry: u64,
}

impl Words<'_> {
    /// Appends 64 bits.
    #[inline(always)]
    pub fn push(&mut self, word: u64) {
        self.to[self.at] = self.carry | word << self.shift;
        self.at += 1;
        // By 64 - shift in two steps, for 64 in one is too far.
        self.carry = word >> 1 >> (63 - self.shift);
    }

    /// Where words can be written that [`Words::wrote`] then counts, if the bitmap ends with a whole word.
    #[inline(always)]
    pub fn whole(&mut self) -> Option<&mut [u64]> {
        (self.shift == 0).then(|| &mut self.to[self.at..])
    }

    /// Counts so many words of [`Words::whole`] as appended.
    #[inline(always)]
    pub fn wrote(&mut self, words: usize) {
        debug_assert_eq!(self.shift, 0);
        self.at += words;
    }
}

impl Bitmap {
    /// Appends `len` times the same bit.
    pub fn extend_run(&mut self, bit: bool, len: usize) {
        let word = if bit { u64::MAX } else { 0 };
        let (start, end) = (self.len, self.len + len);
        self.reserve(end.div_ceil(64));
        if len == 0 {
            return;
        }
        // The word that is there in part, then whole ones.
        if !start.is_multiple_of(64) {
            self.words[start / 64] |= word << (start % 64);
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
        self.append_with(other.len, |words| other.words().iter().for_each(|&word| words.push(word)));
    }

    /// Appends `len` bits, which `fill` pushes 64 at a time; what the last word has beyond them does not count.
    pub(crate) fn append_with(&mut self, len: usize, fill: impl FnOnce(&mut Words<'_>)) {
        let (start, end) = (self.len, self.len + len);
        // One more than the bits are in: the last word pushed may reach beyond.
        self.reserve(end / 64 + 2);
        let carry = if start.is_multiple_of(64) { 0 } else { self.words[start / 64] };
        let mut words = Words { to: &mut self.words, at: start / 64, shift: (start % 64) as u32, carry };
        fill(&mut words);
        assert_eq!(
            words.at,
            start / 64 + len.div_ceil(64),
            "an implementation pushed too few or too many words"
        );
        let (at, carry) = (words.at, words.carry);
        if !start.is_multiple_of(64) {
            self.words[at] = carry;
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
