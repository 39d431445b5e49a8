//! The lengths of matches that do not end where they were compared.

use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::MAX_MATCH;

/// Sets the lengths of lanes whose bit is set in `is_long`. Starts are counted from the chunk's.
#[inline(always)]
pub(crate) fn extend_lanes<const LANES: usize>(
    buffer: &[u8],
    chunk: usize,
    is_long: u32,
    [starts, distances]: [&[u32; LANES]; 2],
    lens: &mut [u32; LANES],
) {
    for lane in (0..LANES).filter(|lane| is_long >> lane & 1 == 1) {
        let start = chunk + starts[lane] as usize;
        let limit = MAX_MATCH.min(buffer.len() - start);
        lens[lane] = common_prefix_len(buffer, start - distances[lane] as usize, start, limit) as u32;
    }
}
