//! The input as bits: first those that an operation before left over, then those of source 1.

/// The input ended.
pub(super) struct NoInput;

/// Bytes whose last one has only some bits that count.
#[derive(Clone, Copy, Default)]
pub(super) struct Piece<'a> {
    pub(super) bytes: &'a [u8],
    /// Highest bits of the last byte that are no input: 0 to 7.
    pub(super) ignored: u32,
}

impl Piece<'_> {
    fn bits(&self) -> usize {
        if self.bytes.is_empty() { 0 } else { self.bytes.len() * 8 - self.ignored as usize }
    }
}

/// Bits from the least significant of each byte.
#[derive(Clone)]
pub(super) struct Bits<'a> {
    piece: Piece<'a>,
    next: Piece<'a>,
    /// Bits above `count` are zeros, or those that come next.
    buffer: u64,
    count: u32,
    /// Highest bits of the input's last byte that are no input.
    ignored: u32,
}

impl<'a> Bits<'a> {
    /// The bits of `carried`, then those of `source`.
    pub(super) fn new(carried: Piece<'a>, source: Piece<'a>) -> Bits<'a> {
        let ignored = if source.bytes.is_empty() { 0 } else { source.ignored };
        Bits { piece: carried, next: source, buffer: 0, count: 0, ignored }
    }

    /// Have at least 56 bits in the buffer, or all that there are.
    #[inline]
    pub(super) fn refill(&mut self) {
        match self.piece.bytes.first_chunk::<8>() {
            _ if self.count >= 56 => {}
            // The last byte of a piece is left to the slow way, as not all of its bits may count.
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

    /// The buffer: at least [`count`](Bits::count) bits of input, the next one lowest.
    #[inline]
    pub(super) fn buffer(&self) -> u64 {
        self.buffer
    }

    /// Bits in the buffer.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Go on behind so many bits, which have to be in the buffer.
    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        debug_assert!(count <= self.count);
        self.buffer >>= count;
        self.count -= count;
    }

    /// The next bits, up to 32.
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

    /// Bits that were not taken.
    pub(super) fn left(&self) -> usize {
        self.count as usize + self.piece.bits() + self.next.bits()
    }

    /// Go on at the next edge of a byte of the stream, whose last byte is the input's.
    pub(super) fn align(&mut self) {
        let beyond = (self.left() + self.ignored as usize) % 8;
        // Fewer than 8 bits are there to skip unless all that is left are bits of a last byte that
        // is not whole.
        if self.take(beyond as u32).is_err() {
            self.skip(self.count);
        }
    }

    /// Copy up to so many whole bytes, and say how many.
    pub(super) fn copy(&mut self, most: usize, to: &mut Vec<u8>) -> usize {
        let mut copied = 0;
        while copied < most {
            if self.count == 0 && self.piece.bytes.len() > 1 {
                // All but the last byte, of which not all bits may count.
                let whole = (most - copied).min(self.piece.bytes.len() - 1);
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

    /// The next bits as bytes, of which the last has only its lowest bits; and how many bits these
    /// are.
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

/// So many ones.
pub(super) fn mask(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
