//! The steps that operations are made of, which each ISA level implements.

use crate::bitmap::Bitmap;
use crate::packed::Packed;
use crate::predicate::Within;

/// An implementation of the steps on packed values.
pub(crate) trait Steps: Copy {
    /// Writes a word for each 64 values, with a bit for each value: whether it passes. `to` has
    /// exactly these words; the bits of the last one after the last value may be anything.
    fn scan(self, packed: Packed<'_>, within: Within, to: &mut [u64]);

    /// Writes a word for each 64 values, with a bit for each value: whether it is in the set.
    /// Returns the greatest value. `to` is as for a scan. `None`: the implementation has no step
    /// for values of this width, and nothing was written.
    fn look_up(self, _packed: Packed<'_>, _set: &Bitmap, _to: &mut [u64]) -> Option<u32> {
        None
    }

    /// Appends the values.
    fn unpack(self, packed: Packed<'_>, to: &mut Vec<u32>);

    /// Returns the greatest of some values; 0 if there are none.
    fn greatest(self, values: &[u32]) -> u32;

    /// Appends the values that the mask selects; the bit of the first value is at `at`.
    fn select(self, packed: Packed<'_>, mask: &Bitmap, at: usize, to: &mut Vec<u32>);

    /// Appends, for each bit of the mask, the next value if it is set, and 0 if it is not. It
    /// starts at bit `at` and works in words, up to the end of the mask or the last word that the
    /// values suffice for. Returns the next bit, and the number of used values.
    fn expand(self, values: &[u32], mask: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize);
}

/// Returns the greatest of some values, 0 if there are none, in vectors of the caller's width.
#[inline(always)]
pub(crate) fn greatest(values: &[u32]) -> u32 {
    values.iter().fold(0, |greatest, &value| greatest.max(value))
}
