//! Codes of a block in an AECS, with which the next operation continues inside the block.
//!
//! Literals have the device's first format: for each length the number of codes, the first code,
//! and its index in a table of symbols. The format for lengths and distances is unknown, so their
//! fields have entries like those of the compressor's AECS. Images without these entries, which
//! software makes for data without matches, are valid.

use pelton_device_iaa::hw::aecs::compress::LENGTH_SHIFT;
use pelton_device_iaa::hw::aecs::decompress as at;

use super::Error;
use super::codes::{Codes, DISTANCES, END, LITERALS};
use super::table::{Code, Fill, MAX_LENGTH};
use crate::iaa::operation::image::Image;

/// Number of symbols after the end of the block.
const OTHERS: usize = LITERALS - END - 1;

/// Code lengths in each of five words. A field has one bit more than the code.
const PACKED: [std::ops::RangeInclusive<usize>; 5] = [1..=6, 7..=9, 10..=11, 12..=13, 14..=15];

fn pack(values: &[u16; MAX_LENGTH + 1]) -> [u8; 20] {
    let mut bytes = [0; 20];
    for (lengths, to) in PACKED.iter().cloned().zip(bytes.chunks_exact_mut(4)) {
        let (mut word, mut shift) = (0u32, 0);
        for length in lengths {
            word |= u32::from(values[length]) << shift;
            shift += length + 1;
        }
        to.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn unpack(bytes: [u8; 20]) -> [u16; MAX_LENGTH + 1] {
    let mut values = [0; MAX_LENGTH + 1];
    for (lengths, from) in PACKED.iter().cloned().zip(bytes.as_chunks::<4>().0) {
        let mut word = u64::from(u32::from_le_bytes(*from));
        for length in lengths {
            values[length] = (word & ((1 << (length + 1)) - 1)) as u16;
            word >>= length + 1;
        }
    }
    values
}

fn entry(code: Code) -> u32 {
    u32::from(code.length) << LENGTH_SHIFT | u32::from(code.bits)
}

/// Writes a block's codes to an image.
pub(super) fn write(codes: &Codes, image: &mut Image<&mut [u8]>) {
    let mut counts = [0; MAX_LENGTH + 1];
    let mut first_code = [0; MAX_LENGTH + 1];
    let mut first_index = [0; MAX_LENGTH + 1];
    // All ones mean that no length symbol has this length.
    let mut first_length: [u16; MAX_LENGTH + 1] =
        std::array::from_fn(|length| ((1u32 << (length + 1)) - 1) as u16);
    let mut map = Vec::with_capacity(END);
    for length in 1..=MAX_LENGTH {
        let has = |code: &&Code| usize::from(code.length) == length;
        first_index[length] = map.len() as u16;
        first_code[length] = codes.literals[..END].iter().find(has).map_or(0, |code| code.bits);
        if let Some(code) = codes.literals[END + 1..].iter().find(has) {
            first_length[length] = code.bits;
        }
        let symbols = codes.literals[..END].iter().enumerate().filter(|(_, code)| has(code));
        map.extend(symbols.map(|(symbol, _)| symbol as u8));
        counts[length] = map.len() as u16 - first_index[length];
    }
    image.put(at::LITERAL_COUNTS, &pack(&counts));
    image.put(at::LITERAL_FIRST_CODE, &pack(&first_code));
    image.put(at::LITERAL_TABLE_INDEX, &pack(&first_index));
    image.put(at::LITERAL_FIRST_LENGTH, &pack(&first_length));
    image.put(at::LITERAL_MAP, &map);
    image.put(at::EOB, &entry(codes.literals[END]).to_le_bytes());
    for (index, code) in codes.literals[END + 1..].iter().chain(&codes.distances).enumerate() {
        image.put(at::CODES + index * 4, &entry(*code).to_le_bytes());
    }
}

/// Reads the codes in an image.
pub(super) fn read(image: &Image<&[u8]>) -> Result<([Code; LITERALS], [Code; DISTANCES]), Error> {
    let mut codes = ([Code::default(); LITERALS], [Code::default(); DISTANCES]);
    let counts = unpack(image.get(at::LITERAL_COUNTS));
    let first_code = unpack(image.get(at::LITERAL_FIRST_CODE));
    let first_index = unpack(image.get(at::LITERAL_TABLE_INDEX));
    for length in 1..=MAX_LENGTH {
        for nth in 0..counts[length] {
            let index = usize::from(first_index[length]) + usize::from(nth);
            let &[symbol] = image.bytes(at::LITERAL_MAP + index, 1) else { return Err(Error::InvalidAecs) };
            let bits = first_code[length].checked_add(nth).ok_or(Error::InvalidAecs)?;
            if index >= END {
                return Err(Error::InvalidAecs);
            }
            codes.0[usize::from(symbol)] = Code { bits, length: length as u8 };
        }
    }
    codes.0[END] = code(image.u32(at::EOB))?;
    for index in 0..OTHERS + DISTANCES {
        let code = code(image.u32(at::CODES + index * 4))?;
        match index.checked_sub(OTHERS) {
            None => codes.0[END + 1 + index] = code,
            Some(distance) => codes.1[distance] = code,
        }
    }
    let oversubscribed =
        |codes: &[Code]| Fill::of(codes.iter().map(|code| code.length)) == Fill::Oversubscribed;
    if oversubscribed(&codes.0) || oversubscribed(&codes.1) {
        return Err(Error::InvalidAecs);
    }
    Ok(codes)
}

fn code(entry: u32) -> Result<Code, Error> {
    match entry >> LENGTH_SHIFT {
        0 => Ok(Code::default()),
        length @ 1..=15 => Ok(Code { bits: (entry & 0x7FFF) as u16, length: length as u8 }),
        _ => Err(Error::InvalidAecs),
    }
}
