//! Values, packed and not, and where they are read from.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use pelton_bitpack::{Bitmap, Order, Packed, Source, output};

/// Where values are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Place {
    /// So many copies in turn that no cache has them
    Memory,
    /// One vector, again and again: it comes from the fastest cache that holds it
    Cache,
}

impl Place {
    /// All.
    pub const ALL: [Self; 2] = [Place::Memory, Place::Cache];

    /// How many copies of so many bytes, where from memory `total` bytes are read.
    pub fn copies(self, bytes: usize, total: usize) -> usize {
        match self {
            Place::Memory => total.div_ceil(bytes),
            Place::Cache => 1,
        }
    }

    /// How often all copies are gone through while the clock counts: as many bytes in either place.
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
    /// The values, of which each is as likely as any other.
    pub values: Vec<u32>,
}

impl Vector {
    /// Random values, always the same.
    pub fn new(width: u32, len: usize) -> Self {
        let mut state = u64::from(width);
        let mut next = || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ z >> 31) >> (64 - width)) as u32
        };
        Vector { width, values: (0..len).map(|_| next()).collect() }
    }

    /// A mask in which every second bit is set on average, and which knows nothing of the values.
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
    /// So many copies as the place needs to read `total` bytes.
    pub fn new(values: &[u32], width: u32, place: Place, total: usize) -> Result<Self, String> {
        let mut one = Vec::new();
        output::pack(values, width, Order::Little, &mut one).map_err(|error| error.to_string())?;
        let bytes = one.repeat(place.copies(one.len(), total));
        Ok(Copies { bytes, size: one.len(), width, len: values.len() })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Bytes of one.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bytes of one.
    pub fn bytes(&self, copy: usize) -> &[u8] {
        &self.bytes[copy * self.size..][..self.size]
    }

    /// One of them.
    pub fn source(&self, copy: usize) -> Source<'_> {
        // The bytes are those of so many values.
        Packed::new(self.bytes(copy), self.width, self.len, Order::Little).expect("whole values").into()
    }
}

/// Unpacked values for arrow-rs, in as many copies as the place needs to read `total` bytes.
pub fn arrays(values: &[u32], place: Place, total: usize) -> Vec<ArrayRef> {
    let copies = place.copies(size_of_val(values), total);
    (0..copies).map(|_| Arc::new(UInt32Array::from(values.to_vec())) as ArrayRef).collect()
}

#[cfg(test)]
mod tests {
    use super::{Copies, Place, Vector, arrays};

    #[test]
    fn copies_are_many_in_memory_and_one_in_a_cache() {
        let vector = Vector::new(13, 1000);
        assert!(vector.values.iter().all(|&value| value < 1 << 13));
        for (place, count, laps) in [(Place::Memory, 7, 1), (Place::Cache, 1, 7)] {
            let copies = Copies::new(&vector.values, 13, place, 10_000).unwrap();
            assert_eq!((copies.count(), copies.size()), (count, 1625));
            assert_eq!(place.laps(copies.size(), 10_000), laps);
            let mut found = vec![];
            pelton_bitpack::Kernels::detect().unpack(&copies.source(count - 1), &mut found).unwrap();
            assert_eq!(found, vector.values);
        }
        assert_eq!(arrays(&vector.values, Place::Memory, 10_000).len(), 3);
        let share = vector.mask().count_ones();
        assert!((400..600).contains(&share), "{share}");
    }
}
