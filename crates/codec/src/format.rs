use std::fmt;
use std::ops::RangeInclusive;

/// A compressed block format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Raw DEFLATE without a container (RFC 1951).
    Deflate,
    /// DEFLATE in a zlib container, with an Adler-32 (RFC 1950).
    Zlib,
    /// DEFLATE in gzip members, with a CRC-32 each (RFC 1952).
    Gzip,
    /// One raw LZ4 block (lz4_Block_format.md), Parquet's `LZ4_RAW`. It carries neither size nor
    /// checksum.
    Lz4,
    /// LZ4 blocks in Hadoop's framing, Parquet's deprecated `LZ4`: big-endian plain size, packed
    /// size, raw block.
    Lz4Hadoop,
    /// One raw Snappy block (format_description.txt), not Snappy's framing format.
    Snappy,
    /// Zstandard frames (RFC 8878), without dictionary.
    Zstd,
    /// One Brotli stream (RFC 7932), without the large-window extension.
    Brotli,
}

impl Format {
    /// Every format, in the order of their definition.
    pub const ALL: [Self; 8] = [
        Self::Deflate,
        Self::Zlib,
        Self::Gzip,
        Self::Lz4,
        Self::Lz4Hadoop,
        Self::Snappy,
        Self::Zstd,
        Self::Brotli,
    ];

    /// Returns the name that [`Format::from_str`](std::str::FromStr::from_str) takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deflate => "deflate",
            Self::Zlib => "zlib",
            Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
            Self::Lz4Hadoop => "lz4-hadoop",
            Self::Snappy => "snappy",
            Self::Zstd => "zstd",
            Self::Brotli => "brotli",
        }
    }

    /// Returns the levels of the format, in its library's own numbers; `None` if it has none.
    ///
    /// DEFLATE's three containers have the levels of zlib, and above them those of libdeflate;
    /// Zstandard has the positive ones, as Parquet's writers do; Brotli has its qualities.
    pub const fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::Deflate | Self::Zlib | Self::Gzip => Some(0..=12),
            Self::Zstd => Some(1..=22),
            Self::Brotli => Some(0..=11),
            Self::Lz4 | Self::Lz4Hadoop | Self::Snappy => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
