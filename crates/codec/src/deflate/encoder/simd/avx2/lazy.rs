//! `lazy::parse_lazy`, eight positions at a time.

use std::arch::x86_64::*;

use super::candidates::{BIAS, biased_log2};
use super::{WIDTH, set};
use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::parser::lazy;
use crate::deflate::encoder::parser::lazy::{MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::symbols::{Match, literal};

/// As `lazy::worth`, for a vector of matches.
#[inline]
#[target_feature(enable = "avx2")]
fn worth(matches: __m256i) -> __m256i {
    let lens = _mm256_srli_epi32::<16>(matches);
    let distances = _mm256_and_si256(matches, set(0xffff));
    let doublings = _mm256_sub_epi32(biased_log2(_mm256_or_si256(distances, set(1))), set(BIAS));
    let worth = _mm256_sub_epi32(_mm256_slli_epi32::<2>(lens), doublings);
    _mm256_and_si256(_mm256_cmpgt_epi32(lens, set(HASHED as i32 - 1)), worth)
}

/// As `lazy::parse_lazy`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn parse_lazy(uncompressed: &[u8], matches: &mut [Match]) {
    assert!(matches.len() == uncompressed.len() + 2);
    let vectors = uncompressed.len() / WIDTH;
    for at in (0..vectors * WIDTH).step_by(WIDTH) {
        // SAFETY: 8 bytes and 10 matches from here on are in the slices.
        unsafe {
            let here = matches.as_mut_ptr().add(at);
            let load = |by: usize| _mm256_loadu_si256(here.add(by).cast());
            let (this, next, after) = (worth(load(0)), worth(load(1)), worth(load(2)));
            let is_little = _mm256_cmpgt_epi32(set(MIN_WORTH + 1), this);
            let is_next = _mm256_cmpgt_epi32(next, _mm256_add_epi32(this, set(MIN_GAINS[0])));
            let is_after = _mm256_cmpgt_epi32(after, _mm256_add_epi32(this, set(MIN_GAINS[1])));
            let is_literal = _mm256_or_si256(is_little, _mm256_or_si256(is_next, is_after));
            let bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(uncompressed.as_ptr().add(at).cast()));
            let literals = _mm256_or_si256(bytes, set(literal(0) as i32));
            let match_tokens = _mm256_sub_epi32(load(0), set(1));
            _mm256_storeu_si256(here.cast(), _mm256_blendv_epi8(match_tokens, literals, is_literal));
        }
    }
    lazy::parse_lazy(&uncompressed[vectors * WIDTH..], &mut matches[vectors * WIDTH..]);
}
