//! The steps that are worth code for a certain processor. All implementations give the same result.

use std::ops::Range;

use super::bit_writer::BitWriter;
use super::match_finder::{COMPARED, Finder};
#[cfg(target_arch = "x86_64")]
use super::simd::{Avx2, Avx512};
use super::symbols::{Find, Histogram, Token};
use crate::deflate::encoder::block::token_writer::Tables;
use crate::deflate::encoder::block::{splitter, token_writer};
use crate::deflate::encoder::match_finder::chains::Chains;
use crate::deflate::encoder::parser::greedy::Quick;
use crate::deflate::encoder::parser::greedy::lanes::Parts;
use crate::deflate::encoder::parser::lazy::Counters;
use crate::deflate::encoder::parser::near_optimal::{Costs, Paths};
use crate::deflate::encoder::parser::{greedy, lazy, near_optimal};
use crate::deflate::isa::Steps;

/// The steps of an implementation that this processor can run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Engine {
    /// The fastest with no faster steps than these.
    pub(crate) fn with(steps: Steps) -> Self {
        Steps::ALL.into_iter().rev().filter(|&of| of <= steps).find_map(Self::of).unwrap_or(Self::Portable)
    }

    /// That with some steps, if this processor has them.
    fn of(steps: Steps) -> Option<Self> {
        match steps {
            Steps::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            Steps::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            Steps::Avx512 => Avx512::new().map(Self::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// Which steps these are.
    pub(crate) fn steps(self) -> Steps {
        match self {
            Self::Portable => Steps::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Steps::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Steps::Avx512,
        }
    }

    /// Finds a match for each position of a range, into `finds`.
    pub(crate) fn find(self, finder: &mut Finder, buffer: &[u8], range: Range<usize>, finds: &mut [Find]) {
        let mut at = range.start;
        while at < range.end {
            let end = finder.make_room(at).min(range.end);
            self.find_in_window(finder, buffer, at..end, &mut finds[at - range.start..]);
            at = end;
        }
    }

    /// Notes the positions of a range without searching.
    pub(crate) fn note(self, finder: &mut Finder, buffer: &[u8], range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let end = finder.make_room(at).min(range.end);
            let bulk = (buffer.len() + 1).saturating_sub(COMPARED).clamp(at, end);
            match self {
                Self::Portable => finder.note(buffer, at..bulk),
                #[cfg(target_arch = "x86_64")]
                Self::Avx2(features) => features.note(finder, buffer, at..bulk),
                #[cfg(target_arch = "x86_64")]
                Self::Avx512(features) => features.note(finder, buffer, at..bulk),
            }
            finder.note(buffer, bulk..end);
            at = end;
        }
    }

    /// As [`Self::find`] for positions that the finder has room for.
    fn find_in_window(self, finder: &mut Finder, buffer: &[u8], range: Range<usize>, finds: &mut [Find]) {
        // What is close to the end of the buffer, and its first position, are for the careful version. The ranges are
        // split for every implementation, since a long match ends with its range.
        let start = range.start.max(1).min(range.end);
        let end = (buffer.len() + 1).saturating_sub(COMPARED).clamp(start, range.end);
        finder.find_each(buffer, range.start..start, finds);
        let bulk = &mut finds[start - range.start..];
        let done = match self {
            Self::Portable => finder.find(buffer, start..end, bulk),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.find(finder, buffer, start..end, bulk),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.find(finder, buffer, start..end, bulk),
        };
        finder.find_each(buffer, done..range.end, &mut finds[done - range.start..]);
    }

    /// See `lazy::defer`.
    pub(crate) fn defer(self, plain: &[u8], finds: &mut [Find]) {
        match self {
            Self::Portable => lazy::defer(plain, finds),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.defer(plain, finds),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.defer(plain, finds),
        }
    }

    /// Puts the tokens of the cheapest way through `plain` where they start.
    pub(crate) fn optimise(self, plain: &[u8], finds: &mut [Find], costs: &Costs, paths: &mut Paths) {
        paths.prepare(finds);
        match self {
            Self::Portable => {
                near_optimal::price(finds, costs, &mut paths.distances);
                near_optimal::search(plain, finds, costs, paths);
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => {
                features.price(finds, costs, &mut paths.distances);
                features.search(plain, finds, costs, paths);
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => {
                features.price(finds, costs, &mut paths.distances);
                features.search(plain, finds, costs, paths);
            }
        }
        near_optimal::trace(plain, finds, paths);
    }

    /// See `lazy::walk`.
    pub(crate) fn walk(self, at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
        match self {
            Self::Portable => lazy::walk(at_each, start, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.walk(at_each, start, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.walk(at_each, start, tokens),
        }
    }

    /// See `Counters::count`.
    pub(crate) fn count(self, tokens: &[Token], counters: &mut Counters) {
        match self {
            Self::Portable => counters.count(tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.count(tokens, counters),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.count(tokens, counters),
        }
    }

    /// See `Chains::note`; with what is near.
    pub(crate) fn link(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        match self {
            Self::Portable => chains.note(buffer, range.clone()),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.link(chains, buffer, range.clone()),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.link(chains, buffer, range.clone()),
        }
        if chains.near > 0 {
            self.link_near(chains, buffer, range);
        }
    }

    /// See `Chains::link_near`.
    pub(crate) fn link_near(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        match self {
            Self::Portable => chains.link_near(buffer, range),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.link_near(chains, buffer, range),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.link_near(chains, buffer, range),
        }
    }

    /// Notes which of so many positions of a chunk have links, if there are vectors for that.
    pub(crate) fn mark(self, chains: &mut Chains, len: usize) {
        match self {
            Self::Portable => {}
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.mark(chains, len),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.mark(chains, len),
        }
    }

    /// Walks all lanes at once, if there are vectors for that.
    pub(crate) fn walk_lanes(self, quick: &mut Quick, buffer: &[u8], parts: &Parts) {
        match self {
            Self::Portable => {}
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.walk_lanes(quick, buffer, parts),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.walk_lanes(quick, buffer, parts),
        }
    }

    /// Appends the tokens of a lane, after [`Self::walk_lanes`].
    pub(crate) fn tokens_of(
        self,
        quick: &Quick,
        buffer: &[u8],
        parts: &Parts,
        lane: usize,
        tokens: &mut Vec<Token>,
    ) {
        match self {
            Self::Portable => greedy::walk::walk(&quick.chains, quick.depth, buffer, parts.of(lane), tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.tokens_of(quick, buffer, parts, lane, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.tokens_of(quick, buffer, parts, lane, tokens),
        }
    }

    /// See `splitter::pays`.
    pub(crate) fn pays(self, block: &Histogram, next: &Histogram) -> bool {
        match self {
            Self::Portable => splitter::pays(block, next),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.pays(block, next),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.pays(block, next),
        }
    }

    /// See `token_writer::tokens`.
    pub(crate) fn emit(self, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
        match self {
            Self::Portable => token_writer::tokens(tokens, tables, to),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.emit(tokens, tables, to),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.emit(tokens, tables, to),
        }
    }
}
