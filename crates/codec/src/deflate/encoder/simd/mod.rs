//! Encoder for x86-64, with AVX2 and with AVX-512. All `unsafe` of the encoder is here.
//!
//! Algorithms are written once, over the vectors of `vector.rs`; the folders of the widths have the
//! vectors, and the steps for which the widths need algorithms of their own.

#![allow(unsafe_code)]
#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
mod buckets;
mod fastest;
mod lane_tokens;
mod lanes;
mod match_finder;
mod parsers;
mod tokens;
mod vector;

pub(crate) use avx2::Avx2;
pub(crate) use avx512::Avx512;

use std::ops::Range;

use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::splitter;
use crate::deflate::encoder::block::token_writer::Tables;
use crate::deflate::encoder::levels::SequentialParameters;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::match_finder::{GROUP, MatchFinder};
use crate::deflate::encoder::parser::fastest::heads::Heads;
use crate::deflate::encoder::parser::greedy::GreedyParser;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::lazy;
use crate::deflate::encoder::parser::near_optimal::{Costs, Paths};
use crate::deflate::encoder::parser::sequential::{choose::parse, links::Links, search::Search};
use crate::deflate::encoder::symbols::{Counters, Histogram, Match, Token};
use buckets::by_ways;
use vector::{Simd, Vector};

/// Implements the steps of the encoder for a width: a method for each step, and the function with
/// the features that it is compiled into.
macro_rules! steps {
    ($simd:ident, $module:ident, $features:literal) => {
        impl $simd {
            /// Greatest number of vectors of lanes.
            const LANE_VECTORS: usize = LaneRanges::GROUPS * GROUP / <$simd as Simd>::Vector::LANES;

            /// As `MatchFinder::find` for positions that 32 bytes follow.
            pub(crate) fn find(
                self,
                match_finder: &mut MatchFinder,
                buffer: &[u8],
                range: Range<usize>,
                matches: &mut [Match],
            ) -> usize {
                #[target_feature(enable = $features)]
                fn find<const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
                    simd: $simd,
                    match_finder: &mut MatchFinder,
                    buffer: &[u8],
                    range: Range<usize>,
                    matches: &mut [Match],
                ) -> usize {
                    match_finder::find::<$simd, SHORT, LONG, WAYS, SKIP>(
                        simd,
                        match_finder,
                        buffer,
                        range,
                        matches,
                    )
                }
                // SAFETY: the value proves that the features are there.
                unsafe { by_ways!(match_finder, find(self, match_finder, buffer, range, matches)) }
            }

            /// As `MatchFinder::insert_range` for positions with 32 bytes after them that the match
            /// finder has room for.
            pub(crate) fn insert_range(
                self,
                match_finder: &mut MatchFinder,
                buffer: &[u8],
                range: Range<usize>,
            ) {
                #[target_feature(enable = $features)]
                fn insert<const SHORT: usize, const LONG: usize, const WAYS: usize, const SKIP: usize>(
                    simd: $simd,
                    match_finder: &mut MatchFinder,
                    buffer: &[u8],
                    range: Range<usize>,
                ) {
                    match_finder::insert_range::<$simd, SHORT, LONG, WAYS, SKIP>(
                        simd,
                        match_finder,
                        buffer,
                        range,
                    );
                }
                // SAFETY: the value proves that the features are there.
                unsafe { by_ways!(match_finder, insert(self, match_finder, buffer, range)) }
            }

            /// Walks all lanes, for [`Self::tokens_of`].
            pub(crate) fn walk_lanes(
                self,
                greedy: &mut GreedyParser,
                buffer: &[u8],
                lane_ranges: &LaneRanges,
            ) {
                #[target_feature(enable = $features)]
                fn walk<const DEPTH: usize>(
                    simd: $simd,
                    greedy: &mut GreedyParser,
                    buffer: &[u8],
                    lane_ranges: &LaneRanges,
                ) {
                    lanes::walk::<$simd, { $simd::LANE_VECTORS }, DEPTH>(simd, greedy, buffer, lane_ranges);
                }
                // SAFETY: the value proves that the features are there.
                unsafe {
                    match greedy.depth {
                        1 => walk::<1>(self, greedy, buffer, lane_ranges),
                        2 => walk::<2>(self, greedy, buffer, lane_ranges),
                        3 => walk::<3>(self, greedy, buffer, lane_ranges),
                        6 => walk::<6>(self, greedy, buffer, lane_ranges),
                        12 => walk::<12>(self, greedy, buffer, lane_ranges),
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
                unsafe { lane_tokens::expand(greedy, buffer, lane_ranges, lane, tokens) }
            }

            /// As `near_optimal::search`.
            pub(crate) fn search(
                self,
                uncompressed: &[u8],
                matches: &[Match],
                costs: &Costs,
                paths: &mut Paths,
            ) {
                // SAFETY: the value proves that the features are there.
                unsafe { $module::search(self, uncompressed, matches, costs, paths) }
            }

            /// As `Chains::insert_range`.
            pub(crate) fn link(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
                // SAFETY: the value proves that the features are there.
                unsafe { $module::insert_range(self, chains, buffer, range) }
            }

            /// As `token_writer::tokens`.
            pub(crate) fn emit(self, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
                // SAFETY: the value proves that the features are there.
                unsafe { $module::emit(self, tokens, tables, to) }
            }
        }

        steps! { $simd, $features:
            /// As `lazy::parse_lazy`.
            fn parse_lazy(simd, uncompressed: &[u8], matches: &mut [Match]) -> () {
                parsers::parse_lazy(simd, uncompressed, matches)
            }

            /// As `near_optimal::price`.
            fn price(simd, matches: &[Match], costs: &Costs, prices: &mut [u32]) -> () {
                parsers::price(simd, matches, costs, prices)
            }

            /// As `lazy::walk`.
            fn walk(_simd, at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
                lazy::walk(at_each, start, tokens)
            }

            /// As `Counters::count`.
            fn count(simd, tokens: &[Token], counters: &mut Counters) -> () {
                tokens::count(simd, tokens, counters)
            }

            /// As `Links::link`.
            fn link_sequential(_simd, links: &mut Links, buffer: &[u8], end: usize) -> () {
                links.link(buffer, end)
            }

            /// As `sequential::choose::parse`.
            fn parse_sequential(
                _simd,
                search: &Search<'_>,
                parameters: SequentialParameters,
                buffer: &[u8],
                range: Range<usize>,
                min_len: usize,
                tokens: &mut Vec<Token>
            ) -> usize {
                parse(search, parameters, buffer, range, min_len, tokens)
            }

            /// As `Heads::parse`.
            fn parse_fastest(
                simd,
                heads: &mut Heads,
                buffer: &[u8],
                range: Range<usize>,
                window: usize,
                last: &mut usize,
                tokens: &mut Vec<Token>
            ) -> usize {
                fastest::parse(simd, heads, buffer, range, window, last, tokens)
            }

            /// As `Chains::link_near`.
            fn link_near(_simd, chains: &mut Chains, buffer: &[u8], range: Range<usize>) -> () {
                chains.link_near(buffer, range)
            }

            /// Sets `found` for a chunk of `len` positions, for [`Self::walk_lanes`].
            fn mark(simd, chains: &mut Chains, len: usize) -> () {
                lanes::mark(simd, chains, len)
            }

            /// As `splitter::should_split`.
            fn should_split(_simd, block: &Histogram, next: &Histogram) -> bool {
                splitter::should_split(block, next)
            }
        }
    };
    ($self:ident, $features:literal: $(
        $(#[$doc:meta])*
        fn $name:ident($simd:ident, $($argument:ident: $of:ty),*) -> $result:ty { $body:expr }
    )*) => {
        impl $self {
            $($(#[$doc])*
            pub(crate) fn $name(self, $($argument: $of),*) -> $result {
                #[target_feature(enable = $features)]
                fn step($simd: $self, $($argument: $of),*) -> $result {
                    $body
                }
                // SAFETY: the value proves that the features are there.
                unsafe { step(self, $($argument),*) }
            })*
        }
    };
}

steps!(Avx2, avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
steps!(
    Avx512,
    avx512,
    "avx512f,avx512bw,avx512vl,avx512cd,avx512dq,avx512vbmi,avx512vpopcntdq,bmi1,bmi2,lzcnt,popcnt"
);
