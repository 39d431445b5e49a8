//! Uncompressed bytes that lie in a block unchanged, so that they need not be copied.
//!
//! Packed codes of a dictionary are close to random, so that encoders find nothing in them: of the
//! pages of TPC-H's tables in Snappy two thirds are a single literal, in Zstandard two fifths a
//! single raw block.

use std::ops::Range;

use crate::{Format, lz4, snappy, zstd};

/// Where the plain bytes of a block lie in it, if it is one run of them behind a header, and
/// nothing that a decoder would check follows. A decoder would then take the whole of `packed` and
/// give these bytes.
///
/// `None` says nothing: the block may be of another shape, or bad. DEFLATE's formats and Brotli are
/// not looked into: stored blocks are rare in them, and their containers have checksums.
///
/// ```
/// use pelton_codec::{Format, stored};
///
/// let block = b"\x05\x10Hello";
/// assert_eq!(stored(Format::Snappy, block), Some(2..7));
/// ```
pub fn stored(format: Format, packed: &[u8]) -> Option<Range<usize>> {
    match format {
        Format::Lz4 => lz4::stored(packed),
        Format::Snappy => snappy::stored(packed),
        Format::Zstd => zstd::stored(packed),
        Format::Deflate | Format::Zlib | Format::Gzip | Format::Lz4Hadoop | Format::Brotli => None,
    }
}
