//! Tables that decode a prefix code.

use super::Error;

/// Bits of the first lookup: most codes are no longer, and filling the table costs less than a
/// page's decoding.
const FIRST_BITS: u32 = 10;
/// The longest code of DEFLATE.
pub(super) const LONGEST: usize = 15;

/// One code: its bits, the first of them highest, and their number, 0 where the symbol does not
/// occur.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Code {
    pub(super) bits: u16,
    pub(super) length: u8,
}

/// What a lookup finds: bits 7:0 the length of the code, 0 for none; bits 31:8 the symbol's
/// [meaning](Table::new), or, with [`SUBTABLE`], where the second table begins, of which bits 7:0
/// give the number of index bits.
pub(super) type Entry = u32;

/// The lookup has to be repeated with more bits.
const SUBTABLE: u32 = 1 << 31;

/// A table of two levels.
#[derive(Clone, Default)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

/// Canonical codes for these lengths (RFC 1951, 3.2.2).
pub(super) fn canonical(lengths: &[u8]) -> Vec<Code> {
    let mut counts = [0u16; LONGEST + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0u16; LONGEST + 2];
    for length in 1..=LONGEST {
        next[length + 1] = (next[length].wrapping_add(counts[length])) << 1;
    }
    let code = |&length: &u8| {
        let bits = &mut next[usize::from(length)];
        *bits = bits.wrapping_add(1);
        Code { bits: if length == 0 { 0 } else { *bits - 1 }, length }
    };
    lengths.iter().map(code).collect()
}

/// How full a code is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fill {
    /// No symbol has a code.
    Empty,
    /// One symbol, with one bit.
    Single,
    /// Some bits are no code.
    Incomplete,
    /// All bits are a code.
    Complete,
    /// There are more codes than fit.
    Oversubscribed,
}

impl Fill {
    pub(super) fn of(lengths: impl Iterator<Item = u8> + Clone) -> Fill {
        let whole = 1u32 << LONGEST;
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
    /// The table of some codes. `meaning` gives bits 30:8 of the entry for each symbol, the lowest
    /// 8 bits being zero.
    pub(super) fn new(codes: &[Code], meaning: impl Fn(usize) -> u32) -> Result<Table, Error> {
        let mut entries: Vec<Entry> = vec![0; 1 << FIRST_BITS];
        // For each first part that long codes share, the most bits that follow it.
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
        // Long ones first: codes from an AECS may be anything, and what is found in a first entry
        // has to be a second table.
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

    /// The entry for the code that these bits begin with; 0 if there is none.
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

/// A code with its first bit lowest, as it comes in the stream, and its length.
fn reverse(code: Code) -> (u32, u32) {
    let length = u32::from(code.length);
    (u32::from(code.bits.reverse_bits()) >> (16 - length), length)
}
