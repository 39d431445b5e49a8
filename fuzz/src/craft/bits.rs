//! Bit writer in the order of RFC 1951, section 3.1.1.

/// Bytes that are written bit by bit, lowest first.
#[derive(Default)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// Bits that are not a whole byte yet, and how many.
    rest: u64,
    count: u32,
}

impl Bits {
    /// Appends the lowest `count` bits of a number, at most 32.
    pub(super) fn put(&mut self, value: u64, count: u32) {
        self.rest |= (value & ((1 << count) - 1)) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.count -= 8;
        }
    }

    /// Appends a codeword, which is written highest bit first.
    pub(super) fn word(&mut self, (word, len): (u32, u8)) {
        for bit in (0..len).rev() {
            self.put(u64::from(word >> bit & 1), 1);
        }
    }

    /// Zeros up to the next byte.
    pub(super) fn align(&mut self) {
        self.put(0, (8 - self.count) % 8);
    }

    /// Whole bytes.
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.put(u64::from(byte), 8));
    }

    /// Returns the bytes, the last one filled up with zeros.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }
}
