//! Lazy and near-optimal parsers in vectors, except the search for shortest paths, which each width
//! does in its own way.

use std::ops::Range;

use super::tokens::distance_symbols;
use super::vector::{Simd, Vector};
use crate::deflate::encoder::match_finder::buckets::HASHED;
use crate::deflate::encoder::parser::lazy::{self, MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::parser::near_optimal::{self, Costs, SEGMENTS};
use crate::deflate::encoder::symbols::{Match, literal};

/// As `near_optimal::price`.
#[inline(always)]
pub(crate) fn price<S: Simd>(simd: S, matches: &[Match], costs: &Costs, prices: &mut [u32]) {
    assert!(matches.len() == prices.len());
    let bulk = matches.len() / S::Vector::LANES * S::Vector::LANES;
    for at in (0..bulk).step_by(S::Vector::LANES) {
        // SAFETY: a vector of elements follows in both slices.
        unsafe {
            let less = (simd.load(matches.as_ptr().add(at)) - simd.splat(1)) & simd.splat(0x7fff);
            let (_, symbol) = distance_symbols(simd, less);
            simd.store(simd.look_up(&costs.distances, symbol), prices.as_mut_ptr().add(at));
        }
    }
    near_optimal::price(&matches[bulk..], costs, &mut prices[bulk..]);
}

/// As `lazy::worth`, for a vector of matches.
#[inline(always)]
fn worth<S: Simd>(simd: S, matches: S::Vector) -> S::Vector {
    let lengths = matches.shr(16);
    let distances = matches & simd.splat(0xffff);
    let doublings = (distances | simd.splat(1)).biased_log2() - simd.splat(S::Vector::LOG2_BIAS);
    (lengths.shl(2) - doublings).keep(lengths.greater(simd.splat(HASHED as i32 - 1)))
}

/// As `lazy::parse_lazy`.
#[inline(always)]
pub(crate) fn parse_lazy<S: Simd>(simd: S, uncompressed: &[u8], matches: &mut [Match]) {
    assert!(matches.len() == uncompressed.len() + 2);
    let bulk = uncompressed.len() / S::Vector::LANES * S::Vector::LANES;
    for at in (0..bulk).step_by(S::Vector::LANES) {
        // SAFETY: a vector of bytes and of matches follows in the slices, and two matches more.
        unsafe {
            let here = matches.as_mut_ptr().add(at);
            let found = simd.load(here);
            let this = worth(simd, found);
            let (next, after) = (worth(simd, simd.load(here.add(1))), worth(simd, simd.load(here.add(2))));
            let is_little = simd.splat(MIN_WORTH + 1).greater(this);
            let is_next = next.greater(this + simd.splat(MIN_GAINS[0]));
            let is_after = after.greater(this + simd.splat(MIN_GAINS[1]));
            let literals = simd.load_u8(uncompressed.as_ptr().add(at)) | simd.splat(literal(0) as i32);
            let is_literal = is_little | is_next | is_after;
            simd.store(S::Vector::select(is_literal, literals, found - simd.splat(1)), here);
        }
    }
    lazy::parse_lazy(&uncompressed[bulk..], &mut matches[bulk..]);
}

/// Calls a step for each position of each segment, in turns while all have positions.
#[inline(always)]
pub(crate) fn each_position(of: &[Range<usize>; SEGMENTS], mut step: impl FnMut(usize, usize)) {
    // Length of the shortest segment that is not empty.
    let shortest = of.iter().map(|segment| segment.len()).filter(|&len| len > 0).min().unwrap_or(0);
    let number = of.iter().filter(|segment| !segment.is_empty()).count();
    // Unrolled, so that the vectors stay in registers.
    match number {
        4.. => (0..shortest).for_each(|i| (0..4).for_each(|segment| step(segment, of[segment].start + i))),
        3 => (0..shortest).for_each(|i| (0..3).for_each(|segment| step(segment, of[segment].start + i))),
        2 => (0..shortest).for_each(|i| (0..2).for_each(|segment| step(segment, of[segment].start + i))),
        _ => (0..shortest).for_each(|i| step(0, of[0].start + i)),
    }
    for (number, segment) in of.iter().enumerate() {
        let rest = (segment.start + shortest).min(segment.end)..segment.end;
        rest.for_each(|at| step(number, at));
    }
}
