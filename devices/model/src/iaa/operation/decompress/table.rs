//! Decoding tables of a prefix code.

use super::Error;

/// Bits of the first look-up. Most codes are no longer, and the table is filled faster than a page
/// is decoded.
const FIRST_BITS: u32 = 10;
/// The longest code of DEFLATE.
pub(super) const MAX_LENGTH: usize = 15;

/// A code: its bits, the first one highest, and its length, 0 for a symbol that does not occur.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) length: u8,
}

/// An entry has the code's length in its low byte, 0 for none, and the symbol's
/// [meaning](Table::new) above. With [`SUBTABLE`] it is a table link: number of index bits, and
/// start of the second-level table.
pub(super) type Entry = u32;

/// Flag of a table link.
const SUBTABLE: u32 = 1 << 31;

/// A table of two levels.
#[derive(Clone, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

/// Returns the canonical codes of these lengths (RFC 1951, 3.2.2).
pub(super) fn canonical(lengths: &[u8]) -> Vec<Code> {
    let mut counts = [0u16; MAX_LENGTH + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0u16; MAX_LENGTH + 2];
    for length in 1..=MAX_LENGTH {
        next[length + 1] = (next[length].wrapping_add(counts[length])) << 1;
    }
    let code = |&length: &u8| {
        let bits = &mut next[usize::from(length)];
        *bits = bits.wrapping_add(1);
        Code { bits: if length == 0 { 0 } else { *bits - 1 }, length }
    };
    lengths.iter().map(code).collect()
}

/// Completeness of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fill {
    /// There is no code.
    Empty,
    /// One symbol, with one bit.
    Single,
    /// Some bit sequences match no code.
    Incomplete,
    /// All bit sequences match a code.
    Complete,
    /// There are more codes than fit.
    Oversubscribed,
}

impl Fill {
    pub(super) fn of(lengths: impl Iterator<Item = u8> + Clone) -> Fill {
        let whole = 1u32 << MAX_LENGTH;
        let sum: u32 = lengths.clone().filter(|length| *length > 0).map(|length| whole >> length).sum();
        match sum {
            0 => Fill::Empty,
            sum if sum == whole => Fill::Complete,
            sum if sum > whole => Fill::Oversubscribed,
            _ if lengths.filter(|length| *length > 0).eq([1]) => Fill::Single,
            _ => Fill::Incomplete,
        }
    }
}

impl Table {
    /// Returns the table of these codes. `meaning` gives the entry of each symbol, without the
    /// length in its low byte.
    pub(super) fn new(codes: &[Code], meaning: impl Fn(usize) -> u32) -> Result<Table, Error> {
        let mut entries: Vec<Entry> = vec![0; 1 << FIRST_BITS];
        // For each prefix of long codes, the maximum number of further bits.
        let mut follow = vec![0u32; 1 << FIRST_BITS];
        for code in codes.iter().filter(|code| u32::from(code.length) > FIRST_BITS) {
            let (reversed, length) = reverse(*code);
            let first = &mut follow[(reversed & FIRST_MASK) as usize];
            *first = (*first).max(length - FIRST_BITS);
        }
        for (first, bits) in follow.iter().enumerate().filter(|(_, bits)| **bits > 0) {
            entries[first] = SUBTABLE | (entries.len() as u32) << 8 | bits;
            entries.resize(entries.len() + (1 << bits), 0);
        }
        // Long codes first: codes from an AECS may be arbitrary, and a link has to lead to a
        // second-level table.
        let long = |code: &Code| u32::from(code.length) > FIRST_BITS;
        let symbols = || codes.iter().enumerate().filter(|(_, code)| code.length > 0);
        for (symbol, code) in
            symbols().filter(|(_, code)| long(code)).chain(symbols().filter(|(_, code)| !long(code)))
        {
            let (reversed, length) = reverse(*code);
            if u32::from(code.bits) >> length != 0 {
                return Err(Error::InvalidAecs);
            }
            let entry = meaning(symbol) | length;
            let (start, size, first, step) = if length <= FIRST_BITS {
                (0, 1 << FIRST_BITS, reversed, 1 << length)
            } else {
                let sub = entries[(reversed & FIRST_MASK) as usize];
                let start = ((sub & !SUBTABLE) >> 8) as usize;
                (start, 1 << (sub & 0xFF), reversed >> FIRST_BITS, 1 << (length - FIRST_BITS))
            };
            for index in (first as usize..size).step_by(step) {
                entries[start + index] = entry;
            }
        }
        Ok(Table { entries })
    }

    /// Returns the entry of the code at the start of these bits; 0 if there is none.
    #[inline]
    pub(super) fn look_up(&self, bits: u64) -> Entry {
        let entry = self.entries[bits as usize & FIRST_MASK as usize];
        if entry & SUBTABLE == 0 {
            return entry;
        }
        let start = ((entry & !SUBTABLE) >> 8) as usize;
        let index = (bits >> FIRST_BITS) as usize & ((1 << (entry & 0xFF)) - 1);
        self.entries[start + index]
    }
}

const FIRST_MASK: u32 = (1 << FIRST_BITS) - 1;

/// Returns a code with its first bit lowest, in the order of the stream, and its length.
fn reverse(code: Code) -> (u32, u32) {
    let length = u32::from(code.length);
    (u32::from(code.bits.reverse_bits()) >> (16 - length), length)
}
