//! nvCOMP, NVIDIA's library for decompression on GPUs, where it is installed. It is loaded at run
//! time, and used for a format if it was measured to be faster than our own kernels.
//!
//! Its headers (version 6) decide which pages it may decode. Damaged Snappy, DEFLATE, gzip and
//! Zstandard are undefined behaviour. Damaged LZ4 is an error of its kernels, and undefined
//! behaviour of the decompression engine that Blackwell GPUs have. A page of Parquet has no
//! checksum that would vouch for it, so the default is LZ4 by its kernels. [`NvcompUse::Trusted`]
//! is for files from a trusted writer, and enables that engine.

mod choice;
mod run;
mod sys;

pub(crate) use choice::{Choices, Engine};
pub(crate) use run::Nvcomp;

use crate::decompress::Format;

/// Uses of nvCOMP that are permitted, where it is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NvcompUse {
    /// Nothing.
    Never,
    /// Formats that it decodes without harm whatever the bytes are: LZ4, by its kernels.
    #[default]
    Safe,
    /// All its formats, with the decompression engine where there is one. Damage in a page is
    /// undefined behaviour.
    Trusted,
}

/// `nvcompDecompressBackend_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    /// The engine, where there is one and pages are short enough for it.
    Default = 0,
    /// The engine or nothing.
    #[cfg(test)]
    Hardware = 1,
    /// Kernels.
    Cuda = 2,
}

impl NvcompUse {
    /// Returns the backend for pages of a format, if it may decode them.
    fn backend(self, format: Format) -> Option<Backend> {
        match (self, format) {
            (NvcompUse::Never, _) | (_, Format::Uncompressed | Format::Zlib) => None,
            (NvcompUse::Safe, Format::Lz4Raw) => Some(Backend::Cuda),
            (NvcompUse::Safe, _) => None,
            (NvcompUse::Trusted, _) => Some(Backend::Default),
        }
    }
}

#[cfg(test)]
mod tests;
