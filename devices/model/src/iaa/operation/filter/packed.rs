//! Elements of one width side by side.

/// Reads elements of 1 to 32 bits.
#[derive(Clone, Debug)]
pub(super) struct Packed<'a> {
    bytes: &'a [u8],
    /// The next element's first bit.
    at: usize,
    width: u32,
    big_endian: bool,
}

impl<'a> Packed<'a> {
    /// The elements of these bytes, from the least significant bit of each byte, or from the most
    /// significant.
    pub(super) fn new(bytes: &'a [u8], width: u32, big_endian: bool) -> Packed<'a> {
        Packed { bytes, at: 0, width, big_endian }
    }

    /// Bits of an element.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// The next element; none if the bytes do not have all of it.
    pub(super) fn next(&mut self) -> Option<u32> {
        let end = self.at + self.width as usize;
        let bytes = self.bytes.get(self.at / 8..end.div_ceil(8))?;
        let mask = u64::from(u32::MAX >> (u32::BITS - self.width));
        // At most 7 bits are before the element, so that it lies within 5 bytes.
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
mod tests {
    use super::Packed;

    fn all(bytes: &[u8], width: u32, big_endian: bool) -> Vec<u32> {
        let mut packed = Packed::new(bytes, width, big_endian);
        std::iter::from_fn(|| packed.next()).collect()
    }

    /// 0xD5 is 11 010 101: from the lowest bit 101, 010, and 11 below the 1 of the next byte, which
    /// is 111; then that byte's 000 and 000, and a bit that is no element.
    #[test]
    fn three_bits_little_endian() {
        assert_eq!(all(&[0xD5, 0x01], 3, false), [0b101, 0b010, 0b111, 0, 0]);
    }

    /// 0xD5 is 110 101 01, 0x81 is 1 000 000 1: 110, 101, 011, 000, 000, and a bit that is no
    /// element.
    #[test]
    fn three_bits_big_endian() {
        assert_eq!(all(&[0xD5, 0x81], 3, true), [0b110, 0b101, 0b011, 0, 0]);
    }

    #[test]
    fn whole_words() {
        assert_eq!(all(&[1, 2, 3, 4, 5], 32, false), [0x0403_0201]);
        assert_eq!(all(&[1, 2, 3, 4, 5], 16, true), [0x0102, 0x0304]);
        assert_eq!(all(&[], 1, true), []);
    }

    /// Every width and order against one bit at a time.
    #[test]
    fn against_single_bits() {
        let bytes: Vec<u8> = (0..64u32).map(|n| (n * n * 37 + n * 11 + 5) as u8).collect();
        for (width, big_endian) in (1..=32).flat_map(|width| [(width, false), (width, true)]) {
            let bit = |at: usize| {
                let shift = if big_endian { 7 - at % 8 } else { at % 8 };
                u64::from(bytes[at / 8] >> shift & 1)
            };
            let naive: Vec<u32> = (0..bytes.len() * 8 / width as usize)
                .map(|n| {
                    let bits = (0..width as usize).map(|k| bit(n * width as usize + k));
                    let value = bits.enumerate().fold(0, |value, (k, bit)| {
                        value | bit << if big_endian { width as usize - 1 - k } else { k }
                    });
                    value as u32
                })
                .collect();
            assert_eq!(all(&bytes, width, big_endian), naive, "width {width}, big-endian {big_endian}");
        }
    }
}
