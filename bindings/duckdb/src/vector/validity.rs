//! Nulls.

use arrow::buffer::NullBuffer;

use crate::sys::Vector;

/// Copies bits: in both, a row that is not null has its bit set, and the first row has the lowest.
pub(super) fn write(nulls: &NullBuffer, from: usize, rows: usize, to: &mut Vector) {
    let bits = nulls.inner().slice(from, rows);
    if bits.count_set_bits() == rows {
        return;
    }
    let chunks = bits.bit_chunks();
    let mask = to.validity(rows);
    let rest = (!rows.is_multiple_of(64)).then(|| chunks.remainder_bits());
    for (word, bits) in mask.iter_mut().zip(chunks.iter().chain(rest)) {
        *word = bits;
    }
}
