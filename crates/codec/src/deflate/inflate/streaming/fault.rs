//! Faults of a stream, with zlib's messages.

use std::ffi::CStr;

/// Fault of a raw stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFault {
    /// A block of no kind that there is.
    BlockType,
    /// The two lengths of a stored block do not belong together.
    StoredLengths,
    /// A header with more codewords than there are symbols.
    TooManySymbols,
    /// The code in which lengths are written is not complete.
    CodeLengths,
    /// A length is repeated where there is none before, or more often than there is room for.
    Repeat,
    /// The block could never end.
    NoEndOfBlock,
    /// The code of literals and lengths is not complete.
    Literals,
    /// The code of distances is not complete.
    Distances,
    /// A word that is no literal and no length.
    Symbol,
    /// A word that is no distance.
    Distance,
    /// A match reaches back to before the data, or the window.
    TooFar,
}

impl StreamFault {
    /// The same in zlib's words.
    pub const fn message(self) -> &'static CStr {
        match self {
            Self::BlockType => c"invalid block type",
            Self::StoredLengths => c"invalid stored block lengths",
            Self::TooManySymbols => c"too many length or distance symbols",
            Self::CodeLengths => c"invalid code lengths set",
            Self::Repeat => c"invalid bit length repeat",
            Self::NoEndOfBlock => c"invalid code -- missing end-of-block",
            Self::Literals => c"invalid literal/lengths set",
            Self::Distances => c"invalid distances set",
            Self::Symbol => c"invalid literal/length code",
            Self::Distance => c"invalid distance code",
            Self::TooFar => c"invalid distance too far back",
        }
    }
}
