//! Analytics engine configuration and state (AECS): the input of an operation, and the state for
//! its continuation.
//!
//! Two adjacent images are at the address of source 2. An operation reads one and writes the other,
//! as the toggle flag tells. Offsets are in bytes from the start of an image.

/// Alignment of an image's address and size.
pub const ALIGNMENT: usize = 32;

/// Fields of the AECS of filter operations and decompression.
pub mod decompress {
    /// Length of an image with only the filter's parameters.
    pub const FILTER_BYTES: usize = 0x20;
    /// Length of a complete image with codes and history.
    pub const BYTES: usize = 0x1500;
    /// u32: CRC to continue from, then the result.
    pub const CRC: usize = 0x00;
    /// u32, XOR checksum in the low 16 bits.
    pub const XOR: usize = 0x04;
    /// u32: lower bound of the filter, inclusive.
    pub const FILTER_LOW: usize = 0x08;
    /// u32: upper bound of the filter, inclusive.
    pub const FILTER_HIGH: usize = 0x0C;
    /// u32: added to each index that is written.
    pub const OUTPUT_MODIFIER: usize = 0x10;
    /// u16: decompressed bytes to skip before the filter's first element.
    pub const DROP_INITIAL_BYTES: usize = 0x14;
    /// u32 × 2: output that did not fill a group of 8 bytes.
    pub const OUTPUT_ACCUMULATOR: usize = 0xA8;
    /// u32: bits in the output accumulator.
    pub const OUTPUT_BITS: usize = 0xB0;
    /// u32: bit offset of the current index entry.
    pub const INDEX_BIT_OFFSET: usize = 0xB4;
    /// u64 × 32: input that is not decoded yet.
    pub const INPUT_ACCUMULATOR: usize = 0xB8;
    /// u8 × 32: valid bits in each word of the input accumulator.
    pub const INPUT_BITS: usize = 0x1B8;
    /// u32: code of the end-of-block symbol.
    pub const EOB: usize = 0x1D8;
    /// u8: bits to skip at the start of the input (later devices).
    pub const DROP_INITIAL_BITS: usize = 0x1DC;
    /// u8: 0 for the first format of this structure.
    pub const FORMAT: usize = 0x1DD;
    /// u32 × 5: index in the mapping table of the first literal code of each length.
    pub const LITERAL_TABLE_INDEX: usize = 0x1E0;
    /// u32 × 5: number of codes of each length.
    pub const LITERAL_COUNTS: usize = 0x1F4;
    /// u32 × 5: the first code of each length.
    pub const LITERAL_FIRST_CODE: usize = 0x208;
    /// u32 × 5: the first code of the length symbols of each length.
    pub const LITERAL_FIRST_LENGTH: usize = 0x21C;
    /// 248 bytes: length codes and distance codes.
    pub const CODES: usize = 0x230;
    /// u8 × 268: mapping table of the literals.
    pub const LITERAL_MAP: usize = 0x328;
    /// u16: [decoder state](state).
    pub const STATE: usize = 0x434;
    /// u16: unused bits of the last input byte.
    pub const UNUSED_BITS: usize = 0x436;
    /// u16: remaining bytes of a stored block.
    pub const STORED_LEFT: usize = 0x438;
    /// u16: write position in the history; the highest bit tells that it has wrapped.
    pub const HISTORY_OFFSET: usize = 0x4E4;
    /// Ring of the last output bytes.
    pub const HISTORY: usize = 0x4E8;
    /// Size of the history, which is the sliding window of the device.
    pub const HISTORY_BYTES: usize = 4096;

    /// Values of [`STATE`].
    pub mod state {
        /// At a symbol of a block that is not final.
        pub const SYMBOL: u16 = 0;
        /// At a block's header.
        pub const HEADER: u16 = 1;
        /// In a stored block that is not final.
        pub const STORED: u16 = 2;
        /// Added to [`SYMBOL`] and [`STORED`] in the final block.
        pub const FINAL: u16 = 4;
        /// Ended by an end-of-block symbol.
        pub const ENDED: u16 = 8;
    }
}

/// Fields of the AECS of compression.
pub mod compress {
    /// Length of an image.
    pub const BYTES: usize = 0x620;
    /// u32: CRC to continue from, then the result.
    pub const CRC: usize = 0x00;
    /// u32, XOR checksum in the low 16 bits.
    pub const XOR: usize = 0x04;
    /// u32: bits in the accumulator.
    pub const OUTPUT_BITS: usize = 0x1C;
    /// Bits to write before the first symbol, such as the block's header.
    pub const OUTPUT_ACCUMULATOR: usize = 0x20;
    /// Length of the accumulator.
    pub const ACCUMULATOR_BYTES: usize = 256;
    /// Bytes of the accumulator to keep free for the end-of-block symbol.
    pub const ACCUMULATOR_RESERVED: usize = 34;
    /// Codes of literals and lengths, a u32 each. The low bits have the code as RFC 1951 computes
    /// it, with the bit that comes first in the stream as the highest; the bits from
    /// [`LENGTH_SHIFT`] up have its length.
    pub const LITERAL_CODES: usize = 0x120;
    /// Number of [`LITERAL_CODES`].
    pub const LITERALS: usize = 286;
    /// Codes of distances, a u32 each.
    pub const DISTANCE_CODES: usize = 0x5A0;
    /// Number of [`DISTANCE_CODES`].
    pub const DISTANCES: usize = 30;
    /// Position of a code's length.
    pub const LENGTH_SHIFT: u32 = 15;
    /// Length of a histogram: a u32 for each code, with a gap after each of the two tables.
    pub const HISTOGRAM_BYTES: usize = 1280;
    /// Offset of the distance counts in a histogram.
    pub const HISTOGRAM_DISTANCES: usize = DISTANCE_CODES - LITERAL_CODES;
}
