//! The passes over a buffer, chunk by chunk.

use super::Costs;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block_encoder::BlockEncoder;
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::levels::EncoderParameters;
use crate::deflate::encoder::look;
use crate::deflate::encoder::match_finder::GROUP;
use crate::deflate::encoder::parser::lazy::Counters;
use crate::deflate::encoder::symbols::{Match, Token};

/// Positions that are searched and parsed at a time, and after which a block may end: what is found for them, 4 bytes
/// each, stays in a second-level cache.
pub(crate) const CHUNK: usize = 16 << 10;
/// Positions that are sampled or searched as one.
const PIECE: usize = 4 << 10;
/// Positions of a piece that are searched if the piece before was dull. An eighth: data that does not compress costs little,
/// and data that does is noticed.
const SAMPLE: usize = PIECE / 8;
/// Positions of what is not searched of which one group is inserted_to, so that what repeats it is noticed.
const SPARSE: usize = SAMPLE / 4;

impl BlockEncoder {
    /// Compresses what follows position `from` of a buffer. `None` if it does not fit.
    pub(crate) fn encode(
        &mut self,
        buffer: &[u8],
        from: usize,
        parameters: EncoderParameters,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let isa = self.isa;
        let steps = &mut self.steps;
        self.match_finder.reset(parameters, parameters.bits_for(buffer.len()), self.window.bytes());
        isa.insert_range(&mut self.match_finder, buffer, 0..from);
        self.blocks.start(from);
        let mut is_dull = false;
        let mut costs = None;
        // How far the tokens reach: a match may reach into the next chunk.
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
                let sample = if is_dull { (piece.start + SAMPLE).min(piece.end) } else { piece.end };
                let searched = &mut matches[piece.start - start..];
                isa.find(&mut self.match_finder, buffer, piece.start..sample, searched);
                let skipped = inserted_to.max(self.match_finder.base);
                is_dull = if is_dull
                    && skipped < piece.start
                    && look::has_enough_matches(&searched[..sample - piece.start])
                {
                    isa.insert_range(&mut self.match_finder, buffer, skipped..piece.start);
                    false
                } else {
                    // What was searched last tells most of what comes.
                    let recent = (sample - piece.start).saturating_sub(SAMPLE);
                    look::is_dull(&searched[recent..sample - piece.start])
                };
                // Not by those alone, for a chunk of which nothing is compressed: what is new may follow what repeats.
                is_incompressible &= is_dull && !look::has_enough_matches(&searched[..sample - piece.start]);
                let rest = &mut searched[sample - piece.start..piece.len()];
                if !is_dull || rest.is_empty() {
                    isa.find(&mut self.match_finder, buffer, sample..piece.end, rest);
                    inserted_to = piece.end;
                    continue;
                }
                rest.fill(0);
                for spread in (sample..piece.end).step_by(SPARSE) {
                    isa.insert_range(&mut self.match_finder, buffer, spread..(spread + GROUP).min(piece.end));
                }
            }
            if is_incompressible && look::has_high_entropy(chunk) {
                self.blocks.store(isa, buffer, end, is_last && end == buffer.len(), to)?;
                done = end;
                continue;
            }
            let skip = done - start;
            let mut counters = Counters::EMPTY;
            let mut known =
                costs.take().unwrap_or_else(|| guess(isa, chunk, matches, [&mut self.draft, steps], skip));
            for _ in 1..parameters.passes {
                self.draft.clear();
                self.draft.extend_from_slice(matches);
                isa.parse_near_optimal(chunk, &mut self.draft, &known, &mut self.paths);
                known = Costs::of(&count(isa, &self.draft, steps, skip));
            }
            isa.parse_near_optimal(chunk, matches, &known, &mut self.paths);
            let before = self.blocks.tokens.len();
            done = start + isa.walk(&matches[..chunk.len()], skip, &mut self.blocks.tokens);
            isa.count(&self.blocks.tokens[before..], &mut counters);
            costs = Some(Costs::of(&counters));
            self.blocks.add(isa, buffer, before, done, &counters.histogram(), to)?;
        }
        self.blocks.finish(isa, buffer, from, is_last, to)
    }
}

/// What symbols cost in a chunk that nothing is known of: as after lazy matching. The vectors are for the tokens of that.
fn guess(
    isa: Isa,
    chunk: &[u8],
    matches: &[Match],
    [draft, steps]: [&mut Vec<Token>; 2],
    skip: usize,
) -> Costs {
    draft.clear();
    draft.extend_from_slice(matches);
    draft.extend_from_slice(&[0, 0]);
    isa.parse_lazy(chunk, draft);
    draft.truncate(chunk.len());
    Costs::of(&count(isa, draft, steps, skip))
}

/// The symbols of a walk over tokens; `steps` is for those that it steps on.
fn count(isa: Isa, at_each: &[Token], steps: &mut Vec<Token>, skip: usize) -> Counters {
    let mut counters = Counters::EMPTY;
    steps.clear();
    isa.walk(at_each, skip, steps);
    isa.count(steps, &mut counters);
    counters
}
