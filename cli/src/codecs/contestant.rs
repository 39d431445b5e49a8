//! Codecs and levels to measure.

use std::fmt;
use std::str::FromStr;

use pelton::codec::{Format, Level};

use crate::failure::Failure;

/// Distinct formats: LZ4 in Hadoop's framing is LZ4 with eight bytes more.
pub const FORMATS: [Format; 7] =
    [Format::Deflate, Format::Zlib, Format::Gzip, Format::Lz4, Format::Snappy, Format::Zstd, Format::Brotli];

/// A codec at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contestant {
    pub format: Format,
    pub level: Level,
}

impl Contestant {
    /// Returns the level's number; None if the format has no levels.
    pub fn number(&self) -> Option<i32> {
        self.format.levels().map(|_| self.level.value())
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(number) => write!(f, "{} {number}", self.format),
            None => write!(f, "{}", self.format),
        }
    }
}

/// A choice of levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Levels {
    /// Each codec's fast, default and thorough ones.
    Useful,
    /// All formats.
    All,
    /// These, of the codecs that have them.
    These(Vec<i32>),
}

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "useful" => Ok(Levels::Useful),
            "all" => Ok(Levels::All),
            list => {
                let levels = list.split(',').map(|level| level.trim().parse()).collect::<Result<_, _>>();
                levels.map(Levels::These).map_err(|_| "give useful, all, or numbers such as 1,6,9".into())
            }
        }
    }
}

impl Levels {
    fn of(&self, format: Format) -> Vec<i32> {
        let Some(all) = format.levels() else { return vec![0] };
        match self {
            Levels::All => all.collect(),
            Levels::These(levels) => levels.iter().copied().filter(|level| all.contains(level)).collect(),
            Levels::Useful => match format {
                // Zlib is the same but for its checksum.
                Format::Zlib => vec![6],
                Format::Deflate | Format::Gzip => vec![1, 6, 9],
                // Those of Table 1 in "Accelerating OLAP with Intel IAA", to compare with.
                Format::Zstd => vec![1, 3, 9],
                // The fastest, the default here, and the last before a block takes ten times as
                // long.
                _ => vec![1, 5, 9],
            },
        }
    }
}

/// Returns the formats at their levels, in this order.
pub fn choose(formats: &[Format], levels: &Levels) -> Result<Vec<Contestant>, Failure> {
    let mut contestants = Vec::new();
    for &format in formats {
        for level in levels.of(format) {
            let level = match format.levels() {
                Some(_) => Level::new(format, level).map_err(Failure::error)?,
                None => Level::default_of(format),
            };
            contestants.push(Contestant { format, level });
        }
    }
    if contestants.is_empty() {
        return Err(Failure::Usage(
            "none of these codecs has any of these levels; leave --levels out".into(),
        ));
    }
    Ok(contestants)
}

#[cfg(test)]
mod tests;
