//! Bit reader over the bits of an earlier operation, then those of source 1.

/// The input ended.
pub(super) struct NoInput;

/// Bytes with a possibly incomplete last byte.
#[derive(Clone, Copy, Default)]
pub(super) struct Piece<'a> {
    pub(super) bytes: &'a [u8],
    /// Number of highest bits of the last byte to ignore, 0 to 7.
    pub(super) ignored: u32,
}

impl Piece<'_> {
    fn bits(&self) -> usize {
        if self.bytes.is_empty() { 0 } else { self.bytes.len() * 8 - self.ignored as usize }
    }
}

/// A bit reader, from the least significant bit of each byte.
#[derive(Clone)]
pub(super) struct Bits<'a> {
    piece: Piece<'a>,
    next: Piece<'a>,
    /// The bit buffer. Bits above `count` are zero, or the bits that follow.
    buffer: u64,
    count: u32,
    /// Number of highest bits to ignore in the input's last byte.
    ignored: u32,
}

impl<'a> Bits<'a> {
    /// Returns a reader of the bits of `carried`, then of `source`.
    pub(super) fn new(carried: Piece<'a>, source: Piece<'a>) -> Bits<'a> {
        let ignored = if source.bytes.is_empty() { 0 } else { source.ignored };
        Bits { piece: carried, next: source, buffer: 0, count: 0, ignored }
    }

    /// Fills the buffer to at least 56 bits, or all remaining ones.
    #[inline]
    pub(super) fn refill(&mut self) {
        match self.piece.bytes.first_chunk::<8>() {
            _ if self.count >= 56 => {}
            // The slow path handles the last byte of a piece, which may be incomplete.
            Some(&word) if self.piece.bytes.len() > 8 => {
                self.buffer |= u64::from_le_bytes(word) << self.count;
                let taken = (63 - self.count) / 8;
                self.piece.bytes = &self.piece.bytes[taken as usize..];
                self.count += taken * 8;
            }
            _ => self.refill_by_bytes(),
        }
    }

    fn refill_by_bytes(&mut self) {
        self.buffer &= mask(self.count);
        while self.count <= 56 {
            let Some((&byte, rest)) = self.piece.bytes.split_first() else {
                if self.next.bytes.is_empty() {
                    return;
                }
                self.piece = std::mem::take(&mut self.next);
                continue;
            };
            let valid = if rest.is_empty() { 8 - self.piece.ignored } else { 8 };
            self.buffer |= (u64::from(byte) & mask(valid)) << self.count;
            self.count += valid;
            self.piece.bytes = rest;
        }
    }

    /// Returns the buffer: at least [`count`](Bits::count) bits of input, the next one lowest.
    #[inline]
    pub(super) fn buffer(&self) -> u64 {
        self.buffer
    }

    /// Returns the number of bits in the buffer.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Skips `count` bits of the buffer.
    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        debug_assert!(count <= self.count);
        self.buffer >>= count;
        self.count -= count;
    }

    /// Returns and skips the next bits, up to 32.
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> Result<u32, NoInput> {
        if self.count < count {
            self.refill();
            if self.count < count {
                return Err(NoInput);
            }
        }
        let bits = self.buffer & mask(count);
        self.skip(count);
        Ok(bits as u32)
    }

    /// Returns the number of remaining bits.
    pub(super) fn left(&self) -> usize {
        self.count as usize + self.piece.bits() + self.next.bits()
    }

    /// Skips to the next byte of the stream. Its last byte is the input's.
    pub(super) fn align(&mut self) {
        let beyond = (self.left() + self.ignored as usize) % 8;
        // There are fewer than 8 bits to skip, unless only bits of an incomplete last byte remain.
        if self.take(beyond as u32).is_err() {
            self.skip(self.count);
        }
    }

    /// Copies up to `max` complete bytes, and returns their number.
    pub(super) fn copy(&mut self, max: usize, to: &mut Vec<u8>) -> usize {
        let mut copied = 0;
        while copied < max {
            if self.count == 0 && self.piece.bytes.len() > 1 {
                // All except the last byte, which may be incomplete.
                let whole = (max - copied).min(self.piece.bytes.len() - 1);
                let (now, rest) = self.piece.bytes.split_at(whole);
                to.extend_from_slice(now);
                self.piece.bytes = rest;
                self.buffer = 0;
                copied += whole;
                continue;
            }
            match self.take(8) {
                Ok(byte) => to.push(byte as u8),
                Err(NoInput) => break,
            }
            copied += 1;
        }
        copied
    }

    /// Returns the next bits as bytes, with the lowest bits of the last byte, and their number.
    pub(super) fn first(mut self, count: usize) -> (Vec<u8>, usize) {
        let count = count.min(self.left());
        let mut bytes = Vec::with_capacity(count.div_ceil(8));
        self.copy(count / 8, &mut bytes);
        if let Ok(last) = self.take(count as u32 % 8)
            && !count.is_multiple_of(8)
        {
            bytes.push(last as u8);
        }
        (bytes, count)
    }
}

/// Returns a mask of the lowest `count` bits.
pub(super) fn mask(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
