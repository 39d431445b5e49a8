//! Passes of the sequential parser over a buffer, chunk by chunk.

use std::collections::TryReserveError;

use super::links::{HASHED, Links};
use super::search::Search;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::writer::{Blocks, Input};
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::levels::SequentialParameters;
use crate::deflate::encoder::scratch::Scratch;
use crate::deflate::encoder::symbols::{MAX_MATCH, MIN_MATCH};

/// Positions that are linked and parsed at a time, and after which a block may end.
const CHUNK: usize = 16 << 10;
/// Bytes of a chunk that are sampled for their distinct values.
const SAMPLE: usize = 4 << 10;
/// Distinct values from which on matches of three bytes are worth their codes: of fewer, three
/// literals cost as little.
const MANY_VALUES: usize = 80;

/// Mean bytes of a chunk's tokens from twice of which on the depth grows: few positions are
/// searched, so that a deeper search takes little more time.
const LONG_TOKEN: usize = 6;
/// Maximum factor of the depth.
const MAX_DEEPER: usize = 4;
/// Mean bytes of a chunk's tokens from which on the next one is taken for repetitive.
const REPETITIVE: usize = 16;

/// The sequential parser and its links.
pub(crate) struct SequentialParser {
    links: Links,
}

impl SequentialParser {
    pub(crate) const fn new() -> Self {
        Self { links: Links::new() }
    }

    /// Reserves the memory for `len` bytes, history included, and their blocks.
    pub(crate) fn reserve(&mut self, blocks: &mut Blocks, len: usize) -> Result<(), TryReserveError> {
        self.links.reserve()?;
        blocks.reserve(len, CHUNK + MAX_MATCH, 0)
    }

    /// Compresses an input. `None` if it does not fit.
    // In a frame of its own, so that the caller's stays small.
    #[inline(never)]
    pub(crate) fn encode(
        &mut self,
        isa: Isa,
        blocks: &mut Blocks,
        Input { buffer, from, window, is_last }: Input<'_>,
        parameters: SequentialParameters,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        self.links.reset();
        blocks.start(from);
        let mut done = from;
        let mut depth = parameters.depth;
        let mut is_repetitive = false;
        while done < buffer.len() {
            let end = (done + CHUNK).min(buffer.len());
            // Beside long tokens those of three bytes do not matter.
            let min_len = if is_repetitive { HASHED } else { min_len(&buffer[done..end]) };
            self.links.set_three(min_len == MIN_MATCH);
            isa.link_sequential(&mut self.links, buffer, end);
            let used = SequentialParameters { depth, ..parameters };
            let search = Search::new(&self.links, buffer, window, used.nice);
            let (before, start) = (blocks.tokens.len(), done);
            done = isa.parse_sequential(&search, used, buffer, done..end, min_len, &mut blocks.tokens);
            let tokens = blocks.tokens.len() - before;
            let len = (done - start) / tokens;
            is_repetitive = len >= REPETITIVE;
            if parameters.lookahead > 0 {
                depth = parameters.depth * (len / LONG_TOKEN).clamp(1, MAX_DEEPER);
            }
            let Scratch { counters, next, .. } = blocks.scratch.get();
            counters.clear();
            isa.count(&blocks.tokens[before..], counters);
            counters.histogram(next);
            blocks.add(isa, buffer, before, done, to)?;
        }
        blocks.finish(isa, buffer, from, is_last, to)
    }
}

/// Returns the minimum length of matches that are worth their codes.
fn min_len(chunk: &[u8]) -> usize {
    let mut is_used = [false; 256];
    chunk[..chunk.len().min(SAMPLE)].iter().for_each(|&byte| is_used[usize::from(byte)] = true);
    let values = is_used.iter().filter(|&&is_used| is_used).count();
    MIN_MATCH + usize::from(values < MANY_VALUES)
}
