//! Bits of a descriptor's flags: those of every operation, and those that an operation has of its
//! own.

/// The 24 bits at offset 4, which every operation has.
pub mod operation {
    /// Wait for all descriptors before it in the queue.
    pub const FENCE: u32 = 1 << 0;
    /// Wait for the system to make a missing page present, rather than give up.
    pub const BLOCK_ON_FAULT: u32 = 1 << 1;
    /// The address of the completion record is valid.
    pub const COMPLETION_ADDRESS_VALID: u32 = 1 << 2;
    /// Write a completion record, also on success.
    pub const REQUEST_COMPLETION: u32 = 1 << 3;
    /// Interrupt on completion. Bit 4 as the kernel has it; a comment in Intel's library says
    /// bit 3.
    pub const REQUEST_INTERRUPT: u32 = 1 << 4;
    /// Write the destination through to the processor's cache. Reserved for CRC64.
    pub const CACHE_CONTROL: u32 = 1 << 8;
    /// Two bits: what source 2 is.
    pub const SOURCE2_SHIFT: u32 = 16;
    /// The two bits of the use of source 2.
    pub const SOURCE2_MASK: u32 = 0b11 << SOURCE2_SHIFT;
    /// Source 2 is an AECS.
    pub const SOURCE2_AECS: u32 = 1 << SOURCE2_SHIFT;
    /// Source 2 is the filter's second input.
    pub const SOURCE2_FILTER: u32 = 2 << SOURCE2_SHIFT;
    /// Two bits: when the AECS is written back.
    pub const WRITE_AECS_SHIFT: u32 = 18;
    /// The two bits of the writing back of the AECS.
    pub const WRITE_AECS_MASK: u32 = 0b11 << WRITE_AECS_SHIFT;
    /// Write the AECS when the operation has completed.
    pub const WRITE_AECS_ALWAYS: u32 = 1 << WRITE_AECS_SHIFT;
    /// Write the AECS only when the output was full.
    pub const WRITE_AECS_ON_OVERFLOW: u32 = 2 << WRITE_AECS_SHIFT;
    /// The CRC is CRC-32C (RFC 3720) rather than the CRC-32 of gzip (RFC 1952).
    pub const CRC32C: u32 = 1 << 21;
    /// Read the second of the two AECS images and write the first, rather than the other way round.
    pub const AECS_TOGGLE: u32 = 1 << 22;
}

/// The 16 bits at offset 38 of a decompression. The filter operations have them too: with
/// [`ENABLE`](decompress::ENABLE) their first input is decompressed on the way.
pub mod decompress {
    /// Decompress source 1. Without it, it is taken as it is.
    pub const ENABLE: u16 = 1 << 0;
    /// Write all of the output, and not only whole groups of 8 bytes.
    pub const FLUSH_OUTPUT: u16 = 1 << 1;
    /// Stop at an end-of-block symbol. The kernel's IAA driver names this bit CHECK, and the next
    /// STOP; used together, as here always, they mean the same either way.
    pub const STOP_ON_EOB: u16 = 1 << 2;
    /// It is an error if the input ends without an end-of-block symbol. See [`STOP_ON_EOB`].
    pub const CHECK_FOR_EOB: u16 = 1 << 3;
    /// The two bits above speak of the final block's end only.
    pub const SELECT_FINAL_EOB: u16 = 1 << 4;
    /// The stream is of 16-bit words, big-endian.
    pub const BIG_ENDIAN_16: u16 = 1 << 5;
    /// Three bits: how many bits of the input's last byte to ignore.
    pub const IGNORE_END_BITS_SHIFT: u16 = 6;
    /// Give the decompressed bytes to nobody; only the CRC and the AECS.
    pub const SUPPRESS_OUTPUT: u16 = 1 << 9;
    /// Three bits: the size of a mini-block, 0 for none, then 512 bytes `<< (n - 1)`.
    pub const INDEXING_SHIFT: u16 = 10;
    /// A whole stream of RFC 1951, to the end of its final block.
    pub const WHOLE_STREAM: u16 = ENABLE | FLUSH_OUTPUT | STOP_ON_EOB | CHECK_FOR_EOB | SELECT_FINAL_EOB;
}

/// The 16 bits at offset 38 of a compression.
pub mod compress {
    /// Count symbols only: the destination is a histogram of
    /// [`HISTOGRAM_BYTES`](crate::hw::aecs::compress::HISTOGRAM_BYTES).
    pub const STATISTICS: u16 = 1 << 0;
    /// Write all of the output, and not only whole groups of 8 bytes.
    pub const FLUSH_OUTPUT: u16 = 1 << 1;
    /// Two bits: what to write behind the input's last symbol.
    pub const END_SHIFT: u16 = 2;
    /// Append the end-of-block symbol.
    pub const END_EOB: u16 = 1 << END_SHIFT;
    /// Append the end-of-block symbol and an empty stored block that is not final.
    pub const END_EOB_AND_STORED: u16 = 2 << END_SHIFT;
    /// Append the end-of-block symbol and an empty stored block that is final.
    pub const END_EOB_AND_FINAL_STORED: u16 = 3 << END_SHIFT;
    /// Look for no matches.
    pub const LITERALS_ONLY: u16 = 1 << 4;
    /// Write 16-bit words, big-endian.
    pub const BIG_ENDIAN_16: u16 = 1 << 5;
    /// Three bits: the size of a mini-block, as in
    /// [`decompress`](super::decompress::INDEXING_SHIFT).
    pub const INDEXING_SHIFT: u16 = 6;
}

/// The 16 bits at offset 38 of a CRC64.
pub mod crc64 {
    /// Start with all bits set, and invert the result.
    pub const INVERT: u16 = 1 << 14;
    /// Take the bits of a byte from the most significant.
    pub const BIG_ENDIAN_BITS: u16 = 1 << 15;
}

/// The 32 bits at offset 56 of a decompression or filter operation.
pub mod filter {
    /// Two bits: how source 1 is packed.
    pub const PARSER_MASK: u32 = 0b11;
    /// Packed from the least significant bit.
    pub const PARSER_LITTLE_ENDIAN: u32 = 0;
    /// Packed from the most significant bit.
    pub const PARSER_BIG_ENDIAN: u32 = 1;
    /// Parquet's hybrid of runs and packed values, behind a byte with the width.
    pub const PARSER_PARQUET_RLE: u32 = 2;
    /// Five bits: width of an element of source 1 in bits, less one. 0 for Parquet's hybrid.
    pub const SOURCE1_WIDTH_SHIFT: u32 = 2;
    /// Five bits: width of an element of source 2 in bits, less one.
    pub const SOURCE2_WIDTH_SHIFT: u32 = 7;
    /// Source 2 is packed from the most significant bit.
    pub const SOURCE2_BIG_ENDIAN: u32 = 1 << 12;
    /// Two bits: width of the output's elements: 0 as they are, then 8, 16 and 32 bits.
    pub const OUTPUT_WIDTH_SHIFT: u32 = 13;
    /// The output is big-endian.
    pub const OUTPUT_BIG_ENDIAN: u32 = 1 << 15;
    /// Invert the output's bits: only where the output is a bit vector.
    pub const INVERT_OUTPUT: u32 = 1 << 16;
    /// Five bits: low bits of each element to drop (find unique, set membership).
    pub const DROP_LOW_SHIFT: u32 = 17;
    /// Five bits: high bits of each element to drop (find unique, set membership).
    pub const DROP_HIGH_SHIFT: u32 = 22;
    /// Elements of the output's width even where a bit vector would be made indexes (later
    /// devices).
    pub const FORCE_ARRAY: u32 = 1 << 27;
    /// Width of a five-bit field.
    pub const FIVE_BITS: u32 = 0b1_1111;
}
