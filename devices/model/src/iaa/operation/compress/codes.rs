//! Huffman codes that software has put into the AECS: fixed, canned, or made from a histogram.

use pelton_device_iaa::hw::aecs::compress as layout;

use crate::iaa::operation::image::read_u32;

/// The longest code of DEFLATE.
const MAX_CODE_BITS: u32 = 15;

/// A code, ready to be written from the least significant bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Code {
    /// Bits of the code, the first one lowest.
    pub bits: u32,
    /// Number of bits, 1 to 15.
    pub length: u32,
}

/// The codes of both alphabets; none for a symbol that has no code.
pub(super) struct Codes {
    literals: Vec<Option<Code>>,
    distances: Vec<Option<Code>>,
}

impl Codes {
    /// Returns the codes of an AECS image; none if the image is too short.
    pub(super) fn of(aecs: &[u8]) -> Option<Codes> {
        let table = |offset, symbols| -> Option<Vec<Option<Code>>> {
            (0..symbols).map(|symbol| read_u32(aecs, offset + 4 * symbol).map(code)).collect()
        };
        Some(Codes {
            literals: table(layout::LITERAL_CODES, layout::LITERALS)?,
            distances: table(layout::DISTANCE_CODES, layout::DISTANCES)?,
        })
    }

    /// Returns the code of a literal, a length or the end of the block.
    pub(super) fn literal(&self, symbol: usize) -> Option<Code> {
        *self.literals.get(symbol)?
    }

    /// Returns the code of a distance.
    pub(super) fn distance(&self, symbol: usize) -> Option<Code> {
        *self.distances.get(symbol)?
    }
}

/// Returns the code of a table's entry. Entries have the first bit of a code as the highest, like
/// RFC 1951. Streams have it lowest, so the bits are reversed here, as in the device.
fn code(entry: u32) -> Option<Code> {
    let length = entry >> layout::LENGTH_SHIFT;
    let number = entry & ((1 << layout::LENGTH_SHIFT) - 1);
    if length == 0 || length > MAX_CODE_BITS || number >> length != 0 {
        return None;
    }
    Some(Code { bits: number.reverse_bits() >> (u32::BITS - length), length })
}

#[cfg(test)]
mod tests;
