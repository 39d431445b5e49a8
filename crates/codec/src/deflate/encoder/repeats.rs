//! How many positions repeat what was there before, of data that is short enough for all of it to be looked at.

use crate::deflate::encoder::match_finder::buckets::SPREAD;

/// Of how many positions the next three bytes, and of how many the next `longer`, up to eight, are those at the last position with the same hash of three bytes. `SIZE` is the
/// number of hashes, a power of two. The last seven positions don't count.
///
/// # Panics
/// In builds that check: if `uncompressed` is longer than 64 KB.
pub(crate) fn threes<const SIZE: usize>(uncompressed: &[u8], longer: u32) -> [usize; 2] {
    const { assert!(SIZE.is_power_of_two()) };
    debug_assert!(uncompressed.len() <= 1 << 16 && (3..=8).contains(&longer));
    let unlike = [3, longer].map(|bytes| u64::BITS - 8 * bytes);
    let mut last = [0_u16; SIZE];
    let mut repeated = [0; 2];
    let words = uncompressed.array_windows().map(|&word| u64::from_le_bytes(word));
    // No branch depends on what is found. Where nothing is known of a hash, its last position is taken to be the first of all.
    for (at, word) in words.enumerate().skip(1) {
        let hash = ((word as u32) << 8).wrapping_mul(SPREAD);
        let last = &mut last[(hash >> (u32::BITS - SIZE.ilog2())) as usize];
        // There always is one: this is for the compiler.
        let there = uncompressed[usize::from(*last)..]
            .first_chunk()
            .map_or(!word, |&there| u64::from_le_bytes(there));
        *last = at as u16;
        for (repeated, unlike) in repeated.iter_mut().zip(unlike) {
            *repeated += usize::from((word ^ there) << unlike == 0);
        }
    }
    repeated
}
