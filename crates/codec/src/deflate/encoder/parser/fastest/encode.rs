//! Passes of the fastest parser over a buffer, chunk by chunk.

use std::collections::TryReserveError;

use super::heads::{Heads, STEP_TOKENS};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block::writer::{Blocks, Input};
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::scratch::Scratch;
use crate::deflate::encoder::symbols::MAX_MATCH;

/// Positions that are parsed at a time, and after which a block may end.
const CHUNK: usize = 32 << 10;

/// The fastest parser and its table.
pub(crate) struct FastestParser {
    heads: Heads,
}

impl FastestParser {
    pub(crate) const fn new() -> Self {
        Self { heads: Heads::new() }
    }

    /// Reserves the memory for `len` bytes, history included, and their blocks.
    pub(crate) fn reserve(&mut self, blocks: &mut Blocks, len: usize) -> Result<(), TryReserveError> {
        self.heads.reserve()?;
        blocks.reserve(len, CHUNK + MAX_MATCH, STEP_TOKENS)
    }

    /// Compresses an input. `None` if it does not fit.
    // In a frame of its own, so that the caller's stays small.
    #[inline(never)]
    pub(crate) fn encode(
        &mut self,
        isa: Isa,
        blocks: &mut Blocks,
        Input { buffer, from, window, is_last }: Input<'_>,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        self.heads.begin(buffer, from);
        blocks.start(from);
        let mut done = from;
        let mut last = 0;
        while done < buffer.len() {
            let before = blocks.tokens.len();
            let end = (done + CHUNK).min(buffer.len());
            done =
                isa.parse_fastest(&mut self.heads, buffer, done..end, window, &mut last, &mut blocks.tokens);
            let Scratch { counters, next, .. } = blocks.scratch.get();
            counters.clear();
            isa.count(&blocks.tokens[before..], counters);
            counters.histogram(next);
            blocks.add(isa, buffer, before, done, to)?;
        }
        blocks.finish(isa, buffer, from, is_last, to)
    }
}
