//! Compression to raw, zlib and gzip streams and to parts of them, a table for each block.
//!
//! The machine writes headers and symbols of blocks. Software closes them: end-of-block codes and
//! empty blocks are written here, while the machine holds nothing back. The machine has no stored
//! blocks, so data that does not shrink is left to another device.

use pelton_codec::{Checksum, Container, Decoder, Format, checksum};
use pelton_job::BorrowedOutput;

use crate::call::Condition;
use crate::error::DfltccError;
use crate::hw::Function;
use crate::session::{MAX_IDLE_CALLS, Machine, Session};

/// Uncompressed length of a block, with one table for all of it. Both this length and that of the
/// sample are those of the paper's single pass with a sample (section V-C).
const BLOCK_BYTES: usize = 256 << 10;
/// Length of the sample for a block's table.
const SAMPLE_BYTES: usize = 32 << 10;
/// Minimum length of a block with a table of its own: the header of a table costs more than it
/// gains on less data. Libraries for the instruction have this limit too.
const MIN_DYNAMIC_BYTES: usize = 4096;
/// The lowest level: blocks have the fixed codes.
const FIXED_LEVEL: i32 = 1;
/// Exponent of the window, 32 KB, for containers that declare it.
const WINDOW_LOG2: u8 = 15;
/// Header of a gzip member: ID1, ID2, CM, no flags, no time, no XFL, unknown OS (RFC 1952, section
/// 2.3). A mark of DEFLATE's whole window, as [`Container::header`] writes it, would say nothing.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// An empty block with the fixed codes that is the last of its stream.
const EMPTY_LAST_BLOCK: [u8; 2] = [0b011, 0];
/// LEN and NLEN of an empty stored block (RFC 1951, section 3.2.4).
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];
/// Bits of a block's header before its table or length.
const BLOCK_HEADER_BITS: u32 = 3;
/// Length of the fixed end-of-block code; its bits are zero (RFC 1951, section 3.2.6).
const FIXED_END_BITS: u32 = 7;

/// Result that a compression writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A whole stream in its container.
    Stream(Container),
    /// Blocks of a raw stream that are not last, up to a byte boundary.
    Part,
}

/// Compresses `input` into `output` at a level from 1 on.
///
/// # Errors
/// The result does not fit, or the machine failed.
pub(crate) fn compress(
    session: &mut Session,
    machine: Machine<'_>,
    goal: Goal,
    level: i32,
    input: &[u8],
    output: &mut [u8],
) -> Result<BorrowedOutput, DfltccError> {
    let mut to = Output { bytes: output, len: 0, bits: 0 };
    let container = match goal {
        Goal::Stream(container) => Some(container),
        Goal::Part => None,
    };
    let kind = container.and_then(Container::checksum).unwrap_or(Checksum::Crc32);
    if let Some(container) = container {
        match container.format() {
            Format::Gzip => to.append(&GZIP_HEADER)?,
            _ => to.append(&container.header(level, WINDOW_LOG2))?,
        }
    }
    session.begin(kind == Checksum::Adler32);
    let mut at = 0;
    while at < input.len() {
        let len = block_len(input.len() - at);
        let is_last = container.is_some() && at + len == input.len();
        block(session, machine, level, &input[at..at + len], is_last, &mut to)?;
        at += len;
    }
    let sum = if input.is_empty() { checksum(kind, input) as u32 } else { session.block.check_value() };
    match container {
        Some(container) => {
            if input.is_empty() {
                to.append(&EMPTY_LAST_BLOCK)?;
            }
            to.align();
            to.append(&container.trailer(sum, input.len()))?;
        }
        None => {
            to.put(0, BLOCK_HEADER_BITS)?;
            to.align();
            to.append(&EMPTY_STORED)?;
        }
    }
    Ok(BorrowedOutput { produced: to.len, consumed: input.len(), checksum: None })
}

/// Returns the length of the next block. A short rest is part of the last block, so that each table
/// has a whole sample.
fn block_len(rest: usize) -> usize {
    if rest < BLOCK_BYTES + SAMPLE_BYTES { rest } else { BLOCK_BYTES }
}

/// Compresses one block, with its end.
fn block(
    session: &mut Session,
    machine: Machine<'_>,
    level: i32,
    input: &[u8],
    is_last: bool,
    to: &mut Output<'_>,
) -> Result<(), DfltccError> {
    let is_dynamic = level > FIXED_LEVEL && input.len() >= MIN_DYNAMIC_BYTES;
    if is_dynamic {
        let sample = &input[..input.len().min(SAMPLE_BYTES)];
        let answer = session.run(machine, Function::GenerateTable, &mut [], sample)?;
        if answer.condition != Condition::Done {
            return Err(DfltccError::Rejected(session.block.ending_code()));
        }
    }
    let block = &mut session.block;
    block.set_dynamic(is_dynamic);
    block.set_last_block(is_last);
    block.set_block_open(false);
    block.set_used_bits(to.bits as u8);
    let (mut at, mut idle) = (0, 0);
    loop {
        // Without a target, the call would end before the block's header and seem to have opened
        // the block.
        if to.len == to.bytes.len() {
            return Err(DfltccError::DoesNotShrink);
        }
        let source = &input[at..];
        let answer = session.run(machine, Function::Compress, &mut to.bytes[to.len..], source)?;
        at += answer.read;
        to.len += answer.written;
        idle = if answer.written + answer.read == 0 { idle + 1 } else { 0 };
        to.bits = session.block.used_bits().into();
        if to.bits > 0 && to.len == to.bytes.len() {
            return Err(DfltccError::Inconsistent("a part of a byte behind its output"));
        }
        match answer.condition {
            Condition::Done if at < input.len() => {
                return Err(DfltccError::Inconsistent("the end of a compression with input left"));
            }
            // The machine holds the end of the block's symbols. The next call has no input.
            Condition::Done if session.block.is_continued() && idle < MAX_IDLE_CALLS => {
                session.block.set_block_open(true);
            }
            Condition::Done if session.block.is_continued() => {
                return Err(DfltccError::Inconsistent("output held back for ever"));
            }
            Condition::Done => break,
            Condition::TargetFull => return Err(DfltccError::DoesNotShrink),
            Condition::Ended => return Err(DfltccError::Rejected(session.block.ending_code())),
            Condition::Again => {
                return Err(DfltccError::Inconsistent("an unfinished call after the last one"));
            }
        }
    }
    match is_dynamic {
        true => {
            let (code, len) = (session.block.end_of_block(), u32::from(session.block.end_of_block_len()));
            if len == 0 {
                return Err(DfltccError::Inconsistent("a table without a code for the end of a block"));
            }
            // The field has the code's first bit on top, and the stream at the bottom.
            to.put(u32::from(code.reverse_bits()) >> 1 & ((1 << len) - 1), len)
        }
        false => to.put(0, FIXED_END_BITS),
    }
}

/// Returns whether a result decompresses to `input`, in software.
pub(crate) fn comes_back(goal: Goal, compressed: &[u8], input: &[u8]) -> bool {
    let mut back = vec![0; input.len()];
    let (format, done) = match goal {
        Goal::Stream(container) => (container.format(), compressed.to_vec()),
        Goal::Part => (Format::Deflate, [compressed, &EMPTY_LAST_BLOCK].concat()),
    };
    let progress = Decoder::new().decompress(format, &done, &mut back);
    progress.is_ok_and(|progress| progress.consumed == done.len() && progress.produced == input.len())
        && back == input
}

/// Compressed bytes, which may end within a byte.
struct Output<'a> {
    bytes: &'a mut [u8],
    /// Length in whole bytes.
    len: usize,
    /// Used bits of the byte behind them, below 8.
    bits: u32,
}

impl Output<'_> {
    /// Appends up to 16 bits, the lowest first.
    fn put(&mut self, value: u32, count: u32) -> Result<(), DfltccError> {
        let first = match self.bits {
            0 => 0,
            bits => u32::from(self.bytes[self.len]) & ((1 << bits) - 1),
        };
        let (value, bits) = (first | value << self.bits, self.bits + count);
        let used = bits.div_ceil(8) as usize;
        let target = self.bytes.get_mut(self.len..self.len + used).ok_or(DfltccError::DoesNotShrink)?;
        target.copy_from_slice(&value.to_le_bytes()[..used]);
        self.len += (bits / 8) as usize;
        self.bits = bits % 8;
        Ok(())
    }

    /// Fills the last byte with zeros.
    fn align(&mut self) {
        if self.bits > 0 {
            self.bytes[self.len] &= (1 << self.bits) - 1;
            self.len += 1;
            self.bits = 0;
        }
    }

    /// Appends bytes at a byte boundary.
    fn append(&mut self, bytes: &[u8]) -> Result<(), DfltccError> {
        let end = self.len + bytes.len();
        self.bytes.get_mut(self.len..end).ok_or(DfltccError::DoesNotShrink)?.copy_from_slice(bytes);
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
