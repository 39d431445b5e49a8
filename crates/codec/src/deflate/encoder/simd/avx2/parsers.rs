//! Near-optimal and lazy parsers. Shortest paths run through four segments at once: the costs to
//! the next sixteen positions are two vectors, to which every position adds its edges. The vectors
//! of one segment wait for themselves, so segments take turns.

use super::tokens::distance;
use super::{BIAS, WIDTH, biased_log2, set};
use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::parser::lazy::{MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::parser::near_optimal::{
    Costs, LEN_BITS, NEAR, NEVER, Paths, SEGMENTS, segments,
};
use crate::deflate::encoder::parser::{lazy, near_optimal};
use crate::deflate::encoder::symbols::{Match, len_of, literal};
use crate::deflate::inflate::simd::barrier::barrier;
use std::arch::x86_64::*;

const _: () = assert!(NEAR == 2 * WIDTH);

/// As `near_optimal::search` for all segments of a chunk.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn search(uncompressed: &[u8], matches: &[Match], costs: &Costs, paths: &mut Paths) {
    let len = uncompressed.len();
    assert!(matches.len() == len && paths.at.len() == len + SEGMENTS && paths.distances.len() == len);
    assert!(paths.far.len() >= len + 2 * NEAR);
    let of = segments(len);
    // Length of the shortest segment that is not empty.
    let shortest = of.iter().map(|segment| segment.len()).filter(|&len| len > 0).min().unwrap_or(0);
    let number = of.iter().filter(|segment| !segment.is_empty()).count();
    for (number, segment) in of.iter().enumerate() {
        paths.at[segment.start + number] = 0;
    }
    let mut state = [[set(NEVER as i32); 2]; SEGMENTS];
    // Cost of the cheapest path so far in each segment.
    let mut costs_so_far = [_mm256_setzero_si256(); SEGMENTS];
    let without_len = set(-1 << LEN_BITS);
    // SAFETY: positions are in segments, so below the length of the chunk; `far` is longer by more
    // than the reach of a vector; rows are chosen by a length of at most NEAR.
    unsafe {
        let mut step = |number: usize, at: usize| {
            // Otherwise the compiler keeps a pointer for each segment and table, and runs out of
            // registers.
            let at = barrier(at);
            let ([low, high], from) = (&mut state[number], &mut costs_so_far[number]);
            let found = len_of(*matches.get_unchecked(at));
            let price = _mm256_set1_epi32(*paths.distances.get_unchecked(at) as i32);
            let row: *const __m256i = costs.rows.get_unchecked(found.min(NEAR)).as_ptr().cast();
            let literal = costs.literals[usize::from(*uncompressed.get_unchecked(at))];
            let literal = _mm256_castsi128_si256(_mm_cvtsi32_si128(literal as i32));
            let edges = _mm256_blend_epi32::<1>(_mm256_add_epi32(price, _mm256_loadu_si256(row)), literal);
            let near = _mm256_min_epu32(*low, _mm256_add_epi32(*from, edges));
            let edges = _mm256_add_epi32(price, _mm256_loadu_si256(row.add(1)));
            let next = _mm256_min_epu32(*high, _mm256_add_epi32(*from, edges));
            // Unconditional, as a branch would be unpredictable; shorter edges were considered
            // before.
            let path = _mm256_cvtsi256_si32(*from) as u32 + *paths.distances.get_unchecked(at);
            let far = &mut paths.far[at + found];
            *far = (*far).min(path + costs.lengths[found]);
            *paths.at.get_unchecked_mut(at + 1 + number) = _mm256_cvtsi256_si32(near) as u32;
            *from = _mm256_and_si256(_mm256_broadcastd_epi32(_mm256_castsi256_si128(near)), without_len);
            // All positions move on by one; longer edges reach the new last one.
            let far =
                _mm256_castsi128_si256(_mm_cvtsi32_si128(*paths.far.get_unchecked(at + NEAR + 1) as i32));
            *low = _mm256_alignr_epi8::<4>(_mm256_permute2x128_si256::<0x21>(near, next), near);
            *high = _mm256_alignr_epi8::<4>(_mm256_permute2x128_si256::<0x21>(next, far), next);
        };
        // Unrolled, so that the vectors stay in registers.
        match number {
            4.. => {
                (0..shortest).for_each(|i| (0..4).for_each(|segment| step(segment, of[segment].start + i)))
            }
            3 => (0..shortest).for_each(|i| (0..3).for_each(|segment| step(segment, of[segment].start + i))),
            2 => (0..shortest).for_each(|i| (0..2).for_each(|segment| step(segment, of[segment].start + i))),
            _ => (0..shortest).for_each(|i| step(0, of[0].start + i)),
        }
        for (number, segment) in of.iter().enumerate() {
            let rest = (segment.start + shortest).min(segment.end)..segment.end;
            rest.for_each(|at| step(number, at));
        }
    }
}

/// As `near_optimal::price`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn price(matches: &[Match], costs: &Costs, prices: &mut [u32]) {
    let (vectors, rest) = matches.as_chunks::<WIDTH>();
    let (price_vectors, price_rest) = prices.as_chunks_mut::<WIDTH>();
    for (matches, prices) in vectors.iter().zip(price_vectors) {
        // SAFETY: a vector has 8 elements. The symbol of a distance less one, of 15 bits, is below
        // 30, which the table has.
        unsafe {
            let matches = _mm256_loadu_si256(matches.as_ptr().cast());
            let less = _mm256_and_si256(_mm256_sub_epi32(matches, set(1)), set(0x7fff));
            let (_, symbol) = distance(less);
            let price = _mm256_i32gather_epi32::<4>(costs.distances.as_ptr().cast(), symbol);
            _mm256_storeu_si256(prices.as_mut_ptr().cast(), price);
        }
    }
    near_optimal::price(rest, costs, price_rest);
}

/// As `lazy::worth`, for a vector of matches.
#[inline]
#[target_feature(enable = "avx2")]
fn worth(matches: __m256i) -> __m256i {
    let lengths = _mm256_srli_epi32::<16>(matches);
    let distances = _mm256_and_si256(matches, set(0xffff));
    let doublings = _mm256_sub_epi32(biased_log2(_mm256_or_si256(distances, set(1))), set(BIAS));
    let worth = _mm256_sub_epi32(_mm256_slli_epi32::<2>(lengths), doublings);
    _mm256_and_si256(_mm256_cmpgt_epi32(lengths, set(HASHED as i32 - 1)), worth)
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
