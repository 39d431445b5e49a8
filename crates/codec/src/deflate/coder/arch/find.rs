//! The search of `coder::Finder` with one comparison of 32 bytes a candidate.

use std::arch::x86_64::*;
use std::ops::Range;

use crate::deflate::coder::finder::{COMPARED, Finder, hash};

/// As `Finder::find`, for positions that 32 bytes follow.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt")]
pub(super) unsafe fn find<const WAYS: usize>(
    finder: &mut Finder,
    buffer: &[u8],
    range: Range<usize>,
    finds: &mut [u32],
) {
    assert!(finder.ways == WAYS && finder.buckets.len() == WAYS << finder.bits && finder.bits <= 16);
    assert!(range.end + COMPARED <= buffer.len() + 1 && range.len() <= finds.len());
    assert!(range.start > finder.base && range.end - finder.base <= 1 << 15);
    let mut at = range.start;
    let base = finder.base;
    let bits = finder.bits;
    // SAFETY: `at` is below the range's end, so 32 bytes from it are in the buffer, and 32 bytes from any smaller position.
    // All positions in buckets are ones that were stored, less what the base moved: not above `at` less the base. A hash has
    // `bits` bits, so its bucket exists. `finds` has a place for each position of the range.
    unsafe {
        let bytes = buffer.as_ptr();
        let window = bytes.add(base);
        let buckets = finder.buckets.as_mut_ptr();
        let found = finds.as_mut_ptr();
        while at < range.end {
            let current = _mm256_loadu_si256(bytes.add(at).cast());
            let bucket = buckets.add(hash(bytes.add(at).cast::<u32>().read_unaligned(), bits) * WAYS);
            let relative = at - base;
            let (mut best, mut from) = (0_u32, 0_u32);
            let positions: [u16; WAYS] = bucket.cast::<[u16; WAYS]>().read();
            for position in positions {
                let candidate = _mm256_loadu_si256(window.add(position.into()).cast());
                let len = _mm256_cmpneq_epi8_mask(current, candidate).trailing_zeros();
                let is_better = len > best;
                best = if is_better { len } else { best };
                from = if is_better { position.into() } else { from };
            }
            push::<WAYS>(bucket, relative as u16);
            *found.add(at - range.start) = best << 16 | (relative as u32 - from);
            at += 1;
            if best == COMPARED as u32 {
                at = finder.follow(buffer, at - 1, relative - from as usize, range.clone(), finds);
            }
        }
    }
}

/// Puts a position before those of a bucket, of which the last is lost.
#[inline(always)]
unsafe fn push<const WAYS: usize>(bucket: *mut u16, position: u16) {
    // SAFETY: the caller's bucket has WAYS positions.
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
                let all = bucket.cast::<u128>();
                all.write_unaligned(all.read_unaligned() << 16 | u128::from(position));
            }
            _ => {
                std::ptr::copy(bucket, bucket.add(1), WAYS - 1);
                *bucket = position;
            }
        }
    }
}
