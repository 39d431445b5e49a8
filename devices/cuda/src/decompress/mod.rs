//! Decompression of pages by our own kernels, a warp a page (`kernels/decompress`).
//!
//! A batch is uploaded as one table; there is one launch for each kind of kernel in it. A kernel's
//! warps take pages from a counter in the order of the table. The longest come first, so that no
//! long page is begun at the end. Where nvCOMP is installed and allowed, a format's pages may go to
//! it instead (`src/nvcomp`).

mod batch;
mod kernels;
mod layout;
mod run;
mod statuses;

pub use run::Decompressor;
pub use statuses::{PageFault, PageOutcome, Statuses};

/// Compression of a page's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// No compression: the page is copied.
    Uncompressed,
    /// A raw LZ4 block, Parquet's `LZ4_RAW`.
    Lz4Raw,
    /// A raw Snappy block.
    Snappy,
    /// DEFLATE in gzip members.
    Gzip,
    /// DEFLATE in a zlib container.
    Zlib,
    /// DEFLATE alone.
    Deflate,
    /// Zstandard frames.
    Zstd,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 7] = [
        Format::Uncompressed,
        Format::Lz4Raw,
        Format::Snappy,
        Format::Gzip,
        Format::Zlib,
        Format::Deflate,
        Format::Zstd,
    ];

    /// Returns the same format of the codecs; none for uncompressed pages.
    pub fn codec(self) -> Option<pelton_codec::Format> {
        Some(match self {
            Format::Uncompressed => return None,
            Format::Lz4Raw => pelton_codec::Format::Lz4,
            Format::Snappy => pelton_codec::Format::Snappy,
            Format::Gzip => pelton_codec::Format::Gzip,
            Format::Zlib => pelton_codec::Format::Zlib,
            Format::Deflate => pelton_codec::Format::Deflate,
            Format::Zstd => pelton_codec::Format::Zstd,
        })
    }

    /// Returns the codec's format here. `None` if no kernel decodes it.
    pub fn of(format: pelton_codec::Format) -> Option<Format> {
        Format::ALL.into_iter().find(|ours| ours.codec() == Some(format))
    }
}

/// A page to decompress: its place in the GPU's memory, and the place of its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageTask {
    /// Its compression.
    pub format: Format,
    /// The address of the compressed bytes, in a buffer of the same GPU that outlives the work.
    pub source: u64,
    /// Number of compressed bytes, at most [`PageTask::LONGEST`].
    pub source_len: u32,
    /// The address of the output, in such a buffer. No other page and no other work writes there
    /// meanwhile.
    pub target: u64,
    /// Exact number of output bytes: fewer or more is a fault of the page. At most
    /// [`PageTask::LONGEST`].
    pub target_len: u32,
}

impl PageTask {
    /// Maximum number of bytes of a page, compressed or not: Parquet's page headers have no larger
    /// numbers.
    pub const LONGEST: u32 = i32::MAX as u32;
}

#[cfg(test)]
mod tests;
