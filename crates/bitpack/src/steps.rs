//! What an implementation has to be able to do: the steps that operations are made of.

use crate::bitmap::Bitmap;
use crate::predicate::Within;
use crate::source::Packed;

/// An implementation of the steps on packed values.
pub(crate) trait Steps: Copy {
    /// Writes a word for each 64 values, in which a bit says whether the value passes. `to` has as
    /// many words as that makes; what the last one has for values that there are not may be
    /// anything.
    fn scan(self, packed: Packed<'_>, within: Within, to: &mut [u64]);

    /// Writes a word for each 64 values, in which a bit says whether the value's bit of the set is
    /// set, and returns the greatest value. `to` is as for a scan. `None`: the implementation has
    /// no step for values of this width, and nothing was written.
    fn look_up(self, _packed: Packed<'_>, _set: &Bitmap, _to: &mut [u64]) -> Option<u32> {
        None
    }

    /// Appends the values.
    fn unpack(self, packed: Packed<'_>, to: &mut Vec<u32>);

    /// The greatest of some values; 0 if there are none.
    fn greatest(self, values: &[u32]) -> u32;

    /// Appends the values whose bit of the mask is set; that of the first one is at `at`.
    fn select(self, packed: Packed<'_>, mask: &Bitmap, at: usize, to: &mut Vec<u32>);

    /// Appends, for 64 bits of the mask after another, the next value where a bit is set, and 0
    /// where it is not: from bit `at` on, a multiple of 64, to the end of the mask or as far as the
    /// values suffice. Returns where it stopped and how many it used.
    fn expand(self, values: &[u32], mask: &Bitmap, at: usize, to: &mut Vec<u32>) -> (usize, usize);
}

/// The greatest of some values, 0 if there are none: a loop that the compiler makes vectors of, as
/// wide as the caller may use.
#[inline(always)]
pub(crate) fn greatest(values: &[u32]) -> u32 {
    values.iter().fold(0, |greatest, &value| greatest.max(value))
}
