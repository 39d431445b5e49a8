//! Long matches, from where the search leaves off to their ends.

use std::ops::Range;

use super::buckets::HASHED;
use crate::deflate::encoder::symbols::{self, MAX_MATCH, Match, len_of};

/// Extends the matches at `at` to their ends, and gives the positions in the longest one its
/// remainder, except those below `searched` with a longer match. Returns the position from which on
/// the remainder is too short.
#[inline(always)]
pub(crate) fn extend_matches(
    buffer: &[u8],
    range: Range<usize>,
    matches: &mut [Match],
    at: usize,
    candidates: impl Iterator<Item = usize>,
    searched: usize,
) -> usize {
    // Beyond the maximum length of a match, so that a run is not searched again in its middle.
    let limit = buffer.len().min(range.end + MAX_MATCH) - at;
    let (mut len, mut distance) = (0, 0);
    for candidate in candidates {
        let equal = common_prefix_len(buffer, candidate, at, limit);
        if equal > len {
            (len, distance) = (equal, at - candidate);
        }
    }
    let end = (at + len - HASHED + 1).min(range.end);
    let (from, middle, to) = (at - range.start, searched.min(end) - range.start, end - range.start);
    // A position further, one byte less.
    let rest = |place: usize| symbols::match_of((len - (place - from)).min(MAX_MATCH), distance);
    for (place, find) in (from..).zip(&mut matches[from..middle]) {
        let rest = rest(place);
        *find = if len_of(*find) < len_of(rest) { rest } else { *find };
    }
    for (place, find) in (middle..).zip(&mut matches[middle..to]) {
        *find = rest(place);
    }
    end
}

/// Returns how long the bytes from `a` and from `b` on are equal, up to `limit`; `b` is the later
/// one, and `limit` bytes follow it.
pub(crate) fn common_prefix_len(buffer: &[u8], a: usize, b: usize, limit: usize) -> usize {
    let (first, second) = (&buffer[a..a + limit], &buffer[b..b + limit]);
    let mut same = 0;
    for (x, y) in first.as_chunks().0.iter().zip(second.as_chunks().0) {
        let differ = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + first[same..].iter().zip(&second[same..]).take_while(|(x, y)| x == y).count()
}
