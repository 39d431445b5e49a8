//! The analytics engine's configuration and state: what an operation starts with, and what the next
//! one needs to go on.
//!
//! Two images lie side by side at the address of source 2. An operation reads one and writes the
//! other; the toggle flag says which. Offsets are in bytes from an image's start.

/// An image's address and size are multiples of this.
pub const ALIGNMENT: usize = 32;

/// Fields of the AECS of filter operations and decompression.
pub mod decompress {
    /// An image with nothing but the filter's parameters.
    pub const FILTER_BYTES: usize = 0x20;
    /// A whole image: codes and history too.
    pub const BYTES: usize = 0x1500;
    /// u32: CRC to go on from, then the result.
    pub const CRC: usize = 0x00;
    /// u32, of which 16 bits are used: XOR checksum.
    pub const XOR: usize = 0x04;
    /// u32: lower bound of the filter, inclusive.
    pub const FILTER_LOW: usize = 0x08;
    /// u32: upper bound of the filter, inclusive.
    pub const FILTER_HIGH: usize = 0x0C;
    /// u32: added to each index that is written.
    pub const OUTPUT_MODIFIER: usize = 0x10;
    /// u16: decompressed bytes to leave out before the filter's first element.
    pub const DROP_INITIAL_BYTES: usize = 0x14;
    /// u32 × 2: output that was not yet a whole group of 8 bytes.
    pub const OUTPUT_ACCUMULATOR: usize = 0xA8;
    /// u32: bits in it.
    pub const OUTPUT_BITS: usize = 0xB0;
    /// u32: bit offset of the index entry in the making.
    pub const INDEX_BIT_OFFSET: usize = 0xB4;
    /// u64 × 32: input that was read and not decoded.
    pub const INPUT_ACCUMULATOR: usize = 0xB8;
    /// u8 × 32: bits valid in each of them.
    pub const INPUT_BITS: usize = 0x1B8;
    /// u32: code of the end-of-block symbol.
    pub const EOB: usize = 0x1D8;
    /// u8: bits of the input to leave out at its start (later devices).
    pub const DROP_INITIAL_BITS: usize = 0x1DC;
    /// u8: 0 for the first format of this structure.
    pub const FORMAT: usize = 0x1DD;
    /// u32 × 5: for the codes of literals and lengths, by length, the index of the first in the
    /// mapping table.
    pub const LITERAL_TABLE_INDEX: usize = 0x1E0;
    /// u32 × 5: how many codes there are of each length.
    pub const LITERAL_COUNTS: usize = 0x1F4;
    /// u32 × 5: the first code of each length.
    pub const LITERAL_FIRST_CODE: usize = 0x208;
    /// u32 × 5: the first code of the length symbols of each length.
    pub const LITERAL_FIRST_LENGTH: usize = 0x21C;
    /// 248 bytes: length codes and distance codes.
    pub const CODES: usize = 0x230;
    /// u8 × 268: mapping table of the literals.
    pub const LITERAL_MAP: usize = 0x328;
    /// u16: [where decoding is](state).
    pub const STATE: usize = 0x434;
    /// u16: bits of the last input that were not used.
    pub const UNUSED_BITS: usize = 0x436;
    /// u16: bytes that a stored block still has.
    pub const STORED_LEFT: usize = 0x438;
    /// u16: where the next byte goes in the history, bits 14:0; bit 15 says that it has wrapped.
    pub const HISTORY_OFFSET: usize = 0x4E4;
    /// The last 4096 bytes that were written, as a ring.
    pub const HISTORY: usize = 0x4E8;
    /// Size of the history: a match can't reach farther back.
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
    /// A whole image.
    pub const BYTES: usize = 0x620;
    /// u32: CRC to go on from, then the result.
    pub const CRC: usize = 0x00;
    /// u32, of which 16 bits are used: XOR checksum.
    pub const XOR: usize = 0x04;
    /// u32: bits in the accumulator.
    pub const OUTPUT_BITS: usize = 0x1C;
    /// 256 bytes: what goes before the first symbol, which is where the block's header is put.
    pub const OUTPUT_ACCUMULATOR: usize = 0x20;
    /// Bytes of the accumulator.
    pub const ACCUMULATOR_BYTES: usize = 256;
    /// Bytes of the accumulator that have to stay free, for the end-of-block symbol to be carried
    /// over.
    pub const ACCUMULATOR_RESERVED: usize = 34;
    /// u32 × 286: codes of literals and lengths. A code's bits are the low 15, as a number whose
    /// highest bit comes first in the stream: as RFC 1951 computes codes, not turned round. Its
    /// length is from bit 15 up.
    pub const LITERAL_CODES: usize = 0x120;
    /// Number of [`LITERAL_CODES`].
    pub const LITERALS: usize = 286;
    /// u32 × 30: codes of distances.
    pub const DISTANCE_CODES: usize = 0x5A0;
    /// Number of [`DISTANCE_CODES`].
    pub const DISTANCES: usize = 30;
    /// Where a code's length begins.
    pub const LENGTH_SHIFT: u32 = 15;
    /// A histogram has the shape of the two tables: 286 counts, 8 bytes, 30 counts, 8 bytes.
    pub const HISTOGRAM_BYTES: usize = 1280;
    /// Where the distances' counts are in a histogram.
    pub const HISTOGRAM_DISTANCES: usize = DISTANCE_CODES - LITERAL_CODES;
}
