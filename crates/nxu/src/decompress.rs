//! Decompression that may stop at the end of its source or at a limit, and go on later
//! (section VI).
//!
//! The engine takes 32 bits a cycle, decodes at most eight codes in it, and writes at most eight
//! bytes; the slowest of these three decides.

use crate::bits::BitReader;
use crate::config::{WINDOW, WORD};
use crate::symbols::{DISTANCE, END_OF_BLOCK, LENGTH};
use crate::table::{Decoder, Read, Table, TableError};

/// Bits that the engine takes a cycle.
const SOURCE_BITS: u64 = 32;
/// Codes that it decodes a cycle.
const CODES: u64 = 8;

/// A place in a stream between two symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Before a block's header.
    Header,
    /// Within a stored block, before these remaining bytes.
    Stored {
        /// Their number.
        left: u32,
    },
    /// Within a block of the fixed table.
    Fixed,
    /// Within a block of this table.
    Dynamic(Box<Table>),
}

/// Place at which decompression begins or ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The block, and the place in it.
    pub block: Block,
    /// Whether the block is the last one; before a header, whether the block before was.
    pub is_final: bool,
}

impl Position {
    /// Start of a stream.
    pub const START: Position = Position { block: Block::Header, is_final: false };
}

/// Reason for an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The last block has ended.
    Final,
    /// The block has ended, as was asked for.
    BlockEnded,
    /// The source ended before the next symbol or header was complete.
    SourceEnded,
    /// The next symbol does not fit the limit.
    LimitReached,
    /// The stream is damaged.
    Error(Fault),
}

/// Fault of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A block of the reserved type.
    BlockType,
    /// The length of a stored block is not that of its complement.
    StoredLength,
    /// A table that breaks a rule.
    BadTable(&'static str),
    /// Bits that are no code, or a reserved symbol.
    Undefined,
    /// A match reaches before the history.
    TooFar,
}

/// Options of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum bytes of output.
    pub output: usize,
    /// Whether the end of a block ends the call.
    pub one_block: bool,
}

/// Result of a call.
#[derive(Clone, Debug)]
pub struct Decompressed {
    /// The output of this call.
    pub output: Vec<u8>,
    /// The place where it ended.
    pub position: Position,
    /// Bits of the source up to the position, from its start.
    pub consumed_bits: u64,
    /// Why it ended.
    pub ended: Ended,
    /// Cycles of the engine.
    pub cycles: u64,
}

/// Decompresses from a position. Matches may refer to the last 32 KB of the history.
pub fn decompress(
    position: &Position,
    reader: BitReader<'_>,
    history: &[u8],
    limits: Limits,
) -> Decompressed {
    let history = &history[history.len().saturating_sub(WINDOW)..];
    let mut run = Run {
        reader,
        output: history.to_vec(),
        start: history.len(),
        end: history.len().saturating_add(limits.output),
        position: position.clone(),
        codes: 0,
        cycles: 0,
    };
    let ended = loop {
        let (from, produced) = (run.reader.position(), run.output.len());
        run.codes = 0;
        let step = run.block();
        let bits = run.reader.position() - from;
        let bytes = (run.output.len() - produced) as u64;
        let by_codes = run.codes.div_ceil(CODES);
        run.cycles += bits.div_ceil(SOURCE_BITS).max(bytes.div_ceil(WORD as u64)).max(by_codes);
        match step {
            Some(ended) => break ended,
            None if run.position.block != Block::Header => {}
            None if run.position.is_final => break Ended::Final,
            None if limits.one_block => break Ended::BlockEnded,
            None => {}
        }
    };
    Decompressed {
        output: run.output.split_off(run.start),
        position: run.position,
        consumed_bits: run.reader.position(),
        ended,
        cycles: run.cycles,
    }
}

/// State of a call.
struct Run<'a> {
    reader: BitReader<'a>,
    /// History and output.
    output: Vec<u8>,
    start: usize,
    end: usize,
    position: Position,
    codes: u64,
    cycles: u64,
}

impl Run<'_> {
    /// Goes through a header, or through the rest of a block. Returns why it ends before.
    fn block(&mut self) -> Option<Ended> {
        match &mut self.position.block {
            Block::Header if self.position.is_final => Some(Ended::Final),
            Block::Header => self.header(),
            Block::Stored { left } => {
                let capacity = self.end - self.output.len();
                let bytes = self.reader.bytes(capacity.min(*left as usize));
                self.output.extend_from_slice(bytes);
                *left -= bytes.len() as u32;
                match *left {
                    0 => {
                        self.position.block = Block::Header;
                        None
                    }
                    _ if bytes.len() == capacity => Some(Ended::LimitReached),
                    _ => Some(Ended::SourceEnded),
                }
            }
            Block::Fixed => self.symbols(&Table::fixed()),
            Block::Dynamic(table) => {
                let table = table.clone();
                self.symbols(&table)
            }
        }
    }

    fn header(&mut self) -> Option<Ended> {
        let from = self.reader.position();
        let read = self.read_header();
        match read {
            Ok((block, is_final)) => {
                self.position = Position { block, is_final };
                None
            }
            Err(ended) => {
                if ended == Ended::SourceEnded {
                    self.reader.seek(from);
                }
                Some(ended)
            }
        }
    }

    fn read_header(&mut self) -> Result<(Block, bool), Ended> {
        let reader = &mut self.reader;
        let is_final = reader.take(1).ok_or(Ended::SourceEnded)? == 1;
        let block = match reader.take(2).ok_or(Ended::SourceEnded)? {
            0 => {
                reader.align();
                let length = reader.take(16).ok_or(Ended::SourceEnded)?;
                let complement = reader.take(16).ok_or(Ended::SourceEnded)?;
                if length != complement ^ 0xffff {
                    return Err(Ended::Error(Fault::StoredLength));
                }
                Block::Stored { left: length }
            }
            1 => Block::Fixed,
            2 => match Table::parse(reader) {
                Ok(table) => Block::Dynamic(Box::new(table)),
                Err(TableError::Truncated) => return Err(Ended::SourceEnded),
                Err(TableError::Bad(what)) => return Err(Ended::Error(Fault::BadTable(what))),
            },
            _ => return Err(Ended::Error(Fault::BlockType)),
        };
        Ok((block, is_final))
    }

    /// Decodes the symbols of a block.
    fn symbols(&mut self, table: &Table) -> Option<Ended> {
        let (literals, distances) = (Decoder::new(table.literals()), Decoder::new(table.distances()));
        loop {
            let from = self.reader.position();
            match self.symbol(&literals, &distances) {
                Ok(true) => {}
                Ok(false) => {
                    self.position.block = Block::Header;
                    return None;
                }
                Err(ended) => {
                    self.reader.seek(from);
                    return Some(ended);
                }
            }
        }
    }

    /// Decodes a symbol. Returns whether the block goes on.
    fn symbol(&mut self, literals: &Decoder, distances: &Decoder) -> Result<bool, Ended> {
        let read = |decoder: &Decoder, reader: &mut BitReader<'_>| match decoder.read(reader) {
            Read::Symbol(symbol) => Ok(usize::from(symbol)),
            Read::Ended => Err(Ended::SourceEnded),
            Read::NoCode => Err(Ended::Error(Fault::Undefined)),
        };
        let symbol = read(literals, &mut self.reader)?;
        if symbol < END_OF_BLOCK {
            if self.output.len() == self.end {
                return Err(Ended::LimitReached);
            }
            self.output.push(symbol as u8);
            self.codes += 1;
            return Ok(true);
        }
        if symbol == END_OF_BLOCK {
            self.codes += 1;
            return Ok(false);
        }
        let &(base, extra) = LENGTH.get(symbol - 257).ok_or(Ended::Error(Fault::Undefined))?;
        let length = usize::from(base) + self.reader.take(extra.into()).ok_or(Ended::SourceEnded)? as usize;
        let symbol = read(distances, &mut self.reader)?;
        let &(base, extra) = DISTANCE.get(symbol).ok_or(Ended::Error(Fault::Undefined))?;
        let distance = (base + self.reader.take(extra.into()).ok_or(Ended::SourceEnded)?) as usize;
        let Some(from) = self.output.len().checked_sub(distance) else {
            return Err(Ended::Error(Fault::TooFar));
        };
        if length > self.end - self.output.len() {
            return Err(Ended::LimitReached);
        }
        self.codes += 2;
        if distance >= length {
            self.output.extend_from_within(from..from + length);
        } else {
            (from..from + length).for_each(|at| self.output.push(self.output[at]));
        }
        Ok(true)
    }
}
