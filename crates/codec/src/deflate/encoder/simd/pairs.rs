//! Writing pairs of tokens one after the other, however few bits they have.

use crate::deflate::encoder::bit_writer::BitWriter;

/// Bits that a pair may have to be written at once, after up to seven of before.
pub(crate) const PAIR: i64 = 56;

/// Appends pairs to `count` bits that fill no byte, and returns what fills none after them.
///
/// # Safety
/// Eight bytes for each pair may be written, and none has more than `PAIR` bits.
#[inline(always)]
pub(crate) unsafe fn write<const N: usize>(
    pairs: [u64; N],
    counts: [u64; N],
    (mut bits, mut count): (u64, u32),
    to: &mut BitWriter<'_>,
) -> (u64, u32) {
    let start = to.here();
    let mut out = start;
    for (pair, len) in pairs.into_iter().zip(counts) {
        bits |= pair << (count & 63);
        count += len as u32;
        // SAFETY: a pair fills at most the eight bytes that there are for it, so none before it reached into these.
        unsafe {
            out.cast::<u64>().write_unaligned(bits.to_le());
            out = out.add(count as usize / 8);
        }
        bits >>= count & 56;
        count &= 7;
    }
    // SAFETY: both are in the output.
    to.skip(unsafe { out.offset_from_unsigned(start) });
    (bits, count)
}
