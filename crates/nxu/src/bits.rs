//! Bits in DEFLATE's order: the least significant of each byte first (RFC 1951, section 3.1.1).

/// Writer of bits.
#[derive(Clone, Default, Debug)]
pub struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet, and their number, below 8 between calls.
    pending: u64,
    count: u32,
}

impl BitWriter {
    /// Returns a writer that begins at a byte.
    pub fn new() -> BitWriter {
        BitWriter::default()
    }

    /// Returns a writer that begins behind the low `bits`, at most 7, of a byte.
    pub fn with_partial(byte: u8, bits: u8) -> BitWriter {
        let count = u32::from(bits.min(7));
        BitWriter { bytes: Vec::new(), pending: u64::from(byte) & ((1 << count) - 1), count }
    }

    /// Appends the low `count` bits, at most 48, of a value.
    pub fn bits(&mut self, value: u64, count: u32) {
        debug_assert!(count <= 48 && value >> count == 0);
        self.pending |= value << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// Fills the last byte with zeros.
    pub fn align(&mut self) {
        self.bits(0, (8 - self.count) % 8);
    }

    /// Appends whole bytes at a byte.
    ///
    /// # Panics
    /// The last byte is not full.
    pub fn bytes(&mut self, bytes: &[u8]) {
        assert_eq!(self.count, 0, "bytes begin at a byte");
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the number of bits, with those of a partial first byte.
    pub fn len_bits(&self) -> u64 {
        8 * self.bytes.len() as u64 + u64::from(self.count)
    }

    /// Returns the bytes; unused bits of the last one are zero.
    pub fn into_bytes(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }
}

/// Reader of bits.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> BitReader<'a> {
    /// Returns a reader that begins at a bit.
    pub fn new(bytes: &'a [u8], start: u64) -> BitReader<'a> {
        BitReader { bytes, at: start.min(8 * bytes.len() as u64) }
    }

    /// Returns the position in bits.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Goes to a position in bits.
    pub fn seek(&mut self, at: u64) {
        self.at = at.min(8 * self.bytes.len() as u64);
    }

    /// Returns the number of the remaining bits.
    pub fn bits_left(&self) -> u64 {
        8 * self.bytes.len() as u64 - self.at
    }

    /// Returns the next bits, 57 at least, with zeros behind the last one.
    pub fn peek(&self) -> u64 {
        let from = (self.at / 8) as usize;
        let word = match self.bytes.get(from..from + 8) {
            Some(bytes) => u64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            None => {
                let mut padded = [0; 8];
                let rest = self.bytes.get(from..).unwrap_or_default();
                padded[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(padded)
            }
        };
        word >> (self.at % 8)
    }

    /// Skips bits. Returns whether all were there.
    pub fn skip(&mut self, count: u32) -> bool {
        let is_there = u64::from(count) <= self.bits_left();
        if is_there {
            self.at += u64::from(count);
        }
        is_there
    }

    /// Reads up to 32 bits; none if not all are there.
    pub fn take(&mut self, count: u32) -> Option<u32> {
        let value = self.peek() & ((1 << count) - 1);
        self.skip(count).then_some(value as u32)
    }

    /// Goes to the next byte.
    pub fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    /// Reads at most `max` whole bytes at a byte.
    pub fn bytes(&mut self, max: usize) -> &'a [u8] {
        let from = (self.at / 8) as usize;
        let bytes = &self.bytes[from..(from + max).min(self.bytes.len())];
        self.at += 8 * bytes.len() as u64;
        bytes
    }
}
