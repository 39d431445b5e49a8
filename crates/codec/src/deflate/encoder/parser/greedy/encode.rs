//! Passes of the greedy parser over a buffer, chunk by chunk.

use std::collections::TryReserveError;
use std::ops::Range;

use super::join::join;
use super::lanes::LaneRanges;
use super::probe::{PROBED, near_distance, probe_len, repeats_fours};
use super::walk::walk;
use super::{GreedyParser, MARGIN};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::writer::{Blocks, Input};
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::heuristics;
use crate::deflate::encoder::levels::GreedyParameters;
use crate::deflate::encoder::match_finder::chains::{CHUNK, GROUP, MAX_BACKWARD};
use crate::deflate::encoder::scratch::Scratch;
use crate::deflate::encoder::symbols::literal;

/// Positions of a chunk that are linked together.
const PIECE: usize = 4 << 10;
/// Positions of a piece that are linked if the piece before, in its chunk, had few links.
const SAMPLE: usize = PIECE / 8;
/// Positions of a skipped piece for each group that is linked: few enough to cost little, and
/// enough that a sample of a later repeat meets some of them.
const SPARSE: usize = SAMPLE / 4;

impl GreedyParser {
    /// Reserves the memory for `len` bytes, history included, and their blocks; with rows for the
    /// steps of lanes if these run in vectors.
    pub(crate) fn reserve(
        &mut self,
        blocks: &mut Blocks,
        parameters: GreedyParameters,
        len: usize,
        has_vectors: bool,
    ) -> Result<(), TryReserveError> {
        self.reserve_chains(parameters, len, has_vectors)?;
        blocks.reserve(len, CHUNK, MARGIN)
    }

    /// Compresses an input. `None` if it does not fit.
    // In a frame of its own, so that the caller's stays small.
    #[inline(never)]
    pub(crate) fn encode(
        &mut self,
        isa: Isa,
        blocks: &mut Blocks,
        Input { buffer, from, window, is_last }: Input<'_>,
        parameters: GreedyParameters,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        self.reset(parameters, buffer.len(), window);
        blocks.start(from);
        self.chains.begin(from);
        isa.link(&mut self.chains, buffer, 0..from);
        let first = from..from + probe_len(buffer.len() - from);
        isa.link(&mut self.chains, buffer, first.clone());
        self.chains.near = near_distance(buffer, first.clone(), &self.chains).unwrap_or(0);
        isa.link_near(&mut self.chains, buffer, first.clone());
        if repeats_fours(buffer, first.clone(), &self.chains, &mut blocks.scratch.get().repeats) {
            self.chains.hash_four_bytes();
            isa.link(&mut self.chains, buffer, 0..from);
            isa.link(&mut self.chains, buffer, first.clone());
        }
        for start in (from..buffer.len()).step_by(CHUNK) {
            let chunk = start..(start + CHUNK).min(buffer.len());
            if start > from {
                self.chains.advance();
            }
            let linked = if start == from { first.len() } else { 0 };
            if self.link(isa, buffer, chunk.clone(), linked)
                && heuristics::has_high_entropy(&buffer[chunk.clone()])
            {
                let ends = is_last && chunk.end == buffer.len();
                blocks.store(isa, buffer, chunk.end, ends, to)?;
                continue;
            }
            self.parse(isa, blocks, buffer, chunk, to)?;
        }
        blocks.finish(isa, buffer, from, is_last, to)
    }

    /// Links the positions of a chunk after the first `linked`. Pieces with few links are linked in
    /// part only, until anything in the chunk repeats one of these positions. Returns whether
    /// hardly any position has a link.
    fn link(&mut self, isa: Isa, buffer: &[u8], chunk: Range<usize>, linked: usize) -> bool {
        let chains = &mut self.chains;
        let (mut has_few_links, mut is_incompressible) = (false, true);
        // From here on, only some positions are inserted.
        let mut skipped = chunk.start;
        for start in chunk.clone().step_by(PIECE) {
            let end = (start + PIECE).min(chunk.end);
            let sample = if has_few_links { (start + SAMPLE).min(end) } else { end };
            isa.link(chains, buffer, start.max((chunk.start + linked).min(sample))..sample);
            has_few_links =
                if has_few_links && skipped < start && heuristics::has_enough_links(chains.of(start..sample))
                {
                    let in_window = skipped.max(start.saturating_sub(chains.window));
                    isa.link(chains, buffer, in_window..start);
                    false
                } else {
                    // The positions linked last resemble the following ones most.
                    heuristics::has_few_links(chains.of(sample.saturating_sub(SAMPLE).max(start)..sample))
                };
            // A chunk is stored only if all positions of its samples have few links: new data may
            // follow repeated data.
            is_incompressible &= has_few_links && !heuristics::has_enough_links(chains.of(start..sample));
            if !has_few_links || sample == end {
                isa.link(chains, buffer, sample..end);
                skipped = end;
                continue;
            }
            chains.leave_out(sample..end);
            for group in (sample..end).step_by(SPARSE) {
                isa.link(chains, buffer, group..(group + GROUP).min(end));
            }
        }
        is_incompressible
    }

    /// Adds the tokens of a chunk to blocks.
    fn parse(
        &mut self,
        isa: Isa,
        blocks: &mut Blocks,
        buffer: &[u8],
        chunk: Range<usize>,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        isa.mark(&mut self.chains, chunk.len());
        // Vectors read the bytes before a position, and `MARGIN` bytes from it on.
        let first = chunk.start.max(MAX_BACKWARD).min(chunk.end);
        let last = (buffer.len().saturating_sub(MARGIN)).clamp(first, chunk.end);
        let ranges = LaneRanges::new(first..last);
        isa.walk_lanes(self, buffer, &ranges);
        let lanes = self.segment.div_ceil(ranges.len).clamp(1, ranges.lanes());
        for lane in (0..ranges.lanes()).step_by(lanes) {
            let lanes = lane..(lane + lanes).min(ranges.lanes());
            let tokens = &mut blocks.tokens;
            let before = tokens.len();
            if lane == 0 {
                tokens.extend(buffer[chunk.start..first].iter().map(|&byte| literal(byte)));
            }
            for lane in lanes.clone() {
                let at = tokens.len();
                isa.tokens_of(self, buffer, &ranges, lane, tokens);
                // Tokens before the first lane of a block are counted already.
                if lane > lanes.start {
                    join(buffer, ranges.of(lane), tokens, at);
                }
            }
            let mut end = ranges.end(lanes.end - 1);
            if lanes.end == ranges.lanes() {
                walk(&self.chains, self.depth, buffer, end..chunk.end, tokens);
                end = chunk.end;
            }
            if tokens.len() > before {
                let Scratch { counters, next, .. } = blocks.scratch.get();
                counters.clear();
                isa.count(&tokens[before..], counters);
                counters.histogram(next);
                blocks.add(isa, buffer, before, end, to)?;
            }
        }
        Some(())
    }
}

const _: () = assert!(PIECE.is_multiple_of(GROUP) && SAMPLE.is_multiple_of(GROUP));
const _: () = assert!(*PROBED.end() <= PIECE);
