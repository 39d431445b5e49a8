//! What the first positions of an input tell of the others.

use std::ops::{Range, RangeInclusive};

use super::{GROUP, SHORTEST};
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::{fours, look};

/// Positions that are looked at: an eighth of the input, but as many as these.
pub(crate) const FIRST: RangeInclusive<usize> = 1 << 10..=4 << 10;

/// How many positions of an input of `len` bytes are looked at before it is compressed.
pub(crate) fn first_of(len: usize) -> usize {
    len.min((len / 8).clamp(*FIRST.start(), *FIRST.end()) / GROUP * GROUP)
}

/// What has links at one position in this many is not looked at: all real data that was seen, at one in three.
const LINKED: usize = 16;

/// Whether few positions have links, while far more repeat four bytes: numbers of four bytes, say, each one of some hundred, which would be
/// twice as long by five. To go by four bytes always would make other data 2% larger.
pub(crate) fn repeats_in_fours(buffer: &[u8], first: Range<usize>, chains: &Chains) -> bool {
    let (distances, uncompressed) = (chains.of(first.clone()), &buffer[first]);
    if look::linked(distances) * LINKED >= uncompressed.len() || !fours::has_fours(uncompressed) {
        return false;
    }
    // To what is looked at, as those that repeat four bytes are.
    let within = |&(at, &distance): &(usize, &u16)| distance != 0 && usize::from(distance) <= at;
    let linked = distances.iter().enumerate().filter(within).count();
    fours::is_in_fours(uncompressed, linked) && !look::is_numeric(uncompressed)
}

/// Distances at which most positions may repeat what is just before them, in short runs of words: within a group, where no chain matches it.
const NEAR: [usize; 5] = [1, 2, 3, 4, 8];
/// One position in so many has to repeat four bytes at such a distance, and to have no link; one in `look::ONE_IN` is looked at.
const MISSED: usize = 16;

/// The distance at which most positions repeat four bytes without a link that says so, if those are many: codes of a sorted column, say,
/// a few of each.
pub(crate) fn near(buffer: &[u8], first: Range<usize>, chains: &Chains) -> Option<usize> {
    let missed = |by: usize| {
        let start = first.start.max(by);
        let end = first.end.min((buffer.len() + 1).saturating_sub(SHORTEST));
        if start >= end {
            return 0;
        }
        look::repeated_near(&buffer[start - by..end + SHORTEST - 1], by, chains.of(start..end))
    };
    let (count, by) = NEAR.map(|by| (missed(by), by)).into_iter().max_by_key(|&(count, _)| count)?;
    (look::ONE_IN * count * MISSED > first.len()).then_some(by)
}
