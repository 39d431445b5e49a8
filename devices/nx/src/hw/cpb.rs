//! Coprocessor parameter block (CPB): checksums, history, table and state of a stream, before and
//! after a request.
//!
//! Input and output have the same layout: the output part of a suspended decompression is the input
//! part of the request that continues it.

use super::{Function, HISTORY_UNIT};

/// A parameter block. It follows the status block in memory.
#[derive(Clone)]
#[repr(C, align(16))]
pub struct Cpb([u8; Cpb::BYTES]);

/// Size of the input part in bytes: the fields, and a table.
const INPUT: usize = 19 * 16;
/// Offset of the output part.
const OUTPUT: usize = 384;
/// Offset of the symbol counts, which take the place of the output table.
const COUNTS: usize = 400;

// Offsets within a part.
const ADLER: usize = 0;
const CRC: usize = 4;
/// 12 bits.
const HISTORY: usize = 8;
/// Bits of the last target byte, in the lowest three bits.
const LAST_BITS: usize = 9;
const UNUSED_BITS: usize = 10;
/// The lowest four bits.
const STATE: usize = 13;
/// The remaining bytes of a stored block, or the length of the table in bits.
const LENGTH: usize = 14;
const TABLE: usize = 16;

/// The table's length has this number of bits.
const TABLE_LENGTH_MASK: u16 = 0xfff;

/// The two checksums of the uncompressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksums {
    /// Adler-32.
    pub adler: u32,
    /// CRC-32.
    pub crc: u32,
}

impl Checksums {
    /// Checksums of no bytes.
    pub const START: Checksums = Checksums { adler: 1, crc: 0 };
}

/// Position of a decompression in its stream (SFBT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// After the end of the final block.
    Ended,
    /// In a stored block.
    Stored {
        /// Whether it is the final one.
        is_final: bool,
    },
    /// In a block with the fixed table.
    Fixed {
        /// Whether it is the final one.
        is_final: bool,
    },
    /// In a block with a table of its own, which the parameter block has.
    Dynamic {
        /// Whether it is the final one.
        is_final: bool,
    },
    /// In the header of a block, or between two blocks.
    Header {
        /// Whether it is the final one.
        is_final: bool,
    },
}

impl StreamState {
    /// Returns the four bits of the field.
    pub fn bits(self) -> u8 {
        match self {
            StreamState::Ended => 0,
            StreamState::Stored { is_final } => 0b1000 | u8::from(is_final),
            StreamState::Fixed { is_final } => 0b1010 | u8::from(is_final),
            StreamState::Dynamic { is_final } => 0b1100 | u8::from(is_final),
            StreamState::Header { is_final } => 0b1110 | u8::from(is_final),
        }
    }

    /// Returns the state of four bits; none for the values without a meaning.
    pub fn from_bits(bits: u8) -> Option<StreamState> {
        let is_final = bits & 1 == 1;
        match bits >> 1 {
            0 if !is_final => Some(StreamState::Ended),
            0b100 => Some(StreamState::Stored { is_final }),
            0b101 => Some(StreamState::Fixed { is_final }),
            0b110 => Some(StreamState::Dynamic { is_final }),
            0b111 => Some(StreamState::Header { is_final }),
            _ => None,
        }
    }
}

/// Symbol counts of a compression: literals and lengths, then distances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolCounts {
    /// Counts of literals, of the end of the block and of lengths.
    pub literals: [u32; 286],
    /// Counts of distances.
    pub distances: [u32; 30],
}

/// The fields of the input or output part.
pub struct Fields<'a>(&'a [u8]);

/// The fields of the input or output part, to be written.
pub struct FieldsMut<'a>(&'a mut [u8]);

impl Cpb {
    /// Size in bytes.
    pub const BYTES: usize = 105 * 16;
    /// Maximum length of a table in bytes.
    pub const TABLE_BYTES: usize = 288;
    /// Minimum and maximum length of a table in bits.
    pub const TABLE_BITS: std::ops::RangeInclusive<usize> = 42..=2283;

    /// Returns a block of zeros.
    pub const fn new() -> Cpb {
        Cpb([0; Cpb::BYTES])
    }

    /// Returns the block with these bytes.
    pub fn from_bytes(bytes: [u8; Cpb::BYTES]) -> Cpb {
        Cpb(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; Cpb::BYTES] {
        &self.0
    }

    /// Returns the input part.
    pub fn input(&self) -> Fields<'_> {
        Fields(&self.0[..INPUT])
    }

    /// Returns the input part, to be written.
    pub fn input_mut(&mut self) -> FieldsMut<'_> {
        FieldsMut(&mut self.0[..INPUT])
    }

    /// Returns the output part.
    pub fn output(&self) -> Fields<'_> {
        Fields(&self.0[OUTPUT..OUTPUT + INPUT])
    }

    /// Returns the output part, to be written.
    pub fn output_mut(&mut self) -> FieldsMut<'_> {
        FieldsMut(&mut self.0[OUTPUT..OUTPUT + INPUT])
    }

    /// Returns the range of the output part, up to the source's byte count.
    pub fn output_range(function: Function) -> std::ops::Range<usize> {
        OUTPUT..source_bytes_at(function) + 4
    }

    /// Makes the input part continue a suspended decompression: its state is that of the output
    /// part. The history's length is zero until it is set.
    pub fn continue_stream(&mut self) {
        self.0.copy_within(OUTPUT..OUTPUT + INPUT, 0);
        let unused = self.input().unused_bits() % 8;
        let mut input = self.input_mut();
        input.set_unused_bits(unused);
        input.set_last_bits(0);
        input.set_history(0);
    }

    /// Returns the number of source bytes that the engine has processed (SPBC), with the history.
    pub fn source_bytes(&self, function: Function) -> u32 {
        super::be32(&self.0, source_bytes_at(function))
    }

    /// Sets the number of processed source bytes.
    pub fn set_source_bytes(&mut self, function: Function, bytes: u32) {
        let at = source_bytes_at(function);
        self.0[at..at + 4].copy_from_slice(&bytes.to_be_bytes());
    }

    /// Returns the symbol counts.
    pub fn counts(&self) -> SymbolCounts {
        let count = |index: usize| super::be32(&self.0, COUNTS + 4 * index);
        SymbolCounts {
            literals: std::array::from_fn(count),
            distances: std::array::from_fn(|index| count(286 + index)),
        }
    }

    /// Sets the symbol counts.
    pub fn set_counts(&mut self, counts: &SymbolCounts) {
        let all = counts.literals.iter().chain(&counts.distances);
        for (bytes, count) in self.0[COUNTS..].chunks_exact_mut(4).zip(all) {
            bytes.copy_from_slice(&count.to_be_bytes());
        }
    }
}

impl Default for Cpb {
    fn default() -> Cpb {
        Cpb::new()
    }
}

/// Returns the offset of the source's byte count, which depends on the outputs before it.
fn source_bytes_at(function: Function) -> usize {
    match function {
        Function::Compress { count: false, .. } | Function::Wrap => 25 * 16,
        Function::Decompress { .. } => 43 * 16,
        Function::Compress { count: true, .. } => 104 * 16,
    }
}

impl Fields<'_> {
    /// Returns the checksums.
    pub fn checksums(&self) -> Checksums {
        // The CRC is in the order of a gzip trailer.
        let crc = super::be32(self.0, CRC).swap_bytes();
        Checksums { adler: super::be32(self.0, ADLER), crc }
    }

    /// Returns the length of the history in bytes.
    pub fn history(&self) -> usize {
        let units = u16::from_be_bytes([self.0[HISTORY], self.0[HISTORY + 1]]) >> 4;
        usize::from(units) * HISTORY_UNIT
    }

    /// Returns the number of valid bits in the last target byte (TEBC); zero means all.
    pub fn last_bits(&self) -> u8 {
        self.0[LAST_BITS] & 7
    }

    /// Returns the number of source bits that were read and not used (SUBC). As an input: the bits
    /// of the first source byte that are still to be used; zero means all.
    pub fn unused_bits(&self) -> u16 {
        u16::from_be_bytes([self.0[UNUSED_BITS], self.0[UNUSED_BITS + 1]])
    }

    /// Returns the position in the stream; none if the bits have no meaning.
    pub fn state(&self) -> Option<StreamState> {
        StreamState::from_bits(self.0[STATE] & 0xf)
    }

    /// Returns the remaining bytes of a stored block.
    pub fn remaining(&self) -> u16 {
        u16::from_be_bytes([self.0[LENGTH], self.0[LENGTH + 1]])
    }

    /// Returns the length of the table in bits.
    pub fn table_bits(&self) -> usize {
        usize::from(self.remaining() & TABLE_LENGTH_MASK)
    }

    /// Returns the bytes of the table: a block's header without its first three bits.
    pub fn table(&self) -> &[u8] {
        &self.0[TABLE..]
    }
}

impl FieldsMut<'_> {
    /// Clears all fields and the table.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Sets the checksums.
    pub fn set_checksums(&mut self, sums: Checksums) {
        self.0[ADLER..CRC].copy_from_slice(&sums.adler.to_be_bytes());
        self.0[CRC..HISTORY].copy_from_slice(&sums.crc.to_le_bytes());
    }

    /// Sets the length of the history in bytes, a multiple of [`HISTORY_UNIT`].
    pub fn set_history(&mut self, bytes: usize) {
        let units = (bytes / HISTORY_UNIT) as u16;
        self.0[HISTORY] = (units >> 4) as u8;
        self.0[HISTORY + 1] = (units << 4) as u8 | self.0[HISTORY + 1] & 0xf;
    }

    /// Sets the number of valid bits in the last target byte.
    pub fn set_last_bits(&mut self, bits: u8) {
        self.0[LAST_BITS] = self.0[LAST_BITS] & !7 | bits & 7;
    }

    /// Sets the number of unused source bits.
    pub fn set_unused_bits(&mut self, bits: u16) {
        self.0[UNUSED_BITS..UNUSED_BITS + 2].copy_from_slice(&bits.to_be_bytes());
    }

    /// Sets the position in the stream.
    pub fn set_state(&mut self, state: StreamState) {
        self.0[STATE] = state.bits();
    }

    /// Sets the remaining bytes of a stored block.
    pub fn set_remaining(&mut self, bytes: u16) {
        self.0[LENGTH..TABLE].copy_from_slice(&bytes.to_be_bytes());
    }

    /// Sets the table and its length in bits. Bytes beyond the field are ignored.
    pub fn set_table(&mut self, table: &[u8], bits: usize) {
        self.set_remaining(bits as u16 & TABLE_LENGTH_MASK);
        let len = table.len().min(Cpb::TABLE_BYTES);
        self.0[TABLE..TABLE + len].copy_from_slice(&table[..len]);
    }
}
