//! Single short block: compresses one-shot input of a few kilobytes, with the encoder that the
//! input alone decides.

use std::ffi::c_int;
use std::ops::{Range, RangeInclusive};

use pelton_codec::{BlockEncoder, IsaLevel};

use super::encoders::Encoders;

/// Levels of zlib that our level 4 replaces for one-shot input of some lengths.
const LEVEL_4_FOR: RangeInclusive<c_int> = 5..=6;

/// Lengths of one-shot input at which our level 4 replaces [`LEVEL_4_FOR`]: it is much faster than
/// libdeflate there, and close to zlib's size. Longer source code would get too large
/// (`docs/experiments/libz-levels.md`).
const LEVEL_4_LEN: RangeInclusive<usize> = 8 << 10..=32 << 10;

/// The shortest of these lengths with AVX-512, a little less than RocksDB's blocks.
const MIN_LEN_AVX512: usize = 7 << 9;

/// Accepted ratios of uncompressed to compressed size at level 4, in quarters. Our lanes cut the
/// matches of more repetitive data, and less compressible data gains nothing.
const LEVEL_4_RATIO: Range<usize> = 5..22;

/// Compresses raw one-shot input at a level of zlib's, the same way each time.
pub fn compress_short(
    encoders: &mut Encoders,
    asked: i32,
    uncompressed: &[u8],
    output: &mut [u8],
) -> Option<usize> {
    let min_len =
        if encoders.blocks.isa_level() == IsaLevel::Avx512 { MIN_LEN_AVX512 } else { *LEVEL_4_LEN.start() };
    let is_for_4 =
        LEVEL_4_FOR.contains(&asked) && (min_len..=*LEVEL_4_LEN.end()).contains(&uncompressed.len());
    if !is_for_4 || !encoders.blocks.is_accelerated(4) {
        return encoders.one_shot.compress(asked, uncompressed, output).ok();
    }
    // Level 4 would make numbers a tenth larger, and words of three to five bytes up to twice.
    let is_suitable =
        !BlockEncoder::is_numeric(uncompressed) && encoders.blocks.repeats_long_words(uncompressed);
    match is_suitable.then(|| encoders.one_shot.compress(4, uncompressed, output)) {
        Some(Ok(len)) if LEVEL_4_RATIO.contains(&(4 * uncompressed.len() / len.max(1))) => Some(len),
        // At level 6 `RawEncoder` uses libdeflate for all of these lengths, at 5 only for some.
        _ => encoders.one_shot.compress(6, uncompressed, output).ok(),
    }
}

#[cfg(test)]
mod tests;
