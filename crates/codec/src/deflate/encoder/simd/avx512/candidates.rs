//! What lanes compare, and the comparison: one candidate after the other, 32 bytes at a time, as gathers of so many would take
//! longer.

use std::arch::x86_64::*;

use super::set;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::greedy::{
    CHUNK, COMPARED, GROUP, LOOKAHEAD, MAX_BACKWARD, MAX_SKIPPED, Row,
};
use crate::deflate::encoder::symbols::WINDOW;

/// Where the lanes of a vector are, from the start of the chunk.
#[derive(Clone, Copy)]
pub(crate) struct LaneState {
    pub(crate) at: __m512i,
    pub(crate) end: __m512i,
    /// The first position with a candidate, or where the step ends without.
    pub(crate) first: __m512i,
}

/// What a vector's lanes compare.
#[derive(Clone, Copy)]
pub(crate) struct Compared<const DEPTH: usize> {
    pub(crate) first: Row,
    /// By look and candidate: what the look's position is compared with.
    pub(crate) candidates: [[Row; DEPTH]; LOOKAHEAD],
    /// Which of the bytes from `MAX_BACKWARD` before it on differ.
    pub(crate) differ: [[Row; DEPTH]; LOOKAHEAD],
}

impl<const DEPTH: usize> Compared<DEPTH> {
    pub(crate) const EMPTY: Self =
        Self { first: ZEROS, candidates: [[ZEROS; DEPTH]; LOOKAHEAD], differ: [[ZEROS; DEPTH]; LOOKAHEAD] };
}

pub(crate) const ZEROS: Row = Row([0; GROUP]);

impl Row {
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn load(&self) -> __m512i {
        // SAFETY: a row has 64 bytes, and its alignment.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn store(&mut self, vector: __m512i) {
        // SAFETY: as above.
        unsafe { _mm512_store_si512(self.0.as_mut_ptr().cast(), vector) }
    }
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// The processor has the features, and lanes are in the chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn find<const DEPTH: usize>(chains: &Chains, of: &mut LaneState, to: &mut Compared<DEPTH>) {
    assert!(chains.distances.len() >= WINDOW + CHUNK + 4 && chains.found.len() >= CHUNK / 8 + 4);
    // No candidate is below: the bytes before it exist, and so does its own distance.
    let least = set(MAX_BACKWARD as i32 - chains.chunk.min(WINDOW + MAX_BACKWARD) as i32);
    let window = set(chains.window as i32);
    // SAFETY: positions of lanes are at most CHUNK, and those looked at two more: of bits there are four bytes from each on, and
    // of distances two elements. Candidates are from -WINDOW on, where distances start, up to these positions.
    unsafe {
        let distances = chains.distances.as_ptr().add(WINDOW);
        let distance_at =
            |at: __m512i| _mm512_and_si512(_mm512_i32gather_epi32::<2>(at, distances.cast()), set(0xffff));
        let bits = _mm512_i32gather_epi32::<1>(_mm512_srli_epi32::<3>(of.at), chains.found.as_ptr().cast());
        let bits = _mm512_srlv_epi32(bits, _mm512_and_si512(of.at, set(7)));
        let bits = _mm512_or_si512(bits, set(1 << MAX_SKIPPED));
        let passed = _mm512_popcnt_epi32(_mm512_andnot_si512(bits, _mm512_add_epi32(bits, set(-1))));
        of.first = _mm512_min_epu32(_mm512_add_epi32(of.at, passed), of.end);
        to.first.store(of.first);
        // The distances of two neighbours at once.
        let pair = _mm512_i32gather_epi32::<2>(of.first, distances.cast());
        let third = distance_at(_mm512_add_epi32(of.first, set(2)));
        let nearest = [_mm512_and_si512(pair, set(0xffff)), _mm512_srli_epi32::<16>(pair), third];
        for (look, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = _mm512_add_epi32(of.first, set(look as i32));
            let mut candidate = _mm512_max_epi32(_mm512_sub_epi32(at, nearest), least);
            candidates[0].store(candidate);
            for row in &mut candidates[1..] {
                let next = _mm512_sub_epi32(candidate, distance_at(candidate));
                let is_near = _mm512_cmple_epu32_mask(_mm512_sub_epi32(at, next), window);
                candidate = _mm512_mask_max_epi32(candidate, is_near, next, least);
                row.store(candidate);
            }
        }
    }
}

/// Compares bytes from `MAX_BACKWARD` before positions on.
///
/// # Safety
/// The processor has the features; from `MAX_BACKWARD` before all positions and candidates on, `COMPARED` bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512cd,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn compare<const DEPTH: usize>(chunk: *const u8, of: &mut Compared<DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..GROUP {
        // SAFETY: see above. Volatile, as the compiler would otherwise take elements from vectors, and put vectors together of
        // elements, each of which takes longer than a store and a load.
        unsafe {
            let first = (&raw const of.first.0[lane]).read_volatile() as isize;
            for look in 0..LOOKAHEAD {
                let here =
                    _mm256_loadu_si256(chunk.offset(first + look as isize - MAX_BACKWARD as isize).cast());
                for way in 0..DEPTH {
                    let candidate = (&raw const of.candidates[look][way].0[lane]).read_volatile() as i32;
                    let there =
                        _mm256_loadu_si256(chunk.offset(candidate as isize - MAX_BACKWARD as isize).cast());
                    let differ = _mm256_cmpneq_epi8_mask(here, there);
                    (&raw mut of.differ[look][way].0[lane]).write_volatile(differ);
                }
            }
        }
    }
}
