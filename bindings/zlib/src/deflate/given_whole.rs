//! Which coder compresses a stream that is given whole and is too short for a trial
//! (docs/decisions/0010).

use std::ops::{Range, RangeInclusive};

use pelton_codec::{BlockEncoder, IsaLevel};

use super::block_encoder::Coders;

/// Bytes of a stream that is given whole for which level 4 stands for zlib's 5 and 6: of 8, 16 and
/// 32 KB it makes at most 3.0, 3.1 and 3.7% more bytes than zlib -6 of any of rows, dumps, text,
/// source code and JSON on the whole, at 2.4, 2.7 and 2.9 times the speed of libdeflate -6; of 64
/// KB of source code 5.3%. Single pieces have more: docs/decisions/0010.
const LEVEL_4: RangeInclusive<usize> = 8 << 10..=32 << 10;

/// The least of these with AVX-512: of the same in 4 KB it makes at most 2.4% more bytes than zlib
/// -6, at 1.5 times the speed of libdeflate -6. RocksDB's blocks of 4 KB are a little shorter, most
/// of them.
const LEAST_WITH_AVX512: usize = 7 << 9;

/// Quarters of a byte of which it may make one. What repeats more gets up to 20% more bytes than by
/// zlib -6 and in long runs 130%, as words of 8 bytes, each one of 10 or 20.
const IS_RIGHT: Range<usize> = 5..22;

/// Compresses a raw stream that is given whole.
pub fn compress(coders: &mut Coders, asked: i32, plain: &[u8], room: &mut [u8]) -> Option<usize> {
    let least =
        if coders.blocks.isa_level() == IsaLevel::Avx512 { LEAST_WITH_AVX512 } else { *LEVEL_4.start() };
    let is_for_4 = matches!(asked, 5 | 6) && (least..=*LEVEL_4.end()).contains(&plain.len());
    if !is_for_4 || !coders.blocks.is_accelerated(4) {
        return coders.whole.compress(asked, plain, room).ok();
    }
    // Of numbers, it would make up to a tenth more bytes, and of words of three to five bytes up to
    // twice as many.
    let suits = !BlockEncoder::is_numeric(plain) && BlockEncoder::repeats_long_words(plain);
    match suits.then(|| coders.whole.compress(4, plain, room)) {
        Some(Ok(len)) if IS_RIGHT.contains(&(4 * plain.len() / len.max(1))) => Some(len),
        // By libdeflate, which has 6 at these lengths, but 5 not at all of them.
        _ => coders.whole.compress(6, plain, room).ok(),
    }
}

#[cfg(test)]
mod tests;
