//! The bits of a call's input, and those of the calls before that no symbol has taken yet.

/// Bits that are kept between calls.
#[derive(Clone, Copy, Default)]
pub(super) struct HeldBits {
    /// The next bit is the lowest; those from `count` on are zeros.
    pub(super) bits: u64,
    pub(super) count: u32,
}

/// Bits that [`BitReader::fill`] provides where the input has them: a byte more would not fit.
pub(super) const FILLED_BITS: u32 = 56;

/// A reader for one call.
pub(crate) struct BitReader<'a> {
    pub(crate) input: &'a [u8],
    /// Bytes of the input that were read.
    pub(crate) at: usize,
    /// Bytes before this one are not given back.
    pub(super) kept: usize,
    /// The next bit is the lowest. From `count` on, they are the input's from `at`, or zeros.
    pub(crate) bits: u64,
    pub(crate) count: u32,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(held: HeldBits, input: &'a [u8]) -> Self {
        Self { input, at: 0, kept: 0, bits: held.bits, count: held.count }
    }

    /// Goes on at a bit of the input, when none is held.
    pub(super) fn skip_to(&mut self, bit: usize) {
        self.at = (bit / 8).min(self.input.len());
        self.kept = self.at;
        let rest = (bit % 8) as u32;
        if self.need(rest) {
            self.take(rest);
        }
    }

    /// Provides [`FILLED_BITS`] bits, or all that there are.
    #[inline(always)]
    pub(super) fn fill(&mut self) {
        if self.count >= FILLED_BITS {
            return;
        }
        if let Some(word) = self.input.get(self.at..).and_then(<[u8]>::first_chunk) {
            self.bits |= u64::from_le_bytes(*word) << self.count;
            self.at += ((63 - self.count) / 8) as usize;
            self.count |= FILLED_BITS;
            return;
        }
        while self.count < FILLED_BITS && self.at < self.input.len() {
            self.bits |= u64::from(self.input[self.at]) << self.count;
            self.at += 1;
            self.count += 8;
        }
    }

    /// Provides `count` bits from as few bytes as possible. Returns whether the input has them.
    pub(super) fn need(&mut self, count: u32) -> bool {
        while self.count < count {
            let Some(&byte) = self.input.get(self.at) else { return false };
            self.bits |= u64::from(byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
        true
    }

    /// Returns the next `count` bits of those provided.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> usize {
        (self.bits & ((1 << count) - 1)) as usize
    }

    /// Takes bits that there are.
    #[inline(always)]
    pub(super) fn take(&mut self, count: u32) -> usize {
        let bits = self.peek(count);
        self.bits >>= count;
        self.count -= count;
        bits
    }

    /// Puts back bits that were taken; their bytes count as read.
    pub(super) fn untake(&mut self, count: u32, bits: usize) {
        self.give_back();
        self.bits = self.bits << count | bits as u64;
        self.count += count;
        self.kept = self.at;
    }

    /// Drops the rest of a byte.
    pub(super) fn align(&mut self) {
        self.take(self.count % 8);
    }

    /// Reads up to `count` bytes of the input itself.
    pub(super) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let rest = &self.input[self.at..];
        let bytes = &rest[..count.min(rest.len())];
        self.at += bytes.len();
        self.kept = self.at;
        // Bits provided beyond these are not the next ones any more.
        self.bits = self.held().bits;
        bytes
    }

    /// Gives back the bytes of this input that [`fill`](Self::fill) read and no symbol has used.
    /// Not called when input is missing: then all of it counts as read.
    pub(super) fn give_back(&mut self) {
        let bytes = (self.count / 8).min((self.at - self.kept).min(8) as u32);
        self.at -= bytes as usize;
        self.count -= 8 * bytes;
    }

    /// Returns the bits with which the next call begins.
    pub(super) fn held(&self) -> HeldBits {
        HeldBits { bits: self.bits & ((1 << self.count) - 1), count: self.count }
    }
}
