//! Header of a block.

use super::Error;
use super::bits::{Bits, NoInput};
use super::codes::Codes;
use super::table::{Fill, Table, canonical};

/// Type of a block.
pub(super) enum Block {
    /// Stored, with this length.
    Stored(u16),
    /// Compressed with these codes.
    Symbols(Box<Codes>),
}

/// Reason for the lack of a header.
pub(super) enum Stop {
    /// The input ended.
    NoInput,
    /// The data is bad.
    Error(Error),
}

impl From<NoInput> for Stop {
    fn from(_: NoInput) -> Stop {
        Stop::NoInput
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// Reads a block's header, and whether the block is final. If the input ends within it, some bits
/// have been taken.
pub(super) fn read(bits: &mut Bits<'_>) -> Result<(Block, bool), Stop> {
    let is_final = bits.take(1)? == 1;
    let block = match bits.take(2)? {
        0 => Block::Stored(stored(bits)?),
        1 => Block::Symbols(Box::new(Codes::fixed())),
        2 => Block::Symbols(Box::new(dynamic(bits)?)),
        _ => return Err(Error::BadBlockType.into()),
    };
    Ok((block, is_final))
}

fn stored(bits: &mut Bits<'_>) -> Result<u16, Stop> {
    bits.align();
    let (length, complement) = (bits.take(16)?, bits.take(16)?);
    if length ^ complement != 0xFFFF {
        return Err(Error::StoredLengthMismatch.into());
    }
    Ok(length as u16)
}

/// Order of the lengths of the code for code lengths (RFC 1951, 3.2.7).
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Maximum number of codes of literals and lengths, and of distances.
const MAX_CODES: (usize, usize) = (286, 30);

fn dynamic(bits: &mut Bits<'_>) -> Result<Codes, Stop> {
    let literals = bits.take(5)? as usize + 257;
    let distances = bits.take(5)? as usize + 1;
    if literals > MAX_CODES.0 {
        return Err(Error::TooManyLiteralCodes.into());
    }
    if distances > MAX_CODES.1 {
        return Err(Error::TooManyDistanceCodes.into());
    }
    let given = bits.take(4)? as usize + 4;
    let mut code_lengths = [0; 19];
    for symbol in &ORDER[..given] {
        code_lengths[*symbol] = bits.take(3)? as u8;
    }
    let lengths = lengths(bits, &code_lengths, literals + distances)?;
    Ok(Codes::of_lengths(&lengths[..literals], &lengths[literals..])?)
}

/// Reads the lengths of both codes. They are one sequence, and a repetition may cross from literals
/// to distances (RFC 1951, 3.2.7), so the device's errors for that don't occur.
fn lengths(bits: &mut Bits<'_>, code_lengths: &[u8; 19], total: usize) -> Result<Vec<u8>, Stop> {
    match Fill::of(code_lengths.iter().copied()) {
        Fill::Oversubscribed => return Err(Error::OversubscribedCodeLengths.into()),
        Fill::Empty | Fill::Incomplete => return Err(Error::BadCodeLengthCode.into()),
        Fill::Single | Fill::Complete => {}
    }
    let table = Table::new(&canonical(code_lengths), |symbol| (symbol as u32) << 8)?;
    let mut lengths = Vec::with_capacity(total);
    while lengths.len() < total {
        bits.refill();
        let entry = table.look_up(bits.buffer());
        let length = entry & 0xFF;
        if length == 0 && bits.count() > 0 {
            return Err(Error::BadCodeLengthCode.into());
        }
        if length == 0 || length > bits.count() {
            return Err(Stop::NoInput);
        }
        bits.skip(length);
        let (value, count) = match entry >> 8 {
            16 => {
                let last = lengths.last().copied().ok_or(Error::FirstLiteralRepeats)?;
                (last, bits.take(2)? + 3)
            }
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            plain => (plain as u8, 1),
        };
        lengths.resize(lengths.len() + count as usize, value);
    }
    if lengths.len() > total {
        return Err(Error::WrongDistanceCount.into());
    }
    Ok(lengths)
}
