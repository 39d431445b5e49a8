//! Passes of the near-optimal parser over a buffer, chunk by chunk.

use std::collections::TryReserveError;

use super::Paths;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::writer::{Blocks, Input};
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::heuristics;
use crate::deflate::encoder::levels::{EncoderParameters, reserve};
use crate::deflate::encoder::match_finder::{GROUP, MatchFinder};
use crate::deflate::encoder::scratch::Scratch;
use crate::deflate::encoder::symbols::{Counters, Match, Token, WINDOW};

/// Positions that are searched and parsed at a time, and after which a block may end. Their
/// matches, 4 bytes each, stay in a second-level cache.
const CHUNK: usize = 16 << 10;
/// Positions that are sampled or searched together.
const PIECE: usize = 4 << 10;
/// Positions of a piece that are searched if the piece before had few matches. An eighth costs
/// little on incompressible data, and is enough to notice compressible data.
const SAMPLE: usize = PIECE / 8;
/// Positions of a skipped piece for each group that is inserted, so that later repeats of the
/// piece are noticed.
const SPARSE: usize = SAMPLE / 4;

/// The near-optimal parser, its match finder, and its memory.
pub(crate) struct NearOptimalParser {
    match_finder: MatchFinder,
    matches: Vec<Match>,
    draft: Vec<Token>,
    /// Tokens of a pass that only counts their symbols.
    counted: Vec<Token>,
    paths: Paths,
}

impl NearOptimalParser {
    pub(crate) fn new() -> Self {
        Self {
            match_finder: MatchFinder::new(),
            matches: Vec::new(),
            draft: Vec::new(),
            counted: Vec::new(),
            paths: Paths::new(),
        }
    }

    /// Reserves the memory for `len` bytes, history included, and their blocks.
    pub(crate) fn reserve(
        &mut self,
        blocks: &mut Blocks,
        parameters: EncoderParameters,
        len: usize,
    ) -> Result<(), TryReserveError> {
        // Two more than the positions, for the lookahead of the lazy parser.
        let chunk = CHUNK + 2;
        reserve(&mut self.matches, chunk)?;
        self.matches.resize(chunk, 0);
        self.match_finder.reserve(parameters, parameters.bits_for(len))?;
        reserve(&mut self.draft, chunk)?;
        reserve(&mut self.counted, chunk)?;
        self.paths.reserve(CHUNK)?;
        blocks.reserve(len, CHUNK, CHUNK)
    }

    /// Returns the number of tokens that the lazy parser makes of a sample of at most a chunk.
    /// `tokens` is scratch memory.
    pub(crate) fn count_lazy_tokens(
        &mut self,
        isa: Isa,
        parameters: EncoderParameters,
        sample: &[u8],
        tokens: &mut Vec<Token>,
    ) -> usize {
        let matches = &mut self.matches[..sample.len() + 2];
        self.match_finder.reset(parameters, parameters.bits_for(sample.len()), WINDOW);
        isa.find(&mut self.match_finder, sample, 0..sample.len(), matches);
        matches[sample.len()..].fill(0);
        isa.parse_lazy(sample, matches);
        tokens.clear();
        isa.walk(&matches[..sample.len()], 0, tokens);
        tokens.len()
    }

    /// Compresses an input. `None` if it does not fit.
    // In a frame of its own, so that the caller's stays small.
    #[inline(never)]
    pub(crate) fn encode(
        &mut self,
        isa: Isa,
        blocks: &mut Blocks,
        Input { buffer, from, window, is_last }: Input<'_>,
        parameters: EncoderParameters,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let counted = &mut self.counted;
        self.match_finder.reset(parameters, parameters.bits_for(buffer.len()), window);
        isa.insert_range(&mut self.match_finder, buffer, 0..from);
        blocks.start(from);
        let mut has_few_matches = false;
        let mut has_costs = false;
        // End of the tokens: a match may reach into the next chunk.
        let mut done = from;
        // Up to here, all positions are in the buckets.
        let mut inserted_to = from;
        for start in (from..buffer.len()).step_by(CHUNK) {
            let end = (start + CHUNK).min(buffer.len());
            let chunk = &buffer[start..end];
            let matches = &mut self.matches[..chunk.len()];
            let mut is_incompressible = true;
            for piece in (start..end).step_by(PIECE) {
                let piece = piece..(piece + PIECE).min(end);
                let sample = if has_few_matches { (piece.start + SAMPLE).min(piece.end) } else { piece.end };
                let searched = &mut matches[piece.start - start..];
                isa.find(&mut self.match_finder, buffer, piece.start..sample, searched);
                let skipped = inserted_to.max(self.match_finder.base);
                has_few_matches = if has_few_matches
                    && skipped < piece.start
                    && heuristics::has_enough_matches(&searched[..sample - piece.start])
                {
                    isa.insert_range(&mut self.match_finder, buffer, skipped..piece.start);
                    false
                } else {
                    // The positions searched last resemble the following ones most.
                    let recent = (sample - piece.start).saturating_sub(SAMPLE);
                    heuristics::has_few_matches(&searched[recent..sample - piece.start])
                };
                // A chunk is stored only if all positions of its samples have few matches: new
                // data may follow repeated data.
                is_incompressible &=
                    has_few_matches && !heuristics::has_enough_matches(&searched[..sample - piece.start]);
                let rest = &mut searched[sample - piece.start..piece.len()];
                if !has_few_matches || rest.is_empty() {
                    isa.find(&mut self.match_finder, buffer, sample..piece.end, rest);
                    inserted_to = piece.end;
                    continue;
                }
                rest.fill(0);
                for group in (sample..piece.end).step_by(SPARSE) {
                    isa.insert_range(&mut self.match_finder, buffer, group..(group + GROUP).min(piece.end));
                }
            }
            if is_incompressible && heuristics::has_high_entropy(chunk) {
                blocks.store(isa, buffer, end, is_last && end == buffer.len(), to)?;
                done = end;
                continue;
            }
            let skip = done - start;
            let Scratch { counters, costs, next, .. } = blocks.scratch.get();
            if !has_costs {
                guess(isa, chunk, matches, [&mut self.draft, counted], skip, counters);
                costs.set(counters);
            }
            for _ in 1..parameters.passes {
                self.draft.clear();
                self.draft.extend_from_slice(matches);
                isa.parse_near_optimal(chunk, &mut self.draft, costs, &mut self.paths);
                count(isa, &self.draft, counted, skip, counters);
                costs.set(counters);
            }
            isa.parse_near_optimal(chunk, matches, costs, &mut self.paths);
            let before = blocks.tokens.len();
            done = start + isa.walk(&matches[..chunk.len()], skip, &mut blocks.tokens);
            counters.clear();
            isa.count(&blocks.tokens[before..], counters);
            costs.set(counters);
            has_costs = true;
            counters.histogram(next);
            blocks.add(isa, buffer, before, done, to)?;
        }
        blocks.finish(isa, buffer, from, is_last, to)
    }
}

/// Counts the symbols of the lazy parser, for the costs of the first chunk. The vectors are scratch
/// memory.
fn guess(
    isa: Isa,
    chunk: &[u8],
    matches: &[Match],
    [draft, counted]: [&mut Vec<Token>; 2],
    skip: usize,
    counters: &mut Counters,
) {
    draft.clear();
    draft.extend_from_slice(matches);
    draft.extend_from_slice(&[0, 0]);
    isa.parse_lazy(chunk, draft);
    draft.truncate(chunk.len());
    count(isa, draft, counted, skip, counters);
}

/// Counts the symbols of a walk over tokens; `counted` is scratch memory.
fn count(isa: Isa, at_each: &[Token], counted: &mut Vec<Token>, skip: usize, counters: &mut Counters) {
    counters.clear();
    counted.clear();
    isa.walk(at_each, skip, counted);
    isa.count(counted, counters);
}
