//! Flags of a descriptor: those of every operation, and those of single operations.

/// The 24 flags of every operation.
pub mod operation {
    /// Wait for all earlier descriptors in the queue.
    pub const FENCE: u32 = 1 << 0;
    /// Wait until the system has made a missing page present.
    pub const BLOCK_ON_FAULT: u32 = 1 << 1;
    /// The address of the completion record is valid.
    pub const COMPLETION_ADDRESS_VALID: u32 = 1 << 2;
    /// Write a completion record, also on success.
    pub const REQUEST_COMPLETION: u32 = 1 << 3;
    /// Interrupt on completion. The position is the kernel's; a comment in Intel's library has bit
    /// 3.
    pub const REQUEST_INTERRUPT: u32 = 1 << 4;
    /// Write the destination through to the processor's cache. Reserved for CRC64.
    pub const CACHE_CONTROL: u32 = 1 << 8;
    /// Position of the use of source 2.
    pub const SOURCE2_SHIFT: u32 = 16;
    /// Mask of the use of source 2.
    pub const SOURCE2_MASK: u32 = 0b11 << SOURCE2_SHIFT;
    /// Source 2 is an AECS.
    pub const SOURCE2_AECS: u32 = 1 << SOURCE2_SHIFT;
    /// Source 2 is the filter's second input.
    pub const SOURCE2_FILTER: u32 = 2 << SOURCE2_SHIFT;
    /// Position of the write-back condition of the AECS.
    pub const WRITE_AECS_SHIFT: u32 = 18;
    /// Mask of the write-back condition.
    pub const WRITE_AECS_MASK: u32 = 0b11 << WRITE_AECS_SHIFT;
    /// Write the AECS when the operation has completed.
    pub const WRITE_AECS_ALWAYS: u32 = 1 << WRITE_AECS_SHIFT;
    /// Write the AECS only if the output is full.
    pub const WRITE_AECS_ON_OVERFLOW: u32 = 2 << WRITE_AECS_SHIFT;
    /// Compute CRC-32C (RFC 3720) instead of the CRC-32 of gzip (RFC 1952).
    pub const CRC32C: u32 = 1 << 21;
    /// Read the second AECS image and write the first, instead of the reverse.
    pub const AECS_TOGGLE: u32 = 1 << 22;
}

/// The 16 flags of a decompression. Filter operations have them too: with
/// [`ENABLE`](decompress::ENABLE) they decompress their first input on the way.
pub mod decompress {
    /// Decompress source 1; otherwise it is uncompressed.
    pub const ENABLE: u16 = 1 << 0;
    /// Write all output, including an incomplete group of 8 bytes.
    pub const FLUSH_OUTPUT: u16 = 1 << 1;
    /// Stop at an end-of-block symbol. The kernel's IAA driver swaps the names of this bit and the
    /// next.
    pub const STOP_ON_EOB: u16 = 1 << 2;
    /// Fail if the input ends without an end-of-block symbol. See [`STOP_ON_EOB`].
    pub const CHECK_FOR_EOB: u16 = 1 << 3;
    /// The two bits above are about the final block only.
    pub const SELECT_FINAL_EOB: u16 = 1 << 4;
    /// The stream is of 16-bit words, big-endian.
    pub const BIG_ENDIAN_16: u16 = 1 << 5;
    /// Position of the number of bits to ignore in the input's last byte.
    pub const IGNORE_END_BITS_SHIFT: u16 = 6;
    /// Discard the decompressed bytes, and return only the CRC and the AECS.
    pub const SUPPRESS_OUTPUT: u16 = 1 << 9;
    /// Position of the mini-block size: zero for none, or n for 256 bytes `<< n`.
    pub const INDEXING_SHIFT: u16 = 10;
    /// A complete stream of RFC 1951, to the end of its final block.
    pub const WHOLE_STREAM: u16 = ENABLE | FLUSH_OUTPUT | STOP_ON_EOB | CHECK_FOR_EOB | SELECT_FINAL_EOB;
}

/// The 16 flags of a compression.
pub mod compress {
    /// Count symbols only; the destination is a histogram of
    /// [`HISTOGRAM_BYTES`](crate::hw::aecs::compress::HISTOGRAM_BYTES).
    pub const STATISTICS: u16 = 1 << 0;
    /// Write all output, including an incomplete group of 8 bytes.
    pub const FLUSH_OUTPUT: u16 = 1 << 1;
    /// Position of the ending to write after the last symbol.
    pub const END_SHIFT: u16 = 2;
    /// Append the end-of-block symbol.
    pub const END_EOB: u16 = 1 << END_SHIFT;
    /// Append the end-of-block symbol and an empty stored block that is not final.
    pub const END_EOB_AND_STORED: u16 = 2 << END_SHIFT;
    /// Append the end-of-block symbol and an empty stored block that is final.
    pub const END_EOB_AND_FINAL_STORED: u16 = 3 << END_SHIFT;
    /// Write literals without matches.
    pub const LITERALS_ONLY: u16 = 1 << 4;
    /// Write 16-bit words, big-endian.
    pub const BIG_ENDIAN_16: u16 = 1 << 5;
    /// Position of the mini-block size, as in [`decompress`](super::decompress::INDEXING_SHIFT).
    pub const INDEXING_SHIFT: u16 = 6;
}

/// The 16 flags of a CRC64.
pub mod crc64 {
    /// Start with all bits set, and invert the result.
    pub const INVERT: u16 = 1 << 14;
    /// Take the bits of a byte from the most significant.
    pub const BIG_ENDIAN_BITS: u16 = 1 << 15;
}

/// The 32 filter flags of a decompression or filter operation.
pub mod filter {
    /// Mask of the parser of source 1.
    pub const PARSER_MASK: u32 = 0b11;
    /// Packed from the least significant bit.
    pub const PARSER_LITTLE_ENDIAN: u32 = 0;
    /// Packed from the most significant bit.
    pub const PARSER_BIG_ENDIAN: u32 = 1;
    /// Parquet's hybrid of runs and packed values, after a byte with the width.
    pub const PARSER_PARQUET_RLE: u32 = 2;
    /// Position of the width of source 1 in bits, less one; zero for Parquet's hybrid.
    pub const SOURCE1_WIDTH_SHIFT: u32 = 2;
    /// Position of the width of source 2 in bits, less one.
    pub const SOURCE2_WIDTH_SHIFT: u32 = 7;
    /// Source 2 is packed from the most significant bit.
    pub const SOURCE2_BIG_ENDIAN: u32 = 1 << 12;
    /// Position of the two bits for the output's width: unchanged, or a power of two up to 32 bits.
    pub const OUTPUT_WIDTH_SHIFT: u32 = 13;
    /// The output is big-endian.
    pub const OUTPUT_BIG_ENDIAN: u32 = 1 << 15;
    /// Invert the output, which has to be a bit vector.
    pub const INVERT_OUTPUT: u32 = 1 << 16;
    /// Position of the number of low bits to drop from each element (find unique, set membership).
    pub const DROP_LOW_SHIFT: u32 = 17;
    /// Position of the number of high bits to drop from each element (find unique, set membership).
    pub const DROP_HIGH_SHIFT: u32 = 22;
    /// Write elements of the output's width where a bit vector would become indexes (later
    /// devices).
    pub const FORCE_ARRAY: u32 = 1 << 27;
    /// Mask of a five-bit field.
    pub const FIVE_BITS: u32 = 0b1_1111;
}
