//! The search of `coder::Finder`, a group of positions at a time, with one comparison of 32 bytes a candidate.

use std::arch::x86_64::*;
use std::ops::Range;

use crate::deflate::coder::finder::{self, COMPARED, Finder, GROUP, SPREAD, SPREAD_HIGH};

/// Where the bytes that are hashed lie, for each position of a group.
const WINDOWS: [u8; 4 * GROUP] = {
    let mut places = [0; 4 * GROUP];
    let mut i = 0;
    while i < places.len() {
        places[i] = (i / 4 + i % 4) as u8;
        i += 1;
    }
    places
};

/// The numbers of the positions of a group.
const NUMBERS: [u16; GROUP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// As `Finder::find`, for positions that 32 bytes follow.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt")]
pub(super) unsafe fn find<const SHORT: usize, const LONG: usize, const WAYS: usize>(
    finder: &mut Finder,
    buffer: &[u8],
    range: Range<usize>,
    finds: &mut [u32],
) -> usize {
    const { assert!(SHORT + LONG == WAYS) };
    if range.len() < GROUP {
        return range.start;
    }
    for (buckets, ways) in [(&finder.short, SHORT), (&finder.long, LONG)] {
        assert!(buckets.positions.len() == ways << buckets.bits && (1..=16).contains(&buckets.bits));
    }
    assert!(range.end + COMPARED <= buffer.len() + 1 && range.len() <= finds.len());
    assert!(range.start > finder.base && range.end - finder.base <= 1 << 15);
    let base = finder.base;
    let shifts = [&finder.short, &finder.long].map(|buckets| _mm_cvtsi32_si128(32 - buckets.bits as i32));
    let mut groups = [const { Group::<WAYS>::EMPTY }; 2];
    let mut at = range.start;
    let mut before = None;
    let mut turn = 0;
    let is_lagging = finder.is_lagging();
    let nice = finder.nice.min(COMPARED) as i8;
    while at + GROUP <= range.end {
        // SAFETY: the group's positions are in the range, so 32 bytes from each are in the buffer, and 32 bytes from any
        // smaller position. All positions in buckets were stored, less what the base moved: they are below that of the
        // candidate that is looked up, counted from the base. A hash has `bits` bits, so its bucket exists.
        unsafe {
            let group = &mut groups[turn];
            let here = buffer.as_ptr().add(at);
            let window = buffer.as_ptr().add(base);
            let short = finder.short.positions.as_mut_ptr();
            let long = finder.long.positions.as_mut_ptr();
            let relative = (at - base) as u16;

            let hashes = hashes::<LONG>(here, shifts);
            // Volatile, as the compiler would otherwise assemble the vectors of what is written in registers, one element
            // at a time, which takes three times the instructions.
            for i in 0..GROUP {
                let current = _mm256_loadu_si256(here.add(i).cast());
                let mut consider = |way: usize, position: u16| {
                    let candidate = _mm256_loadu_si256(window.add(position.into()).cast());
                    (&raw mut group.candidates[way][i]).write_volatile(position);
                    let len = _mm256_cmpneq_epi8_mask(current, candidate).trailing_zeros();
                    (&raw mut group.lens[way][i]).write_volatile(len as u8);
                };
                let bucket = short.add(usize::from((&raw const hashes[0][i]).read_volatile()) * SHORT);
                (0..SHORT).for_each(|way| consider(way, *bucket.add(way)));
                push::<SHORT>(bucket, relative + i as u16);
                if LONG > 0 {
                    let bucket = long.add(usize::from((&raw const hashes[1][i]).read_volatile()) * LONG);
                    (0..LONG).for_each(|way| consider(SHORT + way, *bucket.add(way)));
                    push::<LONG>(bucket, relative + i as u16);
                }
            }
        }
        let finish = |group: usize, at: usize, finds: &mut [u32]| {
            // SAFETY: the processor has the features.
            unsafe { groups[group].finish((at - base) as u16, nice, &mut finds[at - range.start..][..GROUP]) }
        };
        let mut follow = |mask: u16, group: usize, finds: &mut [u32], searched: usize| {
            let at = group + mask.trailing_zeros() as usize;
            let end = finder::follow(buffer, range.clone(), finds, at, searched);
            // SAFETY: as above, for the positions from `searched` up to `end`, which is in the range.
            unsafe { note::<SHORT, LONG>(finder, buffer, searched..end, shifts) };
            end.max(searched)
        };
        let followed = match before.filter(|_| is_lagging) {
            _ if !is_lagging => Some((finish(turn, at, finds), at)),
            Some(before) => Some((finish(turn ^ 1, before, finds), before)),
            None => None,
        };
        (before, at) = match followed {
            Some((mask @ 1.., group)) => {
                if is_lagging {
                    finish(turn, at, finds);
                }
                (None, follow(mask, group, finds, at + GROUP))
            }
            _ => (Some(at), at + GROUP),
        };
        turn ^= 1;
    }
    let Some(before) = before.filter(|_| is_lagging) else { return at };
    // SAFETY: the processor has the features.
    let mask = unsafe {
        groups[turn ^ 1].finish((before - base) as u16, nice, &mut finds[before - range.start..][..GROUP])
    };
    match mask {
        0 => at,
        _ => {
            let first = before + mask.trailing_zeros() as usize;
            let end = finder::follow(buffer, range, finds, first, at);
            // SAFETY: as above.
            unsafe { note::<SHORT, LONG>(finder, buffer, at..end, shifts) };
            end.max(at)
        }
    }
}

/// The buckets of a group's positions.
///
/// # Safety
/// The processor has the features, and 32 bytes may be read.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt")]
unsafe fn hashes<const LONG: usize>(here: *const u8, shifts: [__m128i; 2]) -> [[u16; GROUP]; 2] {
    let mut hashes = [[0_u16; GROUP]; 2];
    let hash = |spread, shift| _mm512_cvtepi32_epi16(_mm512_srl_epi32(spread, shift));
    // SAFETY: see above; the arrays have 64 and 32 bytes.
    unsafe {
        let windows = _mm512_loadu_si512(WINDOWS.as_ptr().cast());
        let bytes = _mm512_broadcast_i64x4(_mm256_loadu_si256(here.cast()));
        let low = _mm512_permutexvar_epi8(windows, bytes);
        let low = _mm512_mullo_epi32(low, _mm512_set1_epi32(SPREAD as i32));
        _mm256_storeu_si256(hashes[0].as_mut_ptr().cast(), hash(low, shifts[0]));
        if LONG > 0 {
            let high = _mm512_permutexvar_epi8(_mm512_add_epi8(windows, _mm512_set1_epi8(4)), bytes);
            let high = _mm512_mullo_epi32(high, _mm512_set1_epi32(SPREAD_HIGH as i32));
            let spread = _mm512_add_epi32(low, high);
            _mm256_storeu_si256(hashes[1].as_mut_ptr().cast(), hash(spread, shifts[1]));
        }
    }
    hashes
}

/// As `Finder::note` for positions that are not searched.
///
/// # Safety
/// The processor has the features; 32 bytes follow each position, and the finder has the ways and room for them.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt")]
unsafe fn note<const SHORT: usize, const LONG: usize>(
    finder: &mut Finder,
    buffer: &[u8],
    range: Range<usize>,
    shifts: [__m128i; 2],
) {
    let base = finder.base;
    for group in range.clone().step_by(GROUP) {
        // SAFETY: see above. A hash has as many bits as there are buckets.
        unsafe {
            let hashes = hashes::<LONG>(buffer.as_ptr().add(group), shifts);
            for (i, at) in (group..range.end.min(group + GROUP)).enumerate() {
                let position = (at - base) as u16;
                push::<SHORT>(finder.short.positions.as_mut_ptr().add(usize::from(hashes[0][i]) * SHORT), position);
                if LONG > 0 {
                    push::<LONG>(finder.long.positions.as_mut_ptr().add(usize::from(hashes[1][i]) * LONG), position);
                }
            }
        }
    }
}

/// What was found for a group, by way.
struct Group<const WAYS: usize> {
    candidates: [[u16; GROUP]; WAYS],
    lens: [[u8; GROUP]; WAYS],
}

impl<const WAYS: usize> Group<WAYS> {
    const EMPTY: Self = Self { candidates: [[0; GROUP]; WAYS], lens: [[0; GROUP]; WAYS] };

    /// Sets the finds of a group that starts at a position from the base, and returns which are of `nice` bytes.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,lzcnt")]
    unsafe fn finish(&self, relative: u16, nice: i8, finds: &mut [u32]) -> u16 {
        assert!(finds.len() == GROUP);
        // SAFETY: all arrays have GROUP elements.
        unsafe {
            let len = |way: usize| _mm_loadu_si128(self.lens[way].as_ptr().cast());
            let position = |way: usize| _mm256_loadu_si256(self.candidates[way].as_ptr().cast());
            let (mut best, mut from) = (len(0), position(0));
            for way in 1..WAYS {
                let is_better = _mm_cmpgt_epu8_mask(len(way), best);
                best = _mm_mask_mov_epi8(best, is_better, len(way));
                from = _mm256_mask_mov_epi16(from, is_better, position(way));
            }
            let numbers = _mm256_loadu_si256(NUMBERS.as_ptr().cast());
            let positions = _mm256_add_epi16(numbers, _mm256_set1_epi16(relative as i16));
            let distances = _mm512_cvtepu16_epi32(_mm256_sub_epi16(positions, from));
            let found = _mm512_or_si512(_mm512_slli_epi32::<16>(_mm512_cvtepu8_epi32(best)), distances);
            _mm512_storeu_si512(finds.as_mut_ptr().cast(), found);
            _mm_cmpge_epi8_mask(best, _mm_set1_epi8(nice))
        }
    }
}

/// Puts a position before those of a bucket, of which the last is lost.
///
/// # Safety
/// The bucket has WAYS positions.
#[inline(always)]
unsafe fn push<const WAYS: usize>(bucket: *mut u16, position: u16) {
    // SAFETY: see above.
    unsafe {
        match WAYS {
            1 => *bucket = position,
            2 => {
                let all = bucket.cast::<u32>();
                all.write_unaligned(all.read_unaligned() << 16 | u32::from(position));
            }
            4 => {
                let all = bucket.cast::<u64>();
                all.write_unaligned(all.read_unaligned() << 16 | u64::from(position));
            }
            8 => {
                let all = bucket.cast::<__m128i>();
                let moved = _mm_bslli_si128::<2>(_mm_loadu_si128(all));
                _mm_storeu_si128(all, _mm_insert_epi16::<0>(moved, position.into()));
            }
            _ => {
                std::ptr::copy(bucket, bucket.add(1), WAYS - 1);
                *bucket = position;
            }
        }
    }
}
