//! What the operations read: packed values, or a hybrid of runs and packed values.

use crate::Error;
use crate::hybrid::{Hybrid, Parts};

/// The order in which values fill bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// From the least significant bit of each byte, a value's lowest bit first: as Parquet packs.
    Little,
    /// From the most significant bit of each byte, a value's highest bit first.
    Big,
}

/// Values of so many bits, one right after the other.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a> {
    bytes: &'a [u8],
    width: u32,
    len: usize,
    order: Order,
}

impl<'a> Packed<'a> {
    /// The first `len` values of `width` bits, 1 to 32, in `bytes`, which may be longer. An error
    /// if they are shorter.
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

    /// The bytes that were given.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bits of a value.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How values fill bytes.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Value `i`, if there are so many.
    pub fn get(&self, i: usize) -> Option<u32> {
        (i < self.len).then(|| self.value(i))
    }

    /// Value `i`, which there is.
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

    /// The values from `start` on, which is a multiple of eight and not above their number.
    pub(crate) fn from(&self, start: usize) -> Self {
        Packed { bytes: &self.bytes[start / 8 * self.width as usize..], len: self.len - start, ..*self }
    }

    /// No more than the first `len` values.
    pub(crate) fn first(&self, len: usize) -> Self {
        Packed { len: len.min(self.len), ..*self }
    }
}

/// What an operation reads.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Packed values.
    Packed(Packed<'a>),
    /// Parquet's hybrid of runs and packed values.
    Hybrid(Hybrid<'a>),
}

impl<'a> Source<'a> {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Source::Packed(packed) => packed.len(),
            Source::Hybrid(hybrid) => hybrid.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bits of a value.
    pub fn width(&self) -> u32 {
        match self {
            Source::Packed(packed) => packed.width(),
            Source::Hybrid(hybrid) => hybrid.width(),
        }
    }

    /// Runs and stretches of packed values, in order.
    pub(crate) fn parts(&self) -> Parts<'a> {
        match self {
            Source::Packed(packed) => Parts::packed(*packed),
            Source::Hybrid(hybrid) => Parts::hybrid(*hybrid),
        }
    }
}

impl<'a> From<Packed<'a>> for Source<'a> {
    fn from(packed: Packed<'a>) -> Self {
        Source::Packed(packed)
    }
}

impl<'a> From<Hybrid<'a>> for Source<'a> {
    fn from(hybrid: Hybrid<'a>) -> Self {
        Source::Hybrid(hybrid)
    }
}
