//! The Parquet codecs a data set can be written with.

use std::fmt;
use std::str::FromStr;

use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};

use crate::Error;

/// Default gzip level: that of zlib, gzip(1) and other Parquet writers.
const DEFAULT_GZIP_LEVEL: i32 = 6;
/// Default Zstandard level: that of parquet-rs; pyarrow and Spark write similar ones.
const DEFAULT_ZSTD_LEVEL: i32 = 1;
/// Brotli level when none is given: parquet-rs's own default.
const DEFAULT_BROTLI_LEVEL: i32 = 1;

/// A Parquet codec with its level, parsed from text such as `gzip`, `snappy` or `zstd:9`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// No compression.
    None,
    /// Deflate in gzip's framing, level 0 to 9.
    Gzip(GzipLevel),
    /// Gzip with matches within 4 KB, made from [`Codec::Gzip`] by repacking, since no other writer
    /// has it.
    Gzip4k,
    /// Snappy's raw block format.
    Snappy,
    /// Zstandard, level 1 to 22.
    Zstd(ZstdLevel),
    /// LZ4's raw block format.
    Lz4Raw,
    /// LZ4 blocks in Hadoop's framing, which Parquet has deprecated.
    Lz4,
    /// Brotli, level 0 to 11.
    Brotli(BrotliLevel),
}

impl Codec {
    /// Returns the codec for parquet-rs's writer, which the footer names too.
    pub fn compression(self) -> Compression {
        match self {
            Codec::None => Compression::UNCOMPRESSED,
            Codec::Gzip(level) => Compression::GZIP(level),
            Codec::Gzip4k => Compression::GZIP(GzipLevel::default()),
            Codec::Snappy => Compression::SNAPPY,
            Codec::Zstd(level) => Compression::ZSTD(level),
            Codec::Lz4Raw => Compression::LZ4_RAW,
            Codec::Lz4 => Compression::LZ4,
            Codec::Brotli(level) => Compression::BROTLI(level),
        }
    }

    /// Returns the codec's name and level as the name of a file may carry it: `gzip`, or `gzip-9`
    /// for a level that is not the default.
    pub fn slug(self) -> String {
        self.to_string().replace(':', "-")
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut leveled = |name: &str, level: i32, default: i32| {
            if level == default { f.write_str(name) } else { write!(f, "{name}:{level}") }
        };
        match self {
            Codec::None => f.write_str("none"),
            Codec::Gzip(level) => leveled("gzip", level.compression_level() as i32, DEFAULT_GZIP_LEVEL),
            Codec::Gzip4k => f.write_str("gzip-4k"),
            Codec::Snappy => f.write_str("snappy"),
            Codec::Zstd(level) => leveled("zstd", level.compression_level(), DEFAULT_ZSTD_LEVEL),
            Codec::Lz4Raw => f.write_str("lz4_raw"),
            Codec::Lz4 => f.write_str("lz4"),
            Codec::Brotli(level) => leveled("brotli", level.compression_level() as i32, DEFAULT_BROTLI_LEVEL),
        }
    }
}

impl FromStr for Codec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = |why: &str| Error::Argument(format!("codec {text:?}: {why}"));
        let (name, level) = match text.split_once(':') {
            None => (text, None),
            Some((name, level)) => {
                (name, Some(level.parse::<i32>().map_err(|_| bad("the level is not a whole number"))?))
            }
        };
        let unsigned = |default: i32| {
            u32::try_from(level.unwrap_or(default)).map_err(|_| bad("the level is below zero"))
        };
        match name {
            "gzip" => GzipLevel::try_new(unsigned(DEFAULT_GZIP_LEVEL)?)
                .map(Codec::Gzip)
                .map_err(|_| bad("gzip levels are 0 to 9")),
            "zstd" => ZstdLevel::try_new(level.unwrap_or(DEFAULT_ZSTD_LEVEL))
                .map(Codec::Zstd)
                .map_err(|_| bad("zstd levels are 1 to 22")),
            "brotli" => BrotliLevel::try_new(unsigned(DEFAULT_BROTLI_LEVEL)?)
                .map(Codec::Brotli)
                .map_err(|_| bad("brotli levels are 0 to 11")),
            "none" | "gzip-4k" | "snappy" | "lz4_raw" | "lz4" if level.is_some() => {
                Err(bad("only gzip, zstd and brotli have levels"))
            }
            "none" => Ok(Codec::None),
            "gzip-4k" => Ok(Codec::Gzip4k),
            "snappy" => Ok(Codec::Snappy),
            "lz4_raw" => Ok(Codec::Lz4Raw),
            "lz4" => Ok(Codec::Lz4),
            _ => Err(bad(
                "use none, gzip, gzip-4k, snappy, zstd, lz4_raw, lz4 or brotli, with :level if wanted",
            )),
        }
    }
}

#[cfg(test)]
mod tests;
