//! Bounds of decompressed sizes, against which callers check claimed sizes.

use crate::Format;

/// Returns the maximum decompressed size of `packed` bytes of a block. A caller that reserves
/// memory for a claimed size refuses larger claims first; smaller ones may still be wrong.
///
/// ```
/// use pelton_codec::{Format, decompress_bound};
///
/// let packed = b"a short block";
/// assert!(decompress_bound(Format::Gzip, packed.len()) < 1 << 20);
/// ```
pub fn decompress_bound(format: Format, packed: usize) -> usize {
    match format {
        // The longest match, 258 bytes, takes a bit for its length and one for its distance (RFC
        // 1951).
        Format::Deflate | Format::Zlib | Format::Gzip => packed.saturating_mul(4 * 258),
        // Each byte of a length adds 255 to it at most (lz4_Block_format.md); frames of Hadoop's
        // only add to the bytes.
        Format::Lz4 | Format::Lz4Hadoop => packed.saturating_mul(255),
        // The longest copy, 64 bytes, takes three (format_description.txt).
        Format::Snappy => packed.saturating_mul(64).div_ceil(3),
        // The shortest block, of one repeated byte, takes four bytes and gives a block's maximum
        // (RFC 8878, "Blocks").
        Format::Zstd => packed.div_ceil(4).saturating_mul(128 << 10),
        // A meta-block has at most 16 MiB, and a length of at least three bytes (RFC 7932).
        Format::Brotli => packed.div_ceil(3).saturating_mul(16 << 20),
    }
}

#[cfg(test)]
mod tests;
