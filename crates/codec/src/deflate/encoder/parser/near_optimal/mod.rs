//! Near-optimal parser: the tokens of least cost, as a shortest path through the uncompressed data.
//!
//! From each position, edges lead over a literal, over 3 to `NEAR` bytes of its match, and over the
//! whole match. The path of each segment is found separately, so that a processor can work on
//! several at once; matches end with their segment.

pub(crate) mod encode;

use std::array;
use std::collections::TryReserveError;
use std::ops::Range;

use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::symbols::{
    Counters, DISTANCES, END, Histogram, LENGTH_INDEX, MAX_MATCH, MIN_MATCH, Match, distance_extra,
    distance_of, distance_symbol, len_of, length_extra, literal,
};

/// Segments of a chunk.
pub(crate) const SEGMENTS: usize = 4;
/// The longest edge that has a place in a vector of 16.
pub(crate) const NEAR: usize = 16;
/// Factor of costs, as a shift; the bits below hold the length of the last edge.
pub(crate) const LEN_BITS: u32 = 9;
/// Cost of an impossible path: above any path's, and below 2^32 with one added.
pub(crate) const NEVER: u32 = i32::MAX as u32;
/// Costs are in sixteenths of a bit, so that the path through a chunk stays below 2^22.
const UNITS: f32 = 16.0;
/// One in this many of the symbols is added to each count, so that a new symbol is possible at a
/// cost.
const SMOOTH: u32 = 2048;

/// Costs of edges times 2^`LEN_BITS`, plus their length.
#[derive(Clone, Copy)]
pub(crate) struct Costs {
    pub(crate) literals: [u32; 256],
    /// By length: without the distance.
    pub(crate) lengths: [u32; MAX_MATCH + 1],
    /// By match length up to `NEAR`: costs of all its edges, by their length less one.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(crate) rows: [[u32; NEAR]; NEAR + 1],
    /// By symbol, without a length; two more for a vector.
    pub(crate) distances: [u32; DISTANCES + 2],
}

impl Costs {
    pub(crate) const EMPTY: Self = Self {
        literals: [0; 256],
        lengths: [0; MAX_MATCH + 1],
        rows: [[0; NEAR]; NEAR + 1],
        distances: [0; DISTANCES + 2],
    };

    /// Sets the costs to those if symbols occur as often as they were counted.
    pub(crate) fn set(&mut self, counters: &Counters) {
        let mut counts = Histogram::EMPTY;
        counters.histogram(&mut counts);
        let symbols = ideal(&counts.literals);
        let distances = ideal(&counts.distances);
        for (cost, &symbol) in self.literals.iter_mut().zip(&symbols) {
            *cost = symbol << LEN_BITS | 1;
        }
        self.lengths[..MIN_MATCH].fill(NEVER);
        for ((less, cost), &index) in self.lengths[MIN_MATCH..].iter_mut().enumerate().zip(&LENGTH_INDEX) {
            let symbol = END + 1 + usize::from(index);
            let len = (MIN_MATCH + less) as u32;
            *cost = (symbols[symbol] + length_extra(symbol) * UNITS as u32) << LEN_BITS | len;
        }
        for (longest, row) in self.rows.iter_mut().enumerate() {
            for (less, cost) in row.iter_mut().enumerate() {
                *cost = if less < longest { self.lengths[less + 1] } else { NEVER };
            }
        }
        for (symbol, cost) in self.distances.iter_mut().enumerate() {
            let symbol = symbol.min(DISTANCES - 1);
            *cost = (distances[symbol] + distance_extra(symbol) * UNITS as u32) << LEN_BITS;
        }
    }
}

/// Returns the costs of symbols in an ideal code.
fn ideal<const N: usize>(counts: &[u32; N]) -> [u32; N] {
    let seen: u32 = counts.iter().sum();
    let grain = 1 + seen / SMOOTH;
    let total = splitter::log2(seen + grain * N as u32);
    // A codeword has 1 to 15 bits.
    counts.map(|count| ((total - splitter::log2(count + grain)).clamp(1.0, 15.0) * UNITS) as u32)
}

/// Paths that are being looked for.
pub(crate) struct Paths {
    /// By position plus the number of its segment, as the end of one is the start of the next: cost
    /// of the cheapest path times 2^`LEN_BITS`, plus the length of its last edge.
    pub(crate) at: Vec<u32>,
    /// The same, over edges longer than `NEAR`.
    pub(crate) far: Vec<u32>,
    /// Cost of the distance of each position's match.
    pub(crate) distances: Vec<u32>,
}

impl Paths {
    pub(crate) const fn new() -> Self {
        Self { at: Vec::new(), far: Vec::new(), distances: Vec::new() }
    }

    /// Reserves the memory for chunks of `len` positions.
    pub(crate) fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        reserve(&mut self.at, len + SEGMENTS)?;
        reserve(&mut self.far, len + 2 * NEAR)?;
        reserve(&mut self.distances, len)
    }

    /// Prepares for a chunk: matches are cut at the end of their segment.
    pub(crate) fn prepare(&mut self, matches: &mut [Match]) {
        self.at.resize(matches.len() + SEGMENTS, 0);
        self.distances.resize(matches.len(), 0);
        self.far.clear();
        // Beyond the end, for vectors that are read past it.
        self.far.resize(matches.len() + 2 * NEAR, NEVER);
        for segment in segments(matches.len()) {
            let end = segment.end;
            let start = segment.start.max(end.saturating_sub(MAX_MATCH));
            for (at, find) in (start..end).zip(&mut matches[start..end]) {
                let len = len_of(*find).min(end - at);
                *find = *find & 0xffff | (len as u32) << 16;
            }
        }
    }
}

/// Sets the costs of the distances of matches.
pub(crate) fn price(matches: &[Match], costs: &Costs, distances: &mut [u32]) {
    for (find, price) in matches.iter().zip(distances) {
        *price = costs.distances[distance_symbol((distance_of(*find) as u32).wrapping_sub(1) & 0x7fff)];
    }
}

/// Segments are not shorter: each costs half a match.
const MIN_SEGMENT: usize = 2 << 10;

/// Returns the segments of a chunk. The last ones may be empty.
pub(crate) fn segments(len: usize) -> [Range<usize>; SEGMENTS] {
    let part = len.div_ceil(SEGMENTS).max(MIN_SEGMENT);
    array::from_fn(|segment| (segment * part).min(len)..((segment + 1) * part).min(len))
}

/// Finds the cheapest paths to all positions.
pub(crate) fn search(uncompressed: &[u8], matches: &[Match], costs: &Costs, paths: &mut Paths) {
    for (number, segment) in segments(uncompressed.len()).into_iter().enumerate() {
        let start = segment.start;
        let at_each = &mut paths.at[start + number..=segment.end + number];
        at_each.fill(NEVER);
        at_each[0] = 0;
        for at in segment {
            let path = at_each[at - start] >> LEN_BITS << LEN_BITS;
            let len = len_of(matches[at]);
            let mut take = |len: usize, path: u32| {
                let to = at - start + len;
                at_each[to] = at_each[to].min(path);
            };
            take(1, path + costs.literals[usize::from(uncompressed[at])]);
            let path = path + paths.distances[at];
            for near in MIN_MATCH..=len.min(NEAR) {
                take(near, path + costs.lengths[near]);
            }
            if len > NEAR {
                take(len, path + costs.lengths[len]);
            }
        }
    }
}

/// Puts the token of each edge of the segments' paths where the edge starts.
pub(crate) fn trace(uncompressed: &[u8], matches: &mut [Match], paths: &Paths) {
    for (number, segment) in segments(uncompressed.len()).into_iter().enumerate() {
        let mut at = segment.end;
        while at > segment.start {
            let len = (paths.at[at + number] & ((1 << LEN_BITS) - 1)) as usize;
            at -= len;
            matches[at] = match len {
                1 => literal(uncompressed[at]),
                _ => (len << 16 | (distance_of(matches[at]) - 1)) as u32,
            };
        }
    }
}
