//! Hash chains, a group of positions at a time: two gathers from the table, and a store for each
//! inserted position, as there is no scatter.

use std::arch::x86_64::*;
use std::ops::Range;

use super::{Avx2, Eight, WIDTH, WINDOWS, narrow};
use crate::deflate::encoder::match_finder::buckets::SPREAD;
use crate::deflate::encoder::match_finder::chains::{CHUNK, Chains, GROUP, HASHED, MAX_BACKWARD, TAG};
use crate::deflate::encoder::symbols::WINDOW;

/// Bytes from a group's first position on that are loaded.
const LOADED: usize = WIDTH + 16;

const _: () = assert!(HASHED == 5 && GROUP + HASHED <= LOADED);

/// Look-up of half a group, and its new entries.
#[derive(Clone, Copy)]
struct Half {
    new: __m256i,
    of: __m256i,
    old: __m256i,
}

/// As `Chains::insert_range`.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) unsafe fn insert_range(_: Avx2, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    // Whole groups only; the first one must have bytes before all of its positions.
    let start = if range.start < MAX_BACKWARD { range.end.min(range.start + GROUP) } else { range.start };
    let bulk = range.end.min((buffer.len() + 1).saturating_sub(LOADED)).saturating_sub(start) / GROUP * GROUP;
    chains.insert_range(buffer, range.start..start);
    let place = chains.place(start);
    assert!(place + bulk <= chains.distances.len() && chains.distances.len() >= WINDOW + CHUNK);
    assert!(chains.table.len() == 1 << chains.bits && (1..=16).contains(&chains.bits));
    let window = _mm256_set1_epi32(chains.window as i32);
    let table = chains.table.as_mut_ptr();
    for group in (0..bulk).step_by(GROUP) {
        let at = start + group;
        // SAFETY: LOADED bytes follow the start of each group. The remaining hash has `bits` bits,
        // so its entry exists. There is a distance for each position, which was just checked.
        unsafe {
            // Written out twice: a closure that is called elsewhere is not compiled for this
            // processor.
            let from = buffer.as_ptr().add(at);
            let low = look_up(chains, from, at);
            let high = look_up(chains, from.add(WIDTH), at + WIDTH);
            for half in [&low, &high] {
                if chains.insert_step == 1 { insert::<1>(half, table) } else { insert::<2>(half, table) }
            }
            // From a chunk's length on, the window is nearer.
            let before = at.min(CHUNK) - MAX_BACKWARD;
            let low = distances(low, before, window);
            let high = distances(high, before + WIDTH, window);
            let to = chains.distances.as_mut_ptr().add(place + group);
            _mm256_storeu_si256(to.cast(), narrow(low, high));
        }
    }
    chains.insert_range(buffer, start + bulk..range.end);
}

/// Looks eight positions up.
///
/// # Safety
/// The processor has the features, 16 bytes may be read, and the table has its full length.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn look_up(chains: &Chains, from: *const u8, at: usize) -> Half {
    let Chains { ref table, base, bits, .. } = *chains;
    let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    // SAFETY: see above.
    unsafe {
        let windows = _mm256_loadu_si256(WINDOWS.as_ptr().cast());
        let bytes = _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast()));
        let four = _mm256_shuffle_epi8(bytes, windows);
        let fifth = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.add(HASHED - 1).cast()));
        let hash = _mm256_add_epi32(
            _mm256_mullo_epi32(four, _mm256_set1_epi32(SPREAD as i32)),
            _mm256_mullo_epi32(fifth, _mm256_set1_epi32(chains.fifth as i32)),
        );
        let tag = _mm256_and_si256(
            _mm256_sll_epi32(hash, _mm_cvtsi32_si128(bits as i32)),
            _mm256_set1_epi32(TAG as i32),
        );
        let position = _mm256_and_si256(
            _mm256_add_epi32(_mm256_set1_epi32((base + at) as i32), numbers),
            _mm256_set1_epi32(!TAG as i32),
        );
        let of = _mm256_srl_epi32(hash, _mm_cvtsi32_si128(32 - bits as i32));
        Half {
            new: _mm256_or_si256(tag, position),
            of,
            old: _mm256_i32gather_epi32::<4>(table.as_ptr().cast(), of),
        }
    }
}

/// Inserts every `STEP`th of eight positions, the last one last.
///
/// # Safety
/// The processor has the features, and the table has the entries that were looked up.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
unsafe fn insert<const STEP: usize>(half: &Half, table: *mut u32) {
    let (mut of, mut new) = (Eight([0; WIDTH]), Eight([0; WIDTH]));
    // SAFETY: see above; the arrays have a vector's alignment. Volatile, or the compiler takes
    // elements from the vectors, which takes longer.
    unsafe {
        _mm256_store_si256(of.0.as_mut_ptr().cast(), half.of);
        _mm256_store_si256(new.0.as_mut_ptr().cast(), half.new);
        for position in (0..WIDTH).step_by(STEP) {
            let of = (&raw const of.0[position]).read_volatile();
            *table.add(of as usize) = (&raw const new.0[position]).read_volatile();
        }
    }
}

/// Returns the distances of half a group. Candidates of its first position are at most `before`
/// back.
#[inline]
#[target_feature(enable = "avx2")]
fn distances(half: Half, before: usize, window: __m256i) -> __m256i {
    let numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let max_distance = _mm256_min_epu32(window, _mm256_add_epi32(_mm256_set1_epi32(before as i32), numbers));
    let other = _mm256_srli_epi32::<16>(_mm256_xor_si256(half.new, half.old));
    let is_same = _mm256_cmpeq_epi32(other, _mm256_setzero_si256());
    let distance = _mm256_and_si256(_mm256_sub_epi32(half.new, half.old), _mm256_set1_epi32(!TAG as i32));
    // A distance of 0 is no link anyway.
    let is_far = _mm256_cmpgt_epi32(distance, max_distance);
    _mm256_andnot_si256(is_far, _mm256_and_si256(is_same, distance))
}
