//! Packed values: of the same number of bits, without gaps.

use crate::Error;

/// The order in which values fill bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the least significant bit of each byte, a value's lowest bit first: as Parquet packs.
    Little,
    /// From the most significant bit of each byte, a value's highest bit first.
    Big,
}

/// Values of the same number of bits, without gaps.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    width: u32,
    len: usize,
    order: Order,
}

impl<'a> Packed<'a> {
    /// Makes a source of the first `len` values of `width` bits, 1 to 32, in `bytes`, which may be
    /// longer. An error if they are shorter.
    pub fn new(bytes: &'a [u8], width: u32, len: usize, order: Order) -> Result<Self, Error> {
        if !(1..=32).contains(&width) {
            return Err(Error::Width { width, least: 1, most: 32 });
        }
        // Below, numbers of bits of values can't overflow: this one does not.
        let fits = len.checked_mul(width as usize).is_some_and(|bits| bits.div_ceil(8) <= bytes.len());
        if fits {
            Ok(Packed { bytes, width, len, order })
        } else {
            Err(Error::TooShort { len, width, given: bytes.len() })
        }
    }

    /// Returns the bytes, including those after the last value.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bits of a value.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the order in which values fill bytes.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns value `i`, if it exists.
    pub fn get(&self, i: usize) -> Option<u32> {
        (i < self.len).then(|| self.value(i))
    }

    /// Returns value `i`, which exists.
    pub(crate) fn value(&self, i: usize) -> u32 {
        let width = self.width as usize;
        let start = i * width;
        // A value of 32 bits that starts at a byte's last bit is in five bytes.
        let bytes = &self.bytes[start / 8..(start + width).div_ceil(8)];
        let (shift, number) = match self.order {
            Order::Little => (start % 8, bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))),
            Order::Big => {
                let number = bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
                (bytes.len() * 8 - start % 8 - width, number)
            }
        };
        (number >> shift & ((1 << width) - 1)) as u32
    }

    /// Returns the values from `start` on, a multiple of eight and at most their number.
    pub(crate) fn from(&self, start: usize) -> Self {
        Packed { bytes: &self.bytes[start / 8 * self.width as usize..], len: self.len - start, ..*self }
    }

    /// Returns at most the first `len` values.
    pub(crate) fn first(&self, len: usize) -> Self {
        Packed { len: len.min(self.len), ..*self }
    }
}
