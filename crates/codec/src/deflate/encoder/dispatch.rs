//! The steps that are worth code for a certain processor. All implementations give the same result.

use std::ops::Range;

use super::bit_writer::BitWriter;
use super::match_finder::{COMPARED, MatchFinder};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::symbols::{Counters, Histogram, Match, Token};
use crate::deflate::encoder::block::token_writer::Tables;
use crate::deflate::encoder::block::{splitter, token_writer};
use crate::deflate::encoder::levels::SequentialParameters;
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::fastest::heads::Heads;
use crate::deflate::encoder::parser::greedy::GreedyParser;
use crate::deflate::encoder::parser::greedy::lanes::LaneRanges;
use crate::deflate::encoder::parser::near_optimal::{Costs, Paths};
use crate::deflate::encoder::parser::sequential::{choose::parse, links::Links, search::Search};
use crate::deflate::encoder::parser::{greedy, lazy, near_optimal};
use crate::deflate::isa::{IsaLevel, by_isa};

/// The steps of an ISA level that this processor can run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Isa {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Isa {
    /// The fastest with no faster steps than these.
    pub(crate) fn with(isa_level: IsaLevel) -> Self {
        IsaLevel::ALL
            .into_iter()
            .rev()
            .filter(|&of| of <= isa_level)
            .find_map(Self::of)
            .unwrap_or(Self::Portable)
    }

    /// Returns the token of an ISA level, if this processor has it.
    fn of(isa_level: IsaLevel) -> Option<Self> {
        match isa_level {
            IsaLevel::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            IsaLevel::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            IsaLevel::Avx512 => Avx512::new().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// Returns its ISA level.
    pub(crate) fn isa_level(self) -> IsaLevel {
        match self {
            Self::Portable => IsaLevel::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => IsaLevel::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => IsaLevel::Avx512,
        }
    }

    /// Finds a match for each position of a range, into `matches`.
    pub(crate) fn find(
        self,
        match_finder: &mut MatchFinder,
        buffer: &[u8],
        range: Range<usize>,
        matches: &mut [Match],
    ) {
        let mut at = range.start;
        while at < range.end {
            let end = match_finder.make_room(at).min(range.end);
            self.find_in_window(match_finder, buffer, at..end, &mut matches[at - range.start..]);
            at = end;
        }
    }

    /// Notes the positions of a range without searching.
    pub(crate) fn insert_range(self, match_finder: &mut MatchFinder, buffer: &[u8], range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let end = match_finder.make_room(at).min(range.end);
            let bulk = (buffer.len() + 1).saturating_sub(COMPARED).clamp(at, end);
            by_isa!(self,
                portable => match_finder.insert_range(buffer, at..bulk),
                simd => simd.insert_range(match_finder, buffer, at..bulk)
            );
            match_finder.insert_range(buffer, bulk..end);
            at = end;
        }
    }

    /// As [`Self::find`] for positions that the match_finder has room for.
    fn find_in_window(
        self,
        match_finder: &mut MatchFinder,
        buffer: &[u8],
        range: Range<usize>,
        matches: &mut [Match],
    ) {
        // The first position and those close to the end of the buffer are searched one by one. The
        // ranges are the same at every ISA level, since a long match ends with its range.
        let start = range.start.max(1).min(range.end);
        let end = (buffer.len() + 1).saturating_sub(COMPARED).clamp(start, range.end);
        match_finder.find_each(buffer, range.start..start, matches);
        let bulk = &mut matches[start - range.start..];
        let done = by_isa!(self,
            portable => match_finder.find(buffer, start..end, bulk),
            simd => simd.find(match_finder, buffer, start..end, bulk)
        );
        match_finder.find_each(buffer, done..range.end, &mut matches[done - range.start..]);
    }

    /// See `lazy::parse_lazy`.
    pub(crate) fn parse_lazy(self, uncompressed: &[u8], matches: &mut [Match]) {
        by_isa!(self,
            portable => lazy::parse_lazy(uncompressed, matches),
            simd => simd.parse_lazy(uncompressed, matches)
        )
    }

    /// Puts the tokens of the cheapest way through `uncompressed` where they start.
    pub(crate) fn parse_near_optimal(
        self,
        uncompressed: &[u8],
        matches: &mut [Match],
        costs: &Costs,
        paths: &mut Paths,
    ) {
        paths.prepare(matches);
        by_isa!(self,
            portable => {
                near_optimal::price(matches, costs, &mut paths.distances);
                near_optimal::search(uncompressed, matches, costs, paths);
            },
            simd => {
                simd.price(matches, costs, &mut paths.distances);
                simd.search(uncompressed, matches, costs, paths);
            }
        );
        near_optimal::trace(uncompressed, matches, paths);
    }

    /// See `lazy::walk`.
    pub(crate) fn walk(self, at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
        by_isa!(self,
            portable => lazy::walk(at_each, start, tokens),
            simd => simd.walk(at_each, start, tokens)
        )
    }

    /// See `Counters::count`.
    pub(crate) fn count(self, tokens: &[Token], counters: &mut Counters) {
        by_isa!(self,
            portable => counters.count(tokens),
            simd => simd.count(tokens, counters)
        )
    }

    /// See `Chains::insert_range`; includes near matches.
    pub(crate) fn link(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        by_isa!(self,
            portable => chains.insert_range(buffer, range.clone()),
            simd => simd.link(chains, buffer, range.clone())
        );
        if chains.near > 0 {
            self.link_near(chains, buffer, range);
        }
    }

    /// See `Links::link`.
    pub(crate) fn link_sequential(self, links: &mut Links, buffer: &[u8], end: usize) {
        by_isa!(self,
            portable => links.link(buffer, end),
            simd => simd.link_sequential(links, buffer, end)
        )
    }

    /// See `sequential::choose::parse`.
    pub(crate) fn parse_sequential(
        self,
        search: &Search<'_>,
        parameters: SequentialParameters,
        buffer: &[u8],
        range: Range<usize>,
        min_len: usize,
        tokens: &mut Vec<Token>,
    ) -> usize {
        by_isa!(self,
            portable => parse(search, parameters, buffer, range, min_len, tokens),
            simd => simd.parse_sequential(search, parameters, buffer, range, min_len, tokens)
        )
    }

    /// See `Heads::parse`.
    pub(crate) fn parse_fastest(
        self,
        heads: &mut Heads,
        buffer: &[u8],
        range: Range<usize>,
        window: usize,
        last: &mut usize,
        tokens: &mut Vec<Token>,
    ) -> usize {
        by_isa!(self,
            portable => heads.parse(buffer, range, window, last, tokens),
            simd => simd.parse_fastest(heads, buffer, range, window, last, tokens)
        )
    }

    /// See `Chains::link_near`.
    pub(crate) fn link_near(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        by_isa!(self,
            portable => chains.link_near(buffer, range),
            simd => simd.link_near(chains, buffer, range)
        )
    }

    /// Marks the positions of a chunk that have links, if there are vectors for it.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(crate) fn mark(self, chains: &mut Chains, len: usize) {
        by_isa!(self,
            portable => {},
            simd => simd.mark(chains, len)
        )
    }

    /// Walks all lanes at once, if there are vectors for that.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    pub(crate) fn walk_lanes(self, greedy: &mut GreedyParser, buffer: &[u8], lane_ranges: &LaneRanges) {
        by_isa!(self,
            portable => {},
            simd => simd.walk_lanes(greedy, buffer, lane_ranges)
        )
    }

    /// Appends the tokens of a lane, after [`Self::walk_lanes`].
    pub(crate) fn tokens_of(
        self,
        greedy: &GreedyParser,
        buffer: &[u8],
        lane_ranges: &LaneRanges,
        lane: usize,
        tokens: &mut Vec<Token>,
    ) {
        by_isa!(self,
            portable => {
                greedy::walk::walk(&greedy.chains, greedy.depth, buffer, lane_ranges.of(lane), tokens)
            },
            simd => simd.tokens_of(greedy, buffer, lane_ranges, lane, tokens)
        )
    }

    /// See `splitter::should_split`.
    // In a frame of its own, which the caller's calls are not added to.
    #[inline(never)]
    pub(crate) fn should_split(self, block: &Histogram, next: &Histogram) -> bool {
        by_isa!(self,
            portable => splitter::should_split(block, next),
            simd => simd.should_split(block, next)
        )
    }

    /// See `token_writer::tokens`.
    pub(crate) fn emit(self, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
        by_isa!(self,
            portable => token_writer::tokens(tokens, tables, to),
            simd => simd.emit(tokens, tables, to)
        )
    }
}
