use crate::Format;

/// Why a block could not be compressed or decompressed. Each message is one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The result is longer than the output slice. Give a longer one: for compression
    /// [`crate::compress_bound`] always suffices, for decompression only the caller knows the size.
    #[error("{format}: the result does not fit in the output of {room} bytes")]
    OutputTooSmall {
        /// The format that was asked for.
        format: Format,
        /// Length of the output slice that was given.
        room: usize,
    },
    /// The input is sound as far as it goes and ends too early.
    #[error("{format}: the input ends before the compressed data does")]
    Truncated {
        /// The format that was asked for.
        format: Format,
    },
    /// The input violates the format, or a checksum in it does not match.
    #[error("{format}: corrupt input: {what}")]
    Corrupt {
        /// The format that was asked for.
        format: Format,
        /// Description of the violation.
        what: &'static str,
    },
    /// The input is longer than the format or its library can take in one block. Split it.
    #[error("{format}: an input of {len} bytes is over the limit of {limit} for one block")]
    InputTooLarge {
        /// The format that was asked for.
        format: Format,
        /// Length of the input.
        len: usize,
        /// The longest input that is taken.
        limit: usize,
    },
    /// The level is not one of the format's.
    #[error("{format} has no compression level {level}: {}", levels(*format))]
    BadLevel {
        /// The format that was asked for.
        format: Format,
        /// The level that was asked for.
        level: i32,
    },
    /// No format has this name.
    #[error("unknown compression format '{name}'; use one of {}", Format::ALL.map(Format::name).join(", "))]
    UnknownFormat {
        /// The name that was given.
        name: String,
    },
    /// No checksum has this name.
    #[error("unknown checksum '{name}'; use one of {}", crate::Checksum::ALL.map(crate::Checksum::name).join(", "))]
    UnknownChecksum {
        /// The name that was given.
        name: String,
    },
    /// The library could not allocate its fixed working memory.
    #[error("{format}: no memory for the codec's state")]
    OutOfMemory {
        /// The format that was asked for.
        format: Format,
    },
}

fn levels(format: Format) -> String {
    match format.levels() {
        Some(range) => format!("its levels are {} to {}", range.start(), range.end()),
        None => "it has no levels, leave the level out".into(),
    }
}
