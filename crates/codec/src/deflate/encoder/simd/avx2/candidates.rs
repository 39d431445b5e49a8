//! What lanes compare, and the comparison: one candidate after the other, 32 bytes at a time, as gathers of so many would take
//! longer.

use std::arch::x86_64::*;

use super::{WIDTH, set};
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::greedy::{CHUNK, COMPARED, LOOKAHEAD, MAX_BACKWARD, MAX_SKIPPED};
use crate::deflate::encoder::symbols::WINDOW;

/// Where the lanes of a vector are, from the start of the chunk.
#[derive(Clone, Copy)]
pub(crate) struct LaneState {
    pub(crate) at: __m256i,
    pub(crate) end: __m256i,
    /// The first position with a candidate, or where the step ends without.
    pub(crate) first: __m256i,
}

/// An element for each lane of a vector.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Eight(pub(crate) [u32; WIDTH]);

impl Eight {
    pub(crate) const ZEROS: Self = Self([0; WIDTH]);

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn load(&self) -> __m256i {
        // SAFETY: there are 32 bytes, of that alignment.
        unsafe { _mm256_load_si256(self.0.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn store(&mut self, vector: __m256i) {
        // SAFETY: as above.
        unsafe { _mm256_store_si256(self.0.as_mut_ptr().cast(), vector) }
    }
}

/// What a vector's lanes compare.
#[derive(Clone, Copy)]
pub(crate) struct Compared<const DEPTH: usize> {
    first: Eight,
    /// By look and candidate: what the look's position is compared with.
    pub(crate) candidates: [[Eight; DEPTH]; LOOKAHEAD],
    /// Which of the bytes from `MAX_BACKWARD` before it on are equal.
    pub(crate) equal: [[Eight; DEPTH]; LOOKAHEAD],
}

impl<const DEPTH: usize> Compared<DEPTH> {
    pub(crate) const EMPTY: Self = Self {
        first: Eight::ZEROS,
        candidates: [[Eight::ZEROS; DEPTH]; LOOKAHEAD],
        equal: [[Eight::ZEROS; DEPTH]; LOOKAHEAD],
    };
}

/// What a number's exponent is above its logarithm, as a float of single precision.
pub(crate) const BIAS: i32 = 127;

/// The binary logarithms of powers of two, and of what is less than 2^24 rounded down, plus `BIAS`. There is no instruction for it: a
/// float's exponent has it.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn biased_log2(of: __m256i) -> __m256i {
    _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(of)))
}

/// Looks for positions with candidates, and for these.
///
/// # Safety
/// The processor has the features, and lanes are in the chunk.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
            |at: __m256i| _mm256_and_si256(_mm256_i32gather_epi32::<2>(distances.cast(), at), set(0xffff));
        let bytes = _mm256_srli_epi32::<3>(of.at);
        let bits = _mm256_i32gather_epi32::<1>(chains.found.as_ptr().cast(), bytes);
        let bits = _mm256_srlv_epi32(bits, _mm256_and_si256(of.at, set(7)));
        let bits = _mm256_or_si256(bits, set(1 << MAX_SKIPPED));
        let lowest = _mm256_and_si256(bits, _mm256_sub_epi32(set(0), bits));
        let passed = _mm256_sub_epi32(biased_log2(lowest), set(BIAS));
        of.first = _mm256_min_epu32(_mm256_add_epi32(of.at, passed), of.end);
        to.first.store(of.first);
        // The distances of two neighbours at once.
        let pair = _mm256_i32gather_epi32::<2>(distances.cast(), of.first);
        let third = distance_at(_mm256_add_epi32(of.first, set(2)));
        let nearest = [_mm256_and_si256(pair, set(0xffff)), _mm256_srli_epi32::<16>(pair), third];
        for (look, (candidates, nearest)) in to.candidates.iter_mut().zip(nearest).enumerate() {
            let at = _mm256_add_epi32(of.first, set(look as i32));
            let mut candidate = _mm256_max_epi32(_mm256_sub_epi32(at, nearest), least);
            candidates[0].store(candidate);
            for row in &mut candidates[1..] {
                let next = _mm256_sub_epi32(candidate, distance_at(candidate));
                let is_far = _mm256_cmpgt_epi32(_mm256_sub_epi32(at, next), window);
                candidate = _mm256_blendv_epi8(_mm256_max_epi32(next, least), candidate, is_far);
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
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) unsafe fn compare<const DEPTH: usize>(chunk: *const u8, of: &mut Compared<DEPTH>) {
    const { assert!(COMPARED == 32) };
    for lane in 0..WIDTH {
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
                    let equal = _mm256_movemask_epi8(_mm256_cmpeq_epi8(here, there));
                    (&raw mut of.equal[look][way].0[lane]).write_volatile(equal as u32);
                }
            }
        }
    }
}
