//! Writer of blocks: collects tokens into blocks, and writes each in the shortest of three types.

use std::collections::TryReserveError;

use super::header::Header;
use super::token_writer::{Codes, FIXED_DISTANCE, FIXED_LENGTHS, Tables};
use crate::deflate::encoder::bit_writer::BitWriter;
use crate::deflate::encoder::dispatch::Isa;
use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::scratch::{Scratch, ScratchMemory};
use crate::deflate::encoder::symbols::{
    DISTANCES, END, Histogram, LITERALS, Token, distance_extra, length_extra,
};

/// Input of an encoder.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    /// History, then the bytes to compress.
    pub(crate) buffer: &'a [u8],
    /// Position from which on the buffer is compressed.
    pub(crate) from: usize,
    /// Maximum distance of matches.
    pub(crate) window: usize,
    /// Set if the stream ends with this input.
    pub(crate) is_last: bool,
}

/// Types of blocks (RFC 1951, section 3.2.3).
const STORED: u64 = 0;
const FIXED: u64 = 1;
const DYNAMIC: u64 = 2;

/// Maximum bytes of a stored block.
const STORED_LIMIT: usize = 0xffff;

/// Returns the bits of a block's tokens and its end in the fixed codes.
fn fixed_cost(counts: &Histogram) -> u64 {
    let literals =
        counts.literals.iter().zip(FIXED_LENGTHS).map(|(&count, len)| u64::from(count) * u64::from(len));
    let distances = counts.distances.iter().map(|&count| u64::from(count) * u64::from(FIXED_DISTANCE));
    literals.chain(distances).sum()
}

/// Returns the extra bits, which are the same in any code.
fn extra_cost(counts: &Histogram) -> u64 {
    let lengths = (END + 1..LITERALS)
        .map(|symbol| u64::from(counts.literals[symbol]) * u64::from(length_extra(symbol)));
    let distances =
        (0..DISTANCES).map(|symbol| u64::from(counts.distances[symbol]) * u64::from(distance_extra(symbol)));
    lengths.chain(distances).sum()
}

/// Returns the bits of stored blocks for `len` bytes that start `offset` bits into a byte.
fn stored_cost(len: usize, offset: u32) -> u64 {
    let blocks = len.div_ceil(STORED_LIMIT).max(1) as u64;
    // Only the first starts within a byte: the three bits of the others take a whole one.
    let first = u64::from((offset + 3).next_multiple_of(8) - offset);
    first + 8 * (blocks - 1) + 32 * blocks + 8 * len as u64
}

/// Writes a block of `tokens`, which stand for `uncompressed`. `counts` are those of the tokens and
/// of the block's end. `None` if it does not fit.
fn write_block(
    isa: Isa,
    tokens: &[Token],
    counts: &Histogram,
    (codes, tables): (&mut Codes, &mut Tables),
    uncompressed: &[u8],
    is_last: bool,
    to: &mut BitWriter<'_>,
) -> Option<()> {
    let extra = extra_cost(counts);
    let stored = stored_cost(uncompressed.len(), to.offset());
    let fixed = 3 + fixed_cost(counts) + extra;
    codes.assign(counts);
    let header = Header::new(&codes.literals.lengths, &codes.distances.lengths);
    let dynamic = header.cost + codes.cost(counts) + extra;
    if stored <= fixed && stored <= dynamic {
        return write_stored(uncompressed, is_last, to);
    }
    if fixed.min(dynamic) > to.remaining_bits() {
        return None;
    }
    to.put(u64::from(is_last), 1);
    if fixed <= dynamic {
        to.put(FIXED, 2);
        emit_fixed(isa, tokens, tables, to);
    } else {
        to.put(DYNAMIC, 2);
        header.write(to);
        tables.assign(codes);
        isa.emit(tokens, tables, to);
    }
    Some(())
}

/// Writes tokens in the fixed codes; `tables` is scratch memory. The codes are in the frame of this
/// function only.
#[inline(never)]
fn emit_fixed(isa: Isa, tokens: &[Token], tables: &mut Tables, to: &mut BitWriter<'_>) {
    tables.assign(&Codes::fixed());
    isa.emit(tokens, tables, to);
}

/// Writes bytes as stored blocks. `None` if they don't fit.
pub(crate) fn write_stored(uncompressed: &[u8], is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
    if stored_cost(uncompressed.len(), to.offset()) > to.remaining_bits() {
        return None;
    }
    let mut rest = uncompressed;
    loop {
        let (part, after) = rest.split_at(rest.len().min(STORED_LIMIT));
        to.put(u64::from(is_last && after.is_empty()), 1);
        to.put(STORED, 2);
        to.flush();
        to.align()?;
        let len = part.len() as u16;
        to.bytes(&len.to_le_bytes());
        to.bytes(&(!len).to_le_bytes());
        to.bytes(part);
        rest = after;
        if rest.is_empty() {
            return Some(());
        }
    }
}

// -- Collecting blocks -------------------------------------------------------------------------

/// Uncompressed bytes after which a block ends in any case, so that the counts of its symbols stay
/// far below the 2^23 that `huffman.rs` needs.
const LIMIT: usize = 1 << 20;

/// The block that is being collected.
pub(crate) struct Blocks {
    pub(crate) tokens: Vec<Token>,
    /// Start of the block in the buffer.
    start: usize,
    /// End of its tokens in the buffer.
    end: usize,
    /// With the counts of the block's symbols.
    pub(crate) scratch: ScratchMemory,
}

impl Blocks {
    pub(crate) const fn new() -> Self {
        Self { tokens: Vec::new(), start: 0, end: 0, scratch: ScratchMemory::new() }
    }

    /// Reserves the scratch memory, and that for the tokens of `len` bytes, which are added in
    /// chunks of up to `chunk`, and for `spare` tokens past the end that vectors write.
    pub(crate) fn reserve(&mut self, len: usize, chunk: usize, spare: usize) -> Result<(), TryReserveError> {
        // The tokens of a block, and those of the chunk that ends it.
        reserve(&mut self.tokens, len.min(LIMIT + chunk) + spare)?;
        self.scratch.reserve()
    }

    /// Starts a block at `from`.
    pub(crate) fn start(&mut self, from: usize) {
        self.tokens.clear();
        (self.start, self.end) = (from, from);
        self.scratch.get().block.clear();
    }

    /// Adds the tokens from `before` on, which reach up to `end`, to the block, or ends the block
    /// before them and starts another. Their counts are in the scratch memory. `None` if the ended
    /// block does not fit.
    pub(crate) fn add(
        &mut self,
        isa: Isa,
        buffer: &[u8],
        before: usize,
        end: usize,
        to: &mut BitWriter<'_>,
    ) -> Option<()> {
        let Scratch { block, next, .. } = self.scratch.get();
        if before > 0 && (end - self.start > LIMIT || isa.should_split(block, next)) {
            self.write(isa, buffer, before, false, to)?;
            self.tokens.drain(..before);
            self.start = self.end;
            self.scratch.get().block.clear();
        }
        let Scratch { block, next, .. } = self.scratch.get();
        block.merge(next);
        self.end = end;
        Some(())
    }

    /// Ends the block, and stores the bytes from there up to `end`. `None` if they don't fit.
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
        write_stored(&buffer[self.end..end], is_last, to)?;
        self.start(end);
        Some(())
    }

    /// Writes the remaining tokens of a buffer that was compressed from `from` on; an empty block
    /// if nothing was to be compressed. `None` if they don't fit.
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
        let Scratch { block, codes, tables, .. } = self.scratch.get();
        block.literals[END] = 1;
        let uncompressed = &buffer[self.start..self.end];
        write_block(isa, &self.tokens[..count], block, (codes, tables), uncompressed, is_last, to)
    }
}

#[cfg(test)]
mod tests;
