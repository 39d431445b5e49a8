//! Deposit of bits: combines a mask with a mask over its set bits.

use arrow::buffer::{BooleanBuffer, Buffer};
use pelton_bitpack::Kernels;

/// Puts the bits of `bits` at the positions of the set bits of `mask`; all other bits are false.
/// Turns a filter's result on the selected rows into one on all rows.
pub fn deposit(mask: &BooleanBuffer, bits: &BooleanBuffer) -> BooleanBuffer {
    let words = Kernels::detect().deposit(mask.bit_chunks().iter_padded(), bits.bit_chunks().iter_padded());
    BooleanBuffer::new(Buffer::from_vec(words), 0, mask.len())
}

#[cfg(test)]
mod tests;
