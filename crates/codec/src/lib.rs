//! Block formats and checksums as functions over slices: the bottom of Pelton.
//!
//! A *block* is compressed as a whole and decompressed as a whole: a Parquet page, a RocksDB block,
//! a zlib buffer. [`Decoder::decompress`] and [`Encoder::compress`] take one block and a caller's
//! buffer, and say how many bytes they [consumed and produced](Progress). Nothing here knows about
//! files, pages, devices or threads; `pelton-job` puts blocks into jobs and `pelton-device-cpu`
//! runs them on this crate.
//!
//! ```
//! use pelton_codec::{Decoder, Encoder, Format, compress_bound};
//!
//! let plain = b"to be or not to be, to be or not to be";
//! let format = Format::Gzip;
//! let mut packed = vec![0; compress_bound(format, plain.len())];
//! let done = Encoder::new().compress(format, format.default_level(), plain, &mut packed)?;
//! packed.truncate(done.produced);
//!
//! let mut back = vec![0; plain.len()];
//! let done = Decoder::new().decompress(format, &packed, &mut back)?;
//! assert_eq!((done.consumed, done.produced), (packed.len(), plain.len()));
//! assert_eq!(&back, plain);
//! # Ok::<(), pelton_codec::Error>(())
//! ```
//!
//! [`BatchInflater`] decodes many independent blocks of DEFLATE's formats faster than one by one,
//! and [`SpeculativeInflater`], which [`Decoder`] uses, does so for single ones. [`BlockEncoder`]
//! compresses streams block by block, and [`StreamInflater`] decompresses them in pieces of any
//! size. Some blocks need no decoder at all: see [`stored`].
//!
//! # Untrusted input
//! Any bytes may be given to a decoder. It returns an error or some output, never panics, never
//! writes outside the output slice, and never allocates in proportion to a size that the input
//! claims: its memory is the state listed at [`Decoder`]. A whole block that fails leaves the
//! output slice with unspecified contents.
//!
//! # Layout
//! One folder or file for a format family (`deflate`, `lz4`, `snappy`, `zstd`, `brotli`), each with
//! the same pair of entry points, which `decoder.rs` and `encoder.rs` dispatch to.
//! `docs/adding-a-codec.md` lists the places to change.

#![deny(unsafe_code)]

mod bound;
mod brotli;
mod checksum;
mod decoder;
mod deflate;
mod encoder;
mod error;
mod format;
mod level;
mod lz4;
mod snappy;
mod stored;
mod streaming;
mod zstd;

pub use bound::decompress_bound;
pub use checksum::{Checksum, checksum, checksum_append};
pub use decoder::Decoder;
pub use deflate::{BatchInflater, BatchIsaLevel, SpeculativeError, SpeculativeInflater, Stream};
pub use deflate::{
    BitWriter, BlockCodes, BlockEncoder, Container, IsaLevel, PendingBits, RawDecoder, RawEncoder, Window,
    part_bound,
};
pub use deflate::{STREAM_MAX_KEPT, STREAM_WINDOW, StreamFault, StreamInflater, StreamState, StreamStop};
pub use encoder::{Encoder, compress_bound};
pub use error::Error;
pub use format::Format;
pub use level::Level;
pub use lz4::Encoder as Lz4Encoder;
pub use stored::stored;
pub use streaming::StreamDecoder;

/// Progress of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that were used, from its start.
    pub consumed: usize,
    /// Bytes of the output that were written, from its start.
    pub produced: usize,
}
