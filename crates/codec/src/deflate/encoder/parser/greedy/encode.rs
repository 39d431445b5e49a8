//! The passes of the greedy levels over a buffer, chunk by chunk.

use std::ops::Range;

use super::join::join;
use super::lanes::LaneRanges;
use super::probe::{FIRST, first_of, near, repeats_in_fours};
use super::walk::walk;
use super::{CHUNK, GROUP, GreedyParameters, MARGIN, MAX_BACKWARD};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block_encoder::BlockEncoder;
use crate::deflate::encoder::look;
use crate::deflate::encoder::parser::lazy::Counters;
use crate::deflate::encoder::symbols::literal;

/// Positions of a chunk that are linked as one.
const PIECE: usize = 4 << 10;
/// Positions of a piece that are linked if the piece before in its chunk was dull.
const SAMPLE: usize = PIECE / 8;
/// Positions of a dull piece of which one group is linked: so few that it costs little, and so many that a sample of what repeats
/// it, however far from it, has some of them.
const SPARSE: usize = SAMPLE / 4;

impl BlockEncoder {
    /// Compresses what follows position `from` of a buffer. `None` if it does not fit.
    pub(crate) fn encode_greedy(
        &mut self,
        buffer: &[u8],
        from: usize,
        parameters: GreedyParameters,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let isa = self.isa;
        self.greedy.reset(parameters, buffer.len(), self.window.bytes());
        self.blocks.start(from);
        self.greedy.chains.begin(from);
        isa.link(&mut self.greedy.chains, buffer, 0..from);
        let first = from..from + first_of(buffer.len() - from);
        isa.link(&mut self.greedy.chains, buffer, first.clone());
        self.greedy.chains.near = near(buffer, first.clone(), &self.greedy.chains).unwrap_or(0);
        isa.link_near(&mut self.greedy.chains, buffer, first.clone());
        if repeats_in_fours(buffer, first.clone(), &self.greedy.chains) {
            self.greedy.chains.go_by_four();
            isa.link(&mut self.greedy.chains, buffer, 0..from);
            isa.link(&mut self.greedy.chains, buffer, first.clone());
        }
        for start in (from..buffer.len()).step_by(CHUNK) {
            let chunk = start..(start + CHUNK).min(buffer.len());
            if start > from {
                self.greedy.chains.advance();
            }
            let linked = if start == from { first.len() } else { 0 };
            if self.link(buffer, chunk.clone(), linked) && look::has_high_entropy(&buffer[chunk.clone()]) {
                let ends = is_last && chunk.end == buffer.len();
                self.blocks.store(isa, buffer, chunk.end, ends, to)?;
                continue;
            }
            self.parse(buffer, chunk, to)?;
        }
        self.blocks.finish(isa, buffer, from, is_last, to)
    }

    /// Links a chunk's positions, but for the first that are `linked`, of pieces without repetitions only some; all of them as soon as anything
    /// in the chunk repeats one of these. Returns whether hardly a position has a link, of all that were looked up.
    fn link(&mut self, buffer: &[u8], chunk: Range<usize>, linked: usize) -> bool {
        let isa = self.isa;
        let chains = &mut self.greedy.chains;
        let (mut is_dull, mut is_incompressible) = (false, true);
        // From here on, only some positions are insert_step.
        let mut skipped = chunk.start;
        for start in chunk.clone().step_by(PIECE) {
            let end = (start + PIECE).min(chunk.end);
            let sample = if is_dull { (start + SAMPLE).min(end) } else { end };
            isa.link(chains, buffer, start.max((chunk.start + linked).min(sample))..sample);
            is_dull = if is_dull && skipped < start && look::has_enough_links(chains.of(start..sample)) {
                let in_window = skipped.max(start.saturating_sub(chains.window));
                isa.link(chains, buffer, in_window..start);
                false
            } else {
                // What was linked last tells most of what comes.
                look::has_few_links(chains.of(sample.saturating_sub(SAMPLE).max(start)..sample))
            };
            // Not by those alone, for a chunk of which nothing is compressed: what is new may follow what repeats.
            is_incompressible &= is_dull && !look::has_enough_links(chains.of(start..sample));
            if !is_dull || sample == end {
                isa.link(chains, buffer, sample..end);
                skipped = end;
                continue;
            }
            chains.leave_out(sample..end);
            for spread in (sample..end).step_by(SPARSE) {
                isa.link(chains, buffer, spread..(spread + GROUP).min(end));
            }
        }
        is_incompressible
    }

    /// Adds the tokens of a chunk to blocks.
    fn parse(&mut self, buffer: &[u8], chunk: Range<usize>, to: &mut BitWriter<'_>) -> Option<()> {
        let isa = self.isa;
        isa.mark(&mut self.greedy.chains, chunk.len());
        // The bytes before a position that are compared exist, and as many after it as are loaded at once.
        let first = chunk.start.max(MAX_BACKWARD).min(chunk.end);
        let last = (buffer.len().saturating_sub(MARGIN)).clamp(first, chunk.end);
        let lane_ranges = LaneRanges::new(first..last);
        isa.walk_lanes(&mut self.greedy, buffer, &lane_ranges);
        let lanes = self.greedy.segment.div_ceil(lane_ranges.len).clamp(1, lane_ranges.lanes());
        for lane in (0..lane_ranges.lanes()).step_by(lanes) {
            let lanes = lane..(lane + lanes).min(lane_ranges.lanes());
            let tokens = &mut self.blocks.tokens;
            let before = tokens.len();
            if lane == 0 {
                tokens.extend(buffer[chunk.start..first].iter().map(|&byte| literal(byte)));
            }
            for lane in lanes.clone() {
                let at = tokens.len();
                isa.tokens_of(&self.greedy, buffer, &lane_ranges, lane, tokens);
                // What is before a block's first lane is counted already.
                if lane > lanes.start {
                    join(buffer, lane_ranges.of(lane), tokens, at);
                }
            }
            let mut end = lane_ranges.end(lanes.end - 1);
            if lanes.end == lane_ranges.lanes() {
                walk(&self.greedy.chains, self.greedy.depth, buffer, end..chunk.end, tokens);
                end = chunk.end;
            }
            if tokens.len() > before {
                let mut counters = Counters::EMPTY;
                isa.count(&tokens[before..], &mut counters);
                self.blocks.add(isa, buffer, before, end, &counters.histogram(), to)?;
            }
        }
        Some(())
    }
}

const _: () = assert!(PIECE.is_multiple_of(GROUP) && SAMPLE.is_multiple_of(GROUP));
const _: () = assert!(*FIRST.end() <= PIECE);
