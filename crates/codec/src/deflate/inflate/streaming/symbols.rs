//! Decoder of a block's symbols one by one, which may be split anywhere between calls. It runs near
//! the ends of input and room.

use super::bit_reader::BitReader;
use super::fault::StreamFault;
use super::output::{Match, OutputRegion};
use super::tables::{
    CODEWORD_BITS, DISTANCE_ROOT, END, LITERAL, LITERAL_ROOT, OTHER, TABLE_LINK, TAKEN, Tables, VALUE,
};
use super::unchecked::Fast;

/// Next part of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// A literal, a length, or the end of the block.
    Symbol,
    /// Extra bits of a length.
    Length { base: usize, extra: u32 },
    /// A match's distance.
    Distance { len: usize },
    /// Extra bits of a distance.
    Added { len: usize, base: usize, extra: u32 },
}

/// Reason to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// There is no more input.
    Starved,
    /// The next symbol has no room.
    Full,
    /// The block has ended.
    Block,
}

/// Symbols as far as they were read.
#[derive(Clone, Copy)]
pub(super) struct Symbols {
    pub(super) part: Part,
    /// Bits of the last symbol that were taken.
    pub(super) taken: u32,
}

impl Symbols {
    pub(super) const NEW: Self = Self { part: Part::Symbol, taken: 0 };

    /// Decodes symbols until there is a reason to stop; after an incomplete one, with `fast` where
    /// possible. More bits may be provided than are taken.
    pub(super) fn read(
        &mut self,
        tables: &Tables,
        bits: &mut BitReader<'_>,
        region: &mut OutputRegion<'_>,
        fast: Fast,
    ) -> Result<Stop, StreamFault> {
        if !self.finish(tables, bits, region)? {
            return Ok(Stop::Starved);
        }
        if fast.run(tables, bits, region)? {
            return Ok(Stop::Block);
        }
        while region.at <= region.until {
            self.taken = 0;
            let Some(entry) = self.entry(&tables.literals, LITERAL_ROOT, bits) else {
                return Ok(Stop::Starved);
            };
            if entry & LITERAL != 0 {
                region.bytes[region.at] = (entry >> VALUE) as u8;
                (region.at, region.last) = (region.at + 1, Match::default());
                continue;
            }
            if entry & OTHER != 0 {
                return if entry & END != 0 { Ok(Stop::Block) } else { Err(StreamFault::Symbol) };
            }
            self.part = Part::Length { base: (entry >> VALUE) as usize, extra: extra(entry) };
            if !self.finish(tables, bits, region)? {
                return Ok(Stop::Starved);
            }
        }
        Ok(Stop::Full)
    }

    /// Takes the remaining parts of a match. Returns whether they were complete.
    fn finish(
        &mut self,
        tables: &Tables,
        bits: &mut BitReader<'_>,
        region: &mut OutputRegion<'_>,
    ) -> Result<bool, StreamFault> {
        while self.part != Part::Symbol {
            if !self.step(tables, bits, region)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes a codeword; `None` if it is incomplete.
    fn entry(&mut self, table: &[u32], root: u32, bits: &mut BitReader<'_>) -> Option<u32> {
        bits.fill();
        let mut entry = table[bits.peek(root)];
        let mut codeword = entry >> CODEWORD_BITS & 15;
        if entry & OTHER != 0 && entry & TABLE_LINK != 0 {
            let rest = (bits.bits >> root) as usize & ((1 << codeword) - 1);
            entry = table[(entry >> VALUE) as usize + rest];
            codeword = root + (entry >> CODEWORD_BITS & 15);
        }
        // Bits that are not there are zeros, and change nothing about words that are.
        if codeword > bits.count {
            return None;
        }
        bits.take(codeword);
        self.taken += codeword;
        Some(entry)
    }

    /// Takes extra bits; `None` if they are incomplete.
    fn added(&mut self, count: u32, bits: &mut BitReader<'_>) -> Option<usize> {
        bits.fill();
        if count > bits.count {
            return None;
        }
        self.taken += count;
        Some(bits.take(count))
    }

    /// Takes the next part of a match; whether it was there.
    fn step(
        &mut self,
        tables: &Tables,
        bits: &mut BitReader<'_>,
        region: &mut OutputRegion<'_>,
    ) -> Result<bool, StreamFault> {
        self.part = match self.part {
            Part::Symbol => return Ok(false),
            Part::Length { base, extra } => match self.added(extra, bits) {
                Some(added) => Part::Distance { len: base + added },
                None => return Ok(false),
            },
            Part::Distance { len } => match self.entry(&tables.distances, DISTANCE_ROOT, bits) {
                Some(entry) if entry & OTHER != 0 => return Err(StreamFault::Distance),
                Some(entry) => Part::Added { len, base: (entry >> VALUE) as usize, extra: extra(entry) },
                None => return Ok(false),
            },
            Part::Added { len, base, extra } => match self.added(extra, bits) {
                Some(added) => {
                    // It has been read, wherever it reaches.
                    self.part = Part::Symbol;
                    return region.repeat(len, base + added).map(|()| true).ok_or(StreamFault::TooFar);
                }
                None => return Ok(false),
            },
        };
        Ok(true)
    }
}

/// Returns the number of extra bits.
fn extra(entry: u32) -> u32 {
    (entry & TAKEN) - (entry >> CODEWORD_BITS & 15)
}
