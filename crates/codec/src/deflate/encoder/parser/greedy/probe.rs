//! Probe of an input's first positions, which sets how its hash chains are built.

use std::ops::{Range, RangeInclusive};

use super::MIN_LEN;
use crate::deflate::encoder::heuristics::{self, RepeatTables};
use crate::deflate::encoder::match_finder::chains::{Chains, GROUP};

/// Probed positions: an eighth of the input within these limits.
pub(crate) const PROBED: RangeInclusive<usize> = 1 << 10..=4 << 10;

/// Returns how many positions of an input of `len` bytes are probed before it is compressed.
pub(crate) fn probe_len(len: usize) -> usize {
    len.min((len / 8).clamp(*PROBED.start(), *PROBED.end()) / GROUP * GROUP)
}

/// Data with links at one position in this many is not probed further. Real data has far more.
const LINKED: usize = 16;

/// Returns whether few positions have links while far more repeat four bytes: numbers of four bytes
/// with a few hundred values, for example. Hashing five bytes would miss them; hashing four makes
/// other data larger.
pub(crate) fn repeats_fours(
    buffer: &[u8],
    first: Range<usize>,
    chains: &Chains,
    tables: &mut RepeatTables,
) -> bool {
    let (distances, uncompressed) = (chains.of(first.clone()), &buffer[first]);
    if heuristics::count_links(distances) * LINKED >= uncompressed.len()
        || !heuristics::has_fours(uncompressed, tables)
    {
        return false;
    }
    // Links within the probed bytes only, as repeats of four bytes are counted there.
    let within = |&(at, &distance): &(usize, &u16)| distance != 0 && usize::from(distance) <= at;
    let linked = distances.iter().enumerate().filter(within).count();
    heuristics::repeats_fours(uncompressed, linked, tables) && !heuristics::is_numeric(uncompressed)
}

/// Distances at which most positions may repeat the bytes just before them, in short runs of words.
/// These lie within a group, where chains cannot link.
const NEAR: [usize; 5] = [1, 2, 3, 4, 8];
/// Minimum share of positions that repeat four bytes at such a distance and have no link: one in
/// this many.
const MISSED: usize = 16;

/// Returns the near distance at which most positions repeat four bytes without a link, if these are
/// many: indices of a sorted column, for example, a few of each.
pub(crate) fn near_distance(buffer: &[u8], first: Range<usize>, chains: &Chains) -> Option<usize> {
    let missed = |by: usize| {
        let start = first.start.max(by);
        let end = first.end.min((buffer.len() + 1).saturating_sub(MIN_LEN));
        if start >= end {
            return 0;
        }
        heuristics::count_near_repeats(&buffer[start - by..end + MIN_LEN - 1], by, chains.of(start..end))
    };
    let (count, by) = NEAR.map(|by| (missed(by), by)).into_iter().max_by_key(|&(count, _)| count)?;
    (heuristics::NEAR_SAMPLED * count * MISSED > first.len()).then_some(by)
}
