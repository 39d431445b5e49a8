//! Writing bits from the least significant of each byte (RFC 1951, section 3.1.1).

/// A writer into a slice. It starts and may end within a byte, so that blocks join at the bit.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut [u8],
    /// Whole bytes written.
    at: usize,
    /// Bits that are not written yet, the first the least significant. Fewer than eight between
    /// calls.
    bits: u64,
    count: u32,
}

/// The bits of an incomplete byte, with which the next [`BitWriter`] of the same stream starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingBits {
    bits: u8,
    count: u8,
}

impl PendingBits {
    /// Returns the number of bits: 0 to 7.
    pub const fn count(self) -> u8 {
        self.count
    }
}

impl<'a> BitWriter<'a> {
    /// A writer at the start of `out`.
    pub fn new(out: &'a mut [u8]) -> Self {
        Self::resume(out, PendingBits::default())
    }

    /// A writer that goes on where another one ended.
    pub fn resume(out: &'a mut [u8], from: PendingBits) -> Self {
        Self { out, at: 0, bits: from.bits.into(), count: from.count.into() }
    }

    /// Ends the writing. Returns the number of complete bytes, and the bits of the incomplete one.
    pub fn pause(self) -> (usize, PendingBits) {
        (self.at, PendingBits { bits: self.bits as u8, count: self.count as u8 })
    }

    /// Ends the writing with zero bits up to a whole byte, and returns the number of bytes; `None`
    /// if they don't fit.
    pub fn finish(mut self) -> Option<usize> {
        self.align()?;
        Some(self.at)
    }

    /// Writes up to 32 bits, the first the least significant, between two blocks. `None` unless
    /// these and four bytes more fit.
    pub fn write(&mut self, bits: u32, count: u32) -> Option<()> {
        if self.remaining_bits() < 64 || count > 32 {
            return None;
        }
        self.put(u64::from(bits) & ((1 << count) - 1), count);
        self.flush();
        Some(())
    }

    /// Completes the byte between two blocks with an empty stored block (RFC 1951, section 3.2.4),
    /// as zlib's Z_SYNC_FLUSH does. `None` unless it and four bytes more fit.
    pub fn close_byte(&mut self) -> Option<()> {
        // Not the last, and stored: three bits.
        self.write(0b000, 3)?;
        self.align()?;
        // No bytes, and the same inverted.
        self.write(0xffff_0000, 32)
    }

    /// Bits that still fit. There may be fewer bytes than the bits of before take.
    pub(crate) fn remaining_bits(&self) -> u64 {
        ((self.out.len() - self.at) as u64 * 8).saturating_sub(self.count.into())
    }

    /// Bits that are in the byte that is not complete.
    pub(crate) fn offset(&self) -> u32 {
        self.count
    }

    /// Adds bits to those that [`Self::flush`] writes. No more than 56 in all between flushes.
    #[inline(always)]
    pub(crate) fn put(&mut self, bits: u64, count: u32) {
        debug_assert!(self.count + count < 64 && bits >> count == 0);
        self.bits |= bits << self.count;
        self.count += count;
    }

    /// Writes the complete bytes. They must fit.
    #[inline(always)]
    pub(crate) fn flush(&mut self) {
        let bytes = (self.count / 8) as usize;
        match self.out.get_mut(self.at..self.at + 8) {
            Some(out) => out.copy_from_slice(&self.bits.to_le_bytes()),
            None => self.out[self.at..self.at + bytes].copy_from_slice(&self.bits.to_le_bytes()[..bytes]),
        }
        self.at += bytes;
        self.bits >>= self.count & 56;
        self.count &= 7;
    }

    /// Bytes that may be written from [`Self::here`] on.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn spare(&self) -> usize {
        self.out.len() - self.at
    }

    /// Returns the address of the next byte.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn here(&mut self) -> *mut u8 {
        self.out[self.at..].as_mut_ptr()
    }

    /// Counts bytes that were written through [`Self::here`].
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        assert!(self.at <= self.out.len(), "what was written was spare");
    }

    /// The bits that are not written yet, to be given back, and their number.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn take(&self) -> (u64, u32) {
        (self.bits, self.count)
    }

    /// Takes bits back.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn give(&mut self, bits: u64, count: u32) {
        (self.bits, self.count) = (bits, count);
    }

    /// Fills the byte up with zeros.
    pub(crate) fn align(&mut self) -> Option<()> {
        if self.count > 0 {
            if self.at == self.out.len() {
                return None;
            }
            self.count = 8;
            self.flush();
        }
        Some(())
    }

    /// Copies whole bytes, from a byte boundary.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        assert!(self.count == 0, "bytes start at a byte");
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }
}

#[cfg(test)]
mod tests;
