//! Values, packed and unpacked, and the places that they are read from.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use pelton_bitpack::{Bitmap, Order, Packed, Source, output};
use pelton_random::Random;

/// Place that values are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Place {
    /// Copies in turn, more than any cache holds
    Memory,
    /// One vector, again and again: it comes from the fastest cache that holds it
    Cache,
}

impl Place {
    /// All.
    pub const ALL: [Self; 2] = [Place::Memory, Place::Cache];

    /// Returns the number of copies of `bytes` bytes; from memory, `total` bytes are read.
    pub fn copies(self, bytes: usize, total: usize) -> usize {
        match self {
            Place::Memory => total.div_ceil(bytes),
            Place::Cache => 1,
        }
    }

    /// Returns the number of passes over all copies while the clock counts: the bytes are the same
    /// in either place.
    pub fn laps(self, bytes: usize, total: usize) -> usize {
        match self {
            Place::Memory => 1,
            Place::Cache => total.div_ceil(bytes),
        }
    }
}

/// Values of some width.
pub struct Vector {
    /// Bits of a value.
    pub width: u32,
    /// Uniformly distributed values.
    pub values: Vec<u32>,
}

impl Vector {
    /// Random values, always the same.
    pub fn new(width: u32, len: usize) -> Self {
        let mut random = Random::new(u64::from(width));
        let mut next = || (random.next() >> (64 - width)) as u32;
        Vector { width, values: (0..len).map(|_| next()).collect() }
    }

    /// Returns a mask with half of its bits set on average, independent of the values.
    pub fn mask(&self) -> Bitmap {
        let bits = Vector::new(1, self.values.len() + 1);
        bits.values[1..].iter().map(|&bit| bit == 1).collect()
    }
}

/// Packed values, in copies one after the other.
pub struct Copies {
    bytes: Vec<u8>,
    size: usize,
    width: u32,
    len: usize,
}

impl Copies {
    /// Makes the number of copies with which `total` bytes are read from the place.
    pub fn new(values: &[u32], width: u32, place: Place, total: usize) -> Result<Self, String> {
        let mut one = Vec::new();
        output::pack(values, width, Order::Little, &mut one).map_err(|error| error.to_string())?;
        let bytes = one.repeat(place.copies(one.len(), total));
        Ok(Copies { bytes, size: one.len(), width, len: values.len() })
    }

    /// Returns the number of copies.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Returns bytes of one.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the bytes of one.
    pub fn bytes(&self, copy: usize) -> &[u8] {
        &self.bytes[copy * self.size..][..self.size]
    }

    /// Returns one of them.
    pub fn source(&self, copy: usize) -> Source<'_> {
        // The bytes hold exactly `len` values.
        Packed::new(self.bytes(copy), self.width, self.len, Order::Little).expect("whole values").into()
    }
}

/// Makes unpacked values for arrow-rs, in the number of copies with which `total` bytes are read.
pub fn arrays(values: &[u32], place: Place, total: usize) -> Vec<ArrayRef> {
    let copies = place.copies(size_of_val(values), total);
    (0..copies).map(|_| Arc::new(UInt32Array::from(values.to_vec())) as ArrayRef).collect()
}

#[cfg(test)]
mod tests;
