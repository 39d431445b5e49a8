use std::str::FromStr;

use crate::{Error, Format};

/// A valid compression level of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    format: Format,
    value: i32,
}

impl Level {
    /// Returns level `n` of `format`, in the numbers of [`Format::levels`].
    pub fn new(format: Format, n: i32) -> Result<Self, Error> {
        match format.levels() {
            Some(levels) if levels.contains(&n) => Ok(Self { format, value: n }),
            _ => Err(Error::BadLevel { format, level: n }),
        }
    }

    /// Returns the default level.
    pub const fn default_of(format: Format) -> Self {
        let value = match format {
            // zlib's Z_DEFAULT_COMPRESSION and libdeflate's default.
            Format::Deflate | Format::Zlib | Format::Gzip => 6,
            // ZSTD_CLEVEL_DEFAULT.
            Format::Zstd => 3,
            // The first quality with context modelling, and the last before a block takes longer
            // than with gzip 9; the library's own default of 11 is for files that are compressed
            // once and sent often.
            Format::Brotli => 5,
            Format::Lz4 | Format::Lz4Hadoop | Format::Snappy => 0,
        };
        Self { format, value }
    }

    /// Returns its format.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Returns its number, 0 for a format without levels.
    pub const fn value(self) -> i32 {
        self.value
    }
}

impl Format {
    /// Returns the default level.
    pub const fn default_level(self) -> Level {
        Level::default_of(self)
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| Error::UnknownFormat { name: name.into() })
    }
}
