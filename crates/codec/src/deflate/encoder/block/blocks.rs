//! Tokens on their way into blocks.

use std::collections::TryReserveError;

use super::writer;
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::block_encoder::reserve;
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::symbols::{END, Histogram, Token};

/// Plain bytes after which a block ends in any case: counts of its symbols stay far below 2^23, as `huffman.rs` needs.
const LIMIT: usize = 1 << 20;

/// The block that is being collected.
pub(crate) struct Blocks {
    pub(crate) tokens: Vec<Token>,
    /// Where the block starts in the buffer.
    start: usize,
    /// Where its tokens end.
    end: usize,
    counts: Histogram,
}

impl Blocks {
    pub(crate) const fn new() -> Self {
        Self { tokens: Vec::new(), start: 0, end: 0, counts: Histogram::EMPTY }
    }

    /// Gets the memory for the tokens of `len` bytes, which are added in chunks of up to `chunk`, and for as many that are
    /// written in vain as are `spare`.
    pub(crate) fn reserve(&mut self, len: usize, chunk: usize, spare: usize) -> Result<(), TryReserveError> {
        // Those of a block, and those of the chunk that ends it.
        reserve(&mut self.tokens, len.min(LIMIT + chunk) + spare)
    }

    /// Starts with what is at `from`.
    pub(crate) fn start(&mut self, from: usize) {
        self.tokens.clear();
        (self.start, self.end, self.counts) = (from, from, Histogram::EMPTY);
    }

    /// Adds the tokens from `before` on, which reach up to `end`, to the block, or ends the block before them and starts
    /// another. `None` if what is written does not fit.
    pub(crate) fn add(
        &mut self,
        isa: Isa,
        buffer: &[u8],
        before: usize,
        end: usize,
        counts: &Histogram,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        if before > 0 && (end - self.start > LIMIT || isa.should_split(&self.counts, counts)) {
            self.write(isa, buffer, before, false, to)?;
            self.tokens.drain(..before);
            self.start = self.end;
            self.counts = Histogram::EMPTY;
        }
        self.counts.merge(counts);
        self.end = end;
        Some(())
    }

    /// Ends the block and stores what follows it, up to `end`. `None` if it does not fit.
    pub(crate) fn store(
        &mut self,
        isa: Isa,
        buffer: &[u8],
        end: usize,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        if self.start < self.end {
            self.write(isa, buffer, self.tokens.len(), false, to)?;
        }
        writer::stored(&buffer[self.end..end], is_last, to)?;
        self.start(end);
        Some(())
    }

    /// Writes what is left of a buffer of which what follows position `from` was to be compressed: an empty block if that is
    /// nothing. `None` if it does not fit.
    pub(crate) fn finish(
        &mut self,
        isa: Isa,
        buffer: &[u8],
        from: usize,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let is_stored = self.start == self.end && buffer.len() > from;
        if is_stored { Some(()) } else { self.write(isa, buffer, self.tokens.len(), is_last, to) }
    }

    fn write(
        &mut self,
        isa: Isa,
        buffer: &[u8],
        count: usize,
        is_last: bool,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        self.counts.literals[END] = 1;
        writer::block(isa, &self.tokens[..count], &self.counts, &buffer[self.start..self.end], is_last, to)
    }
}
