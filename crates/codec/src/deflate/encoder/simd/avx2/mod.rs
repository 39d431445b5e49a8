//! Encoder with AVX2, for processors from Haswell and Zen 1 on.

mod chains;
mod lanes;
mod match_finder;
mod parsers;
mod tokens;

use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::parser::lazy;
use std::arch::x86_64::*;
use std::ops::Range;

use super::buckets::by_ways;
use super::lanes::expand;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::token_writer::Tables;
use crate::deflate::encoder::match_finder::MatchFinder;
use crate::deflate::encoder::match_finder::chains::{Chains, GROUP};
use crate::deflate::encoder::parser::greedy::GreedyParser;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::near_optimal::{Costs, Paths};
use crate::deflate::encoder::symbols::{Counters, Histogram, Match, Token};
use crate::deflate::isa;

/// Lanes in a vector; a group has two vectors.
const WIDTH: usize = 8;

const _: () = assert!(GROUP == 2 * WIDTH);

/// A vector of one number.
#[inline]
#[target_feature(enable = "avx2")]
fn set(value: i32) -> __m256i {
    _mm256_set1_epi32(value)
}

/// Proof that the processor has the features of this module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn new() -> Option<Self> {
        isa::has_avx2().then_some(Self(()))
    }

    /// As `MatchFinder::find` for positions that 32 bytes follow.
    pub(crate) fn find(
        self,
        match_finder: &mut MatchFinder,
        buffer: &[u8],
        range: Range<usize>,
        matches: &mut [Match],
    ) -> usize {
        // SAFETY: the value proves that the features are there.
        unsafe { by_ways!(match_finder, match_finder::find(match_finder, buffer, range, matches)) }
    }

    /// As `MatchFinder::insert_range` for positions with 32 bytes after them that the match finder
    /// has room for.
    pub(crate) fn insert_range(self, match_finder: &mut MatchFinder, buffer: &[u8], range: Range<usize>) {
        // SAFETY: the value proves that the features are there.
        unsafe { by_ways!(match_finder, match_finder::insert_range(match_finder, buffer, range)) }
    }

    /// As `parse::parse_lazy`.
    pub(crate) fn parse_lazy(self, uncompressed: &[u8], matches: &mut [Match]) {
        // SAFETY: the value proves that the features are there.
        unsafe { parsers::parse_lazy(uncompressed, matches) }
    }

    /// As `parsers::price`.
    pub(crate) fn price(self, matches: &[Match], costs: &Costs, prices: &mut [u32]) {
        // SAFETY: the value proves that the features are there.
        unsafe { parsers::price(matches, costs, prices) }
    }

    /// As `parsers::search`.
    pub(crate) fn search(self, uncompressed: &[u8], matches: &[Match], costs: &Costs, paths: &mut Paths) {
        // SAFETY: the value proves that the features are there.
        unsafe { parsers::search(uncompressed, matches, costs, paths) }
    }

    /// As `parse::walk`.
    pub(crate) fn walk(self, at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
        // SAFETY: the value proves that the features are there.
        unsafe { walk_tokens(at_each, start, tokens) }
    }

    /// As `Counters::count`.
    pub(crate) fn count(self, tokens: &[Token], counters: &mut Counters) {
        // SAFETY: the value proves that the features are there.
        unsafe { tokens::count(tokens, counters) }
    }

    /// As `Chains::insert_range`.
    pub(crate) fn link(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        // SAFETY: the value proves that the features are there.
        unsafe { chains::insert_range(chains, buffer, range) }
    }

    /// As `Chains::link_near`.
    pub(crate) fn link_near(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        // SAFETY: the value proves that the features are there.
        unsafe { link_near(chains, buffer, range) }
    }

    /// Sets `found`, for [`Self::walk_lanes`].
    pub(crate) fn mark(self, chains: &mut Chains, len: usize) {
        // SAFETY: the value proves that the features are there.
        unsafe { chains::mark(chains, len) }
    }

    /// The walks of all lanes, for [`Self::tokens_of`].
    pub(crate) fn walk_lanes(self, greedy: &mut GreedyParser, buffer: &[u8], lane_ranges: &LaneRanges) {
        // SAFETY: the value proves that the features are there.
        unsafe {
            match greedy.depth {
                1 => lanes::walk::<1>(greedy, buffer, lane_ranges),
                2 => lanes::walk::<2>(greedy, buffer, lane_ranges),
                3 => lanes::walk::<3>(greedy, buffer, lane_ranges),
                6 => lanes::walk::<6>(greedy, buffer, lane_ranges),
                12 => lanes::walk::<12>(greedy, buffer, lane_ranges),
                depth => unreachable!("no level has {depth} candidates"),
            }
        }
    }

    /// As `greedy::walk`, for lanes that were walked.
    pub(crate) fn tokens_of(
        self,
        greedy: &GreedyParser,
        buffer: &[u8],
        lane_ranges: &LaneRanges,
        lane: usize,
        tokens: &mut Vec<Token>,
    ) {
        // SAFETY: the value proves that the features are there.
        unsafe { expand(greedy, buffer, lane_ranges, lane, tokens) }
    }

    /// As `split::should_split`.
    pub(crate) fn should_split(self, block: &Histogram, next: &Histogram) -> bool {
        // SAFETY: the value proves that the features are there.
        unsafe { should_split(block, next) }
    }

    /// As `words::tokens`.
    pub(crate) fn emit(self, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
        // SAFETY: the value proves that the features are there.
        unsafe { tokens::emit(tokens, tables, to) }
    }
}

/// An element for each lane of a vector.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Eight(pub(crate) [u32; WIDTH]);

impl Eight {
    pub(crate) const ZEROS: Self = Self([0; WIDTH]);

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn load(&self) -> __m256i {
        // SAFETY: there are 32 bytes, of that alignment.
        unsafe { _mm256_load_si256(self.0.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn store(&mut self, vector: __m256i) {
        // SAFETY: as above.
        unsafe { _mm256_store_si256(self.0.as_mut_ptr().cast(), vector) }
    }
}

/// Bias of the exponent of single-precision floats.
pub(crate) const BIAS: i32 = 127;

/// Returns the binary logarithms of powers of two, and of smaller numbers than 2^24 rounded down,
/// plus `BIAS`: the exponent of a float, as there is no instruction for it.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn biased_log2(of: __m256i) -> __m256i {
    _mm256_srli_epi32::<23>(_mm256_castps_si256(_mm256_cvtepi32_ps(of)))
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn walk_tokens(at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
    lazy::walk(at_each, start, tokens)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn should_split(block: &Histogram, next: &Histogram) -> bool {
    splitter::should_split(block, next)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn link_near(chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
    chains.link_near(buffer, range);
}
