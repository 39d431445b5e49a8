//! `lazy::parse_lazy`, sixteen positions at a time.

use std::arch::x86_64::*;

use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::parser::lazy;
use crate::deflate::encoder::parser::lazy::{MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::symbols::{Match, literal};

/// Positions of a vector.
const WIDTH: usize = 16;

/// As `lazy::worth`, for a vector of matches.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd")]
fn worth(matches: __m512i) -> __m512i {
    let lens = _mm512_srli_epi32::<16>(matches);
    let distances = _mm512_and_si512(matches, _mm512_set1_epi32(0xffff));
    // 31 less the zeros in front is the number of doublings.
    let zeros = _mm512_lzcnt_epi32(_mm512_or_si512(distances, _mm512_set1_epi32(1)));
    let worth =
        _mm512_add_epi32(_mm512_slli_epi32::<2>(lens), _mm512_sub_epi32(zeros, _mm512_set1_epi32(31)));
    _mm512_maskz_mov_epi32(_mm512_cmpge_epu32_mask(lens, _mm512_set1_epi32(HASHED as i32)), worth)
}

/// As `lazy::parse_lazy`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd")]
pub(crate) fn parse_lazy(uncompressed: &[u8], matches: &mut [Match]) {
    assert!(matches.len() == uncompressed.len() + 2);
    let set = |value| _mm512_set1_epi32(value);
    let vectors = uncompressed.len() / WIDTH;
    for at in (0..vectors * WIDTH).step_by(WIDTH) {
        // SAFETY: 16 bytes and 18 matches from here on are in the slices.
        unsafe {
            let here = matches.as_mut_ptr().add(at);
            let load = |by| _mm512_loadu_si512(here.add(by).cast());
            let (this, next, after) = (worth(load(0)), worth(load(1)), worth(load(2)));
            let is_enough = _mm512_cmpgt_epi32_mask(this, set(MIN_WORTH));
            let is_before = _mm512_cmple_epi32_mask(next, _mm512_add_epi32(this, set(MIN_GAINS[0])));
            let is_first = _mm512_cmple_epi32_mask(after, _mm512_add_epi32(this, set(MIN_GAINS[1])));
            let bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(uncompressed.as_ptr().add(at).cast()));
            let literals = _mm512_or_si512(bytes, set(literal(0) as i32));
            let tokens = _mm512_mask_sub_epi32(literals, is_enough & is_before & is_first, load(0), set(1));
            _mm512_storeu_si512(here.cast(), tokens);
        }
    }
    lazy::parse_lazy(&uncompressed[vectors * WIDTH..], &mut matches[vectors * WIDTH..]);
}
