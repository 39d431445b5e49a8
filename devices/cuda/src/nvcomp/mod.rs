//! nvCOMP, NVIDIA's library for decompression on GPUs, where it is installed: loaded at run time,
//! and used for a format once it was measured to be faster than our own kernels.
//!
//! What its headers (version 6) say of damaged input decides what it may be given. Snappy, DEFLATE,
//! gzip and Zstandard: undefined behaviour. LZ4: an error by its kernels, undefined behaviour by
//! the decompression engine that Blackwell GPUs have. A page of Parquet has no checksum that would
//! vouch for it, so without more said it is LZ4 by its kernels that is used; [`NvcompUse::Trusted`]
//! is for files whose writer is trusted, and is how that engine is reached.

mod choice;
mod run;
mod sys;

pub(crate) use choice::{Choices, Engine};
pub(crate) use run::Nvcomp;

use crate::decompress::Format;

/// What nvCOMP may be used for, where it is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NvcompUse {
    /// Nothing.
    Never,
    /// What it decodes without harm whatever the bytes are: LZ4, by its kernels.
    #[default]
    Safe,
    /// All that it decodes, with the decompression engine where there is one. Damage in a page is
    /// undefined behaviour.
    Trusted,
}

/// `nvcompDecompressBackend_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backend {
    /// The engine where there is one, and where pages are short enough for it.
    Default = 0,
    /// The engine or nothing.
    #[cfg(test)]
    Hardware = 1,
    /// Kernels.
    Cuda = 2,
}

impl NvcompUse {
    /// How pages of a format are decoded, if at all.
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
