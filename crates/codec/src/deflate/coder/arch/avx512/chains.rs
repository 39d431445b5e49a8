//! The links of `quick::Chains`, a group of positions at a time: a gather from the table and a scatter to it.

use std::arch::x86_64::*;
use std::ops::Range;

use super::group::windows;
use crate::deflate::coder::buckets::SPREAD;
use crate::deflate::coder::quick::{BACK, CHUNK, Chains, GROUP, HASHED, TAG};
use crate::deflate::coder::symbols::WINDOW;

/// Bytes from a group's first position on that are loaded.
const LOADED: usize = 32;

const _: () = assert!(GROUP == 16 && HASHED == 5 && GROUP + HASHED <= LOADED);

/// As `Chains::note`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
pub(super) unsafe fn note(chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    // In whole groups, of which the first has bytes before all of its positions.
    let start = if range.start < BACK { range.end.min(range.start + GROUP) } else { range.start };
    let bulk = range.end.min((buffer.len() + 1).saturating_sub(LOADED)).saturating_sub(start) / GROUP * GROUP;
    chains.note(buffer, range.start..start);
    let place = chains.place(start);
    assert!(place + bulk <= chains.distances.len() && chains.distances.len() >= WINDOW + CHUNK);
    assert!(chains.table.len() == 1 << chains.bits && (1..=16).contains(&chains.bits));
    let shift = _mm_cvtsi32_si128(32 - chains.bits as i32);
    let up = _mm_cvtsi32_si128(chains.bits as i32);
    let tag = _mm512_set1_epi32(TAG as i32);
    let window = _mm512_set1_epi32(chains.window as i32);
    let of_fifth = _mm512_set1_epi32(chains.fifth as i32);
    let is_noted = if chains.noted == 1 { 0xffff } else { 0x5555 };
    let table = chains.table.as_mut_ptr();
    // SAFETY: LOADED bytes follow the start of each group. What is left of a hash has `bits` bits, so its entry exists. There is a distance for
    // each position, which was just checked.
    unsafe {
        let low = windows();
        let high = _mm512_add_epi8(low, _mm512_set1_epi8(1));
        let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for group in (0..bulk).step_by(GROUP) {
            let at = start + group;
            let bytes = _mm512_broadcast_i64x4(_mm256_loadu_si256(buffer.as_ptr().add(at).cast()));
            let four = _mm512_permutexvar_epi8(low, bytes);
            let fifth = _mm512_srli_epi32::<24>(_mm512_permutexvar_epi8(high, bytes));
            let hash = _mm512_add_epi32(
                _mm512_mullo_epi32(four, _mm512_set1_epi32(SPREAD as i32)),
                _mm512_mullo_epi32(fifth, of_fifth),
            );
            let positions = _mm512_add_epi32(_mm512_set1_epi32(at as i32), numbers);
            // The tag where its bits are ones, and the position elsewhere.
            let new = _mm512_ternarylogic_epi32::<0xca>(tag, _mm512_sll_epi32(hash, up), positions);
            let of = _mm512_srl_epi32(hash, shift);
            let old = _mm512_i32gather_epi32::<4>(of, table.cast());
            _mm512_mask_i32scatter_epi32::<4>(table.cast(), is_noted, of, new);
            let is_same = _mm512_testn_epi32_mask(_mm512_xor_si512(new, old), tag);
            let distance = _mm512_andnot_si512(tag, _mm512_sub_epi32(new, old));
            // As far as it is in the window, and to the bytes before the candidate. Less one, 0 is more than any.
            // From a chunk's length on, the window is nearer.
            let before = _mm512_add_epi32(_mm512_set1_epi32((at.min(CHUNK) - BACK) as i32), numbers);
            let most = _mm512_min_epu32(window, before);
            let less = _mm512_sub_epi32(distance, _mm512_set1_epi32(1));
            let is_link = _mm512_mask_cmplt_epu32_mask(is_same, less, most);
            let distances = _mm512_maskz_cvtepi32_epi16(is_link, distance);
            _mm256_storeu_si256(chains.distances.as_mut_ptr().add(place + group).cast(), distances);
        }
    }
    chains.note(buffer, start + bulk..range.end);
}

/// Sets `found` for a chunk of which so many positions are in use.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn mark(chains: &mut Chains, len: usize) {
    let (vectors, _) = chains.distances[WINDOW..].as_chunks::<32>();
    let (found, _) = chains.found.as_chunks_mut::<4>();
    for (found, vector) in found.iter_mut().zip(&vectors[..len.div_ceil(32)]) {
        // SAFETY: a vector has 32 distances.
        let distances = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
        *found = _mm512_test_epi16_mask(distances, distances).to_le_bytes();
    }
}
