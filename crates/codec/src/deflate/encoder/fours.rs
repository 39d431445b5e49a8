//! Whether data repeats words of four bytes rather than longer ones.

use super::sample::runs;
use crate::deflate::encoder::match_finder::buckets::spread_long;

/// How many positions, by their last two bits, have `N` bytes, four or five, like those of an earlier one: of those with the same hash, the
/// last. The last seven don't count.
fn repeated<const N: usize>(uncompressed: &[u8]) -> [usize; 4] {
    let word_of = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) << (u64::BITS - 8 * N as u32);
    let mut last = [0_u16; 1 << WORDS_BITS];
    let mut repeated = [0; 4];
    // No branch depends on what is found. Where nothing is known of a hash, its last position is taken to be the first of all.
    for (at, bytes) in uncompressed.array_windows().enumerate().skip(1) {
        let word = word_of(bytes);
        let (four, fifth) = if N > 4 { ((word >> 24) as u32, word >> 56) } else { ((word >> 32) as u32, 0) };
        let last = &mut last[(spread_long(four, fifth as u32) >> (u32::BITS - WORDS_BITS)) as usize];
        // There always is one: this is for the compiler.
        let there = uncompressed[usize::from(*last)..].first_chunk().map_or(!word, word_of);
        repeated[at % 4] += usize::from(word == there);
        *last = at as u16;
    }
    repeated
}

/// How many positions have to repeat four bytes for each that repeats more, ...
const FOURS: usize = 4;
/// ... and besides these, one in how many.
const REPEATED: usize = 64;

/// Whether anything of up to 4 KB that is looked at repeats four bytes. If not, [`is_in_fours`] is not to be expected.
///
/// Half of what is looked at is the start, where repeats are found at any distance, and half is spread over the rest, as the start may be unlike it.
/// Of `len` bytes of numbers, each one of 2 * `len`, one position in [`REPEATED`] repeats one before. Of so few of them as are looked at, four do on
/// average, and none once in 30 to 130 times. Of noise, none does. What repeats only at some one distance, of an eighth of the bytes or more, may be missed.
pub(crate) fn has_fours(uncompressed: &[u8]) -> bool {
    let half = 8 * uncompressed.len().isqrt();
    let (start, rest) = uncompressed.split_at(half.min(uncompressed.len()));
    let mut sample = [0; MAX_SYMBOLS];
    let mut len = 0;
    for run in std::iter::once(start).chain(runs(rest, rest.len() / half.max(1))) {
        let Some(to) = sample.get_mut(len..len + run.len()) else { break };
        to.copy_from_slice(run);
        len += run.len();
    }
    repeated::<4>(&sample[..len]) != [0; 4]
}

/// What is ever looked at.
const MAX_SYMBOLS: usize = 4 << 10;

/// Whether far more positions repeat four bytes than five, of which so many do: numbers of four bytes, say, each one of some hundred.
pub(crate) fn is_in_fours(uncompressed: &[u8], fives: usize) -> bool {
    repeated::<4>(uncompressed).iter().sum::<usize>() > FOURS * fives + uncompressed.len() / REPEATED
}

/// The same of words that follow one on another: text of few letters repeats as many fours, but at any position.
pub(crate) fn is_in_words_of_four(uncompressed: &[u8]) -> bool {
    if !has_fours(uncompressed) {
        return false;
    }
    let fours = repeated::<4>(uncompressed);
    let (most, all) = (fours.iter().max().copied().unwrap_or(0), fours.iter().sum::<usize>());
    4 * most > 3 * all && is_in_fours(uncompressed, repeated::<5>(uncompressed).iter().sum())
}

/// The logarithm of the hashes of words that are looked at, for 4 KB.
const WORDS_BITS: u32 = 12;

#[cfg(test)]
mod tests;
