//! Block headers (RFC 1951, section 3.2.3) that may be split anywhere between calls.

use super::bit_reader::{BitReader, FILLED_BITS};
use super::fault::StreamFault;
use super::tables::{CODE_LENGTH_ROOT, TAKEN, Tables, VALUE};
use crate::deflate::tables::CODE_LENGTH_ORDER;

/// Next part of a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// The flag of the last block, and the type.
    Kind,
    /// The length of a stored block, twice.
    StoredLength,
    /// The numbers of codeword lengths.
    Counts,
    /// The lengths of the words that the lengths are written with.
    CodeLengthLengths,
    /// The lengths of literals', lengths' and distances' words.
    Lens,
}

/// Type of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Block {
    /// A stored block of this length.
    Stored(usize),
    /// Symbols, for which the tables are filled.
    Compressed,
}

/// The most literals and lengths, and distances, that a header may give words.
const MAX_LITERALS: usize = 286;
const MAX_DISTANCES: usize = 30;
/// The literal or length symbol after which a block has none.
const END_OF_BLOCK: usize = 256;

/// A header as far as it was read.
#[derive(Clone, Copy)]
pub(super) struct Header {
    pub(super) part: Part,
    pub(super) is_last: bool,
    literals: usize,
    distances: usize,
    explicit: usize,
    /// Lengths that were read.
    done: usize,
    code_length_lengths: [u8; CODE_LENGTH_ORDER.len()],
    lengths: [u8; MAX_LITERALS + MAX_DISTANCES],
    /// The tables are those of the fixed code.
    is_fixed: bool,
}

impl Header {
    pub(super) const NEW: Self = Self {
        part: Part::Kind,
        is_last: false,
        literals: 0,
        distances: 0,
        explicit: 0,
        done: 0,
        code_length_lengths: [0; CODE_LENGTH_ORDER.len()],
        lengths: [0; MAX_LITERALS + MAX_DISTANCES],
        is_fixed: false,
    };

    /// Reads the available part of a header. Returns the block once the header is complete.
    pub(super) fn read(
        &mut self,
        bits: &mut BitReader<'_>,
        tables: &mut Tables,
    ) -> Result<Option<Block>, StreamFault> {
        loop {
            let block = match self.part {
                Part::Kind => self.kind(bits, tables)?,
                Part::StoredLength => return stored(bits),
                Part::Counts => self.counts(bits)?,
                Part::CodeLengthLengths => self.code_length_lengths(bits, tables)?,
                Part::Lens => {
                    let block = self.lengths(bits, tables);
                    if block != Ok(None) {
                        bits.give_back();
                    }
                    return block;
                }
            };
            if !matches!(block, Some(Read::Part)) {
                return Ok(block.map(|_| Block::Compressed));
            }
        }
    }

    fn kind(&mut self, bits: &mut BitReader<'_>, tables: &mut Tables) -> Result<Option<Read>, StreamFault> {
        if !bits.need(3) {
            return Ok(None);
        }
        self.is_last = bits.take(1) == 1;
        self.part = match bits.take(2) {
            0 => Part::StoredLength,
            1 => {
                self.fixed(tables)?;
                return Ok(Some(Read::Block));
            }
            2 => Part::Counts,
            _ => return Err(StreamFault::BlockType),
        };
        Ok(Some(Read::Part))
    }

    /// Section 3.2.6.
    fn fixed(&mut self, tables: &mut Tables) -> Result<(), StreamFault> {
        if !self.is_fixed {
            let mut lengths = [8; 288];
            lengths[144..256].fill(9);
            lengths[256..280].fill(7);
            tables.literals(&lengths).ok_or(StreamFault::Literals)?;
            tables.distances(&[5; 32]).ok_or(StreamFault::Distances)?;
            self.is_fixed = true;
        }
        Ok(())
    }

    fn counts(&mut self, bits: &mut BitReader<'_>) -> Result<Option<Read>, StreamFault> {
        if !bits.need(14) {
            return Ok(None);
        }
        self.literals = 257 + bits.take(5);
        self.distances = 1 + bits.take(5);
        self.explicit = 4 + bits.take(4);
        if self.literals > MAX_LITERALS || self.distances > MAX_DISTANCES {
            return Err(StreamFault::TooManySymbols);
        }
        (self.done, self.code_length_lengths) = (0, [0; CODE_LENGTH_ORDER.len()]);
        self.part = Part::CodeLengthLengths;
        Ok(Some(Read::Part))
    }

    fn code_length_lengths(
        &mut self,
        bits: &mut BitReader<'_>,
        tables: &mut Tables,
    ) -> Result<Option<Read>, StreamFault> {
        while self.done < self.explicit {
            if !bits.need(3) {
                return Ok(None);
            }
            self.code_length_lengths[CODE_LENGTH_ORDER[self.done]] = bits.take(3) as u8;
            self.done += 1;
        }
        tables.lengths(&self.code_length_lengths).ok_or(StreamFault::CodeLengths)?;
        (self.done, self.part) = (0, Part::Lens);
        Ok(Some(Read::Part))
    }

    /// Section 3.2.7.
    fn lengths(
        &mut self,
        bits: &mut BitReader<'_>,
        tables: &mut Tables,
    ) -> Result<Option<Block>, StreamFault> {
        /// Bits of a codeword and its repeat count.
        const MAX_BITS: u32 = CODE_LENGTH_ROOT + 7;
        let total = self.literals + self.distances;
        while self.done < total {
            if bits.count < MAX_BITS {
                bits.fill();
            }
            let entry = tables.lengths[bits.peek(CODE_LENGTH_ROOT)];
            let (len, symbol) = (entry & TAKEN, entry >> VALUE);
            let (extra, base) = match symbol {
                16 => (2, 3),
                17 => (3, 3),
                18 => (7, 11),
                _ => (0, 1),
            };
            if bits.count < len + extra {
                return Ok(None);
            }
            bits.take(len);
            let count = base + bits.take(extra);
            let value = match (symbol, self.done.checked_sub(1)) {
                (16, Some(before)) => self.lengths[before],
                (16, None) => {
                    // zlib checks this after the repeat count.
                    bits.untake(extra, count - base);
                    return Err(StreamFault::Repeat);
                }
                (17 | 18, _) => 0,
                (len, _) => len as u8,
            };
            if self.done + count > total {
                return Err(StreamFault::Repeat);
            }
            // Most are written one by one, for which a call would take longer.
            match count {
                1 => self.lengths[self.done] = value,
                _ => self.lengths[self.done..self.done + count].fill(value),
            }
            self.done += count;
        }
        self.is_fixed = false;
        let (literals, distances) = self.lengths[..total].split_at(self.literals);
        if literals[END_OF_BLOCK] == 0 {
            return Err(StreamFault::NoEndOfBlock);
        }
        tables.literals(literals).ok_or(StreamFault::Literals)?;
        tables.distances(distances).ok_or(StreamFault::Distances)?;
        Ok(Some(Block::Compressed))
    }
}

/// Completed item.
enum Read {
    Part,
    Block,
}

/// Section 3.2.4.
fn stored(bits: &mut BitReader<'_>) -> Result<Option<Block>, StreamFault> {
    // Every time, as zlib does: bits may have been put before the input.
    bits.align();
    if !bits.need(32) {
        return Ok(None);
    }
    let (len, complement) = (bits.peek(16), bits.peek(32) >> 16);
    if len != complement ^ 0xffff {
        return Err(StreamFault::StoredLengths);
    }
    bits.take(bits.count);
    Ok(Some(Block::Stored(len)))
}

const _: () = assert!(FILLED_BITS >= CODE_LENGTH_ROOT + 7, "what is filled is enough for a word");
