//! The steps that are worth code for a certain processor. All implementations give the same result.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::arch::{Avx2, Avx512};
use super::bits::BitWriter;
use super::finder::{COMPARED, Finder};
use super::optimal::{self, Costs, Paths};
use super::parse::{self, Counters};
use super::quick::{self, Chains, Parts, Quick};
use super::split;
use super::steps::Steps;
use super::symbols::{Find, Histogram, Token};
use super::words::{self, Tables};

/// The steps of an implementation that this processor can run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Engine {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Engine {
    /// The fastest with no faster steps than these.
    pub(super) fn with(steps: Steps) -> Self {
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
    pub(super) fn steps(self) -> Steps {
        match self {
            Self::Portable => Steps::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Steps::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Steps::Avx512,
        }
    }

    /// Finds a match for each position of a range, into `finds`.
    pub(super) fn find(self, finder: &mut Finder, buffer: &[u8], range: Range<usize>, finds: &mut [Find]) {
        let mut at = range.start;
        while at < range.end {
            let end = finder.make_room(at).min(range.end);
            self.find_in_window(finder, buffer, at..end, &mut finds[at - range.start..]);
            at = end;
        }
    }

    /// Notes the positions of a range without searching.
    pub(super) fn note(self, finder: &mut Finder, buffer: &[u8], range: Range<usize>) {
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

    /// See `parse::defer`.
    pub(super) fn defer(self, plain: &[u8], finds: &mut [Find]) {
        match self {
            Self::Portable => parse::defer(plain, finds),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.defer(plain, finds),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.defer(plain, finds),
        }
    }

    /// Puts the tokens of the cheapest way through `plain` where they start.
    pub(super) fn optimise(self, plain: &[u8], finds: &mut [Find], costs: &Costs, paths: &mut Paths) {
        paths.prepare(finds);
        match self {
            Self::Portable => {
                optimal::price(finds, costs, &mut paths.distances);
                optimal::search(plain, finds, costs, paths);
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
        optimal::trace(plain, finds, paths);
    }

    /// See `parse::walk`.
    pub(super) fn walk(self, at_each: &[Token], start: usize, tokens: &mut Vec<Token>) -> usize {
        match self {
            Self::Portable => parse::walk(at_each, start, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.walk(at_each, start, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.walk(at_each, start, tokens),
        }
    }

    /// See `Counters::count`.
    pub(super) fn count(self, tokens: &[Token], counters: &mut Counters) {
        match self {
            Self::Portable => counters.count(tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.count(tokens, counters),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.count(tokens, counters),
        }
    }

    /// See `Chains::note`; with what is near.
    pub(super) fn link(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
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
    pub(super) fn link_near(self, chains: &mut Chains, buffer: &[u8], range: Range<usize>) {
        match self {
            Self::Portable => chains.link_near(buffer, range),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.link_near(chains, buffer, range),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.link_near(chains, buffer, range),
        }
    }

    /// Notes which of so many positions of a chunk have links, if there are vectors for that.
    pub(super) fn mark(self, chains: &mut Chains, len: usize) {
        match self {
            Self::Portable => {}
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.mark(chains, len),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.mark(chains, len),
        }
    }

    /// Walks all lanes at once, if there are vectors for that.
    pub(super) fn walk_lanes(self, quick: &mut Quick, buffer: &[u8], parts: &Parts) {
        match self {
            Self::Portable => {}
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.walk_lanes(quick, buffer, parts),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.walk_lanes(quick, buffer, parts),
        }
    }

    /// Appends the tokens of a lane, after [`Self::walk_lanes`].
    pub(super) fn tokens_of(
        self,
        quick: &Quick,
        buffer: &[u8],
        parts: &Parts,
        lane: usize,
        tokens: &mut Vec<Token>,
    ) {
        match self {
            Self::Portable => quick::walk(&quick.chains, quick.depth, buffer, parts.of(lane), tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.tokens_of(quick, buffer, parts, lane, tokens),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.tokens_of(quick, buffer, parts, lane, tokens),
        }
    }

    /// See `split::pays`.
    pub(super) fn pays(self, block: &Histogram, next: &Histogram) -> bool {
        match self {
            Self::Portable => split::pays(block, next),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.pays(block, next),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.pays(block, next),
        }
    }

    /// See `words::tokens`.
    pub(super) fn emit(self, tokens: &[Token], tables: &Tables, to: &mut BitWriter<'_>) {
        match self {
            Self::Portable => words::tokens(tokens, tables, to),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(features) => features.emit(tokens, tables, to),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(features) => features.emit(tokens, tables, to),
        }
    }
}
