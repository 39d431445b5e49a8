//! Codecs for writing pages.

use pelton_codec::{Format, Level, Window};
use pelton_job::{Hints, Job};

/// A codec for all pages of a file, with its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// No compression.
    Uncompressed,
    /// Snappy.
    Snappy,
    /// gzip.
    Gzip {
        /// Greatest distance of a match. Intel's IAA decompresses pages with
        /// [`Window::SMALL`].
        window: Window,
        /// A level of [`Format::Gzip`]. Windows below the full one limit it to 9.
        level: Level,
    },
    /// Zstandard.
    Zstd {
        /// A level of [`Format::Zstd`].
        level: Level,
    },
    /// LZ4's raw block format.
    Lz4Raw,
    /// Brotli.
    Brotli {
        /// A level of [`Format::Brotli`].
        level: Level,
    },
}

impl Packing {
    /// Returns the job that compresses a page's values; `None` for no compression.
    pub(super) fn job(self, values: bytes::Bytes) -> Option<Job> {
        let (format, level) = match self {
            Packing::Uncompressed => return None,
            Packing::Snappy => (Format::Snappy, Format::Snappy.default_level()),
            Packing::Gzip { level, .. } => (Format::Gzip, level),
            Packing::Zstd { level } => (Format::Zstd, level),
            Packing::Brotli { level } => (Format::Brotli, level),
            Packing::Lz4Raw => (Format::Lz4, Format::Lz4.default_level()),
        };
        Some(
            Job::compress(format, level, values)
                .with_hints(Hints { window: self.window(), affinity_key: None }),
        )
    }

    /// Returns the window in bytes, if it is smaller than DEFLATE's own.
    pub(super) fn window(self) -> Option<u32> {
        match self {
            Packing::Gzip { window, .. } if window != Window::FULL => Some(window.bytes() as u32),
            _ => None,
        }
    }

    /// Returns the codec's number (parquet.thrift, enum CompressionCodec).
    pub(super) fn codec(self) -> i32 {
        match self {
            Packing::Uncompressed => 0,
            Packing::Snappy => 1,
            Packing::Gzip { .. } => 2,
            Packing::Brotli { .. } => 4,
            Packing::Zstd { .. } => 6,
            Packing::Lz4Raw => 7,
        }
    }
}
