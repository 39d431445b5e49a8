//! Bucket operations of the match finder that both vector widths share.

use std::arch::x86_64::*;
use std::ops::Range;

use crate::deflate::encoder::match_finder::{COMPARED, MatchFinder};

/// Calls the instance for the ways of a level.
macro_rules! by_ways {
    ($match_finder:ident, $step:ident($($argument:expr),*)) => {
        match ([$match_finder.short.ways, $match_finder.long.ways], $match_finder.skip) {
            ([1, 0], 0) => $step::<1, 0, 1, 0>($($argument),*),
            ([8, 4], 1) => $step::<8, 4, 12, 1>($($argument),*),
            ([16, 8], 1) => $step::<16, 8, 24, 1>($($argument),*),
            ([16, 8], 0) => $step::<16, 8, 24, 0>($($argument),*),
            ways => unreachable!("no level has {ways:?} ways"),
        }
    };
}
pub(crate) use by_ways;

/// Checks that the match finder has these ways and room for a range's positions, and that 32 bytes
/// follow each.
pub(crate) fn check<const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
    match_finder: &MatchFinder,
    buffer: &[u8],
    range: &Range<usize>,
) {
    const { assert!(SHORT + LONG == WAYS && SKIP <= 1) };
    for (buckets, ways) in [(&match_finder.short, SHORT), (&match_finder.long, LONG)] {
        assert!(buckets.positions.len() == ways << buckets.bits && buckets.bits == match_finder.short.bits);
        assert!((1..=16).contains(&buckets.bits));
    }
    assert!(match_finder.skip == SKIP);
    assert!(range.end + COMPARED <= buffer.len() + 1 && range.end - match_finder.base <= 1 << 15);
}

/// Inserts a position at the front of a bucket, and drops the last one.
///
/// # Safety
/// The bucket has WAYS positions.
#[inline(always)]
pub(crate) unsafe fn push<const WAYS: usize>(bucket: *mut u16, position: u16) {
    // SAFETY: see above.
    unsafe {
        match WAYS {
            1 => *bucket = position,
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
