//! Whether data is noise: bytes that DEFLATE can't make shorter, as encrypted or compressed ones are.
//!
//! A code gains nothing where all bytes are about equally frequent, anywhere; a match gains nothing where hardly three bytes are
//! repeated. Both are counted, in data of which nothing is left out, so that what is taken for noise loses less than a hundredth.

use super::repeats;

/// Inputs from this length on are looked at. Shorter ones take less time than it is worth.
const LEAST: usize = 2 << 10;
/// Longer ones are for this coder, which looks at each of their chunks; positions of these fit in 16 bits.
const MAX_SYMBOLS: usize = 48 << 10;
/// Bytes whose distribution is looked at: where it changes more often, a block's header costs more than it gains.
const PIECE: usize = 512;
/// Two bytes are equal by chance once in 256 pairs, and in what is taken for even in a 32nd more pairs. That is 0.04 bits a byte below 8 by
/// collisions (Rényi's entropy of the second order), and no more by Shannon's, which is never less: a code gains half a hundredth, and with what
/// [`DEVIATIONS`] allow for in short inputs less than its header takes.
const MORE: u64 = 32;
/// Standard deviations by which pairs may be more than they are on average. In a piece of noise they are once in 10^8, as their distribution
/// has a longer tail than the normal one.
const DEVIATIONS: u64 = 6;
/// Of fewer positions than one in this many, the next three bytes may be repeated; by chance they are of one in 1,024. A match of three
/// saves 16 bits at most, where it is near, of the 8 * 256 that are there for each.
const THREES: usize = 256;
/// The same of four bytes, which are hardly ever repeated by chance: those of a longer match. Of what is repeated from 32 KB back, some 13% are
/// still known, so that most of the hundredth may be lost by these.
const FOURS: usize = 1024;
/// Hashes of three bytes.
const HASHES: usize = 1 << 14;

/// Whether no code and no match makes `uncompressed` shorter by a hundredth. `false` for what is too short or too long to tell.
///
/// What is no noise is seen to be none by its first bytes, mostly.
pub(crate) fn is_incompressible(uncompressed: &[u8]) -> bool {
    (LEAST..=MAX_SYMBOLS).contains(&uncompressed.len())
        && is_even_everywhere(uncompressed)
        && !is_repetitive(uncompressed)
}

/// Whether all bytes are about equally frequent, in each whole piece and on the whole.
fn is_even_everywhere(uncompressed: &[u8]) -> bool {
    let (pieces, rest) = uncompressed.as_chunks::<PIECE>();
    let mut whole = [0_u32; 256];
    rest.iter().for_each(|&byte| whole[usize::from(byte)] += 1);
    let even = pieces.iter().all(|piece| {
        let mut counts = [0_u32; 256];
        piece.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        whole.iter_mut().zip(&counts).for_each(|(whole, count)| *whole += count);
        is_even(&counts, PIECE)
    });
    even && is_even(&whole, uncompressed.len())
}

/// Whether no more pairs of `len` bytes are equal than are by chance.
fn is_even(counts: &[u32; 256], len: usize) -> bool {
    let equal: u64 =
        counts.iter().map(|&count| u64::from(count) * u64::from(count)).sum::<u64>() - len as u64;
    // These are ordered pairs, twice as many as there are pairs, whose variance is their number: four times that is twice what is by chance.
    let chance = (len * len.saturating_sub(1)) as u64 / 256;
    equal <= chance + chance / MORE + DEVIATIONS * (2 * chance).isqrt()
}

/// Whether three or four bytes that were there before come again, more often than by chance.
fn is_repetitive(uncompressed: &[u8]) -> bool {
    let [threes, fours] = repeats::threes::<HASHES>(uncompressed, 4);
    threes * THREES >= uncompressed.len() || fours * FOURS >= uncompressed.len()
}

#[cfg(test)]
mod tests;
