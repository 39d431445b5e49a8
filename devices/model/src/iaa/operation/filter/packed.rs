//! Consecutive elements of one width.

/// A reader of elements of 1 to 32 bits.
#[derive(Clone, Debug)]
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    /// Position of the next element in bits.
    at: usize,
    width: u32,
    big_endian: bool,
}

impl<'a> Packed<'a> {
    /// Returns a reader of these bytes, from the least or the most significant bit of each byte.
    pub(super) fn new(bytes: &'a [u8], width: u32, big_endian: bool) -> Packed<'a> {
        Packed { bytes, at: 0, width, big_endian }
    }

    /// Returns the width of an element in bits.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// Returns the next element; none if the bytes end before its end.
    pub(super) fn next(&mut self) -> Option<u32> {
        let end = self.at + self.width as usize;
        let bytes = self.bytes.get(self.at / 8..end.div_ceil(8))?;
        let mask = u64::from(u32::MAX >> (u32::BITS - self.width));
        // Together with the bits before it, an element is within 5 bytes.
        let value = if self.big_endian {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            word >> (end.div_ceil(8) * 8 - end)
        } else {
            let word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            word >> (self.at % 8)
        };
        self.at = end;
        Some((value & mask) as u32)
    }
}

#[cfg(test)]
mod tests;
