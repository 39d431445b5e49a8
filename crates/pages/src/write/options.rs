//! Options of statements that write files: names, checks and messages.
//!
//! COPY of the engine and COPY of the extension for DuckDB read theirs with this definition.

use pelton_codec::{Format, Level, Window};

use super::packing::Packing;
use super::table::WriteOptions;

/// Most rows of a row group: row numbers in Parquet readers have 31 bits.
const MAX_ROWS: i64 = i32::MAX as i64;

/// Default level of gzip. Pages are encoded before they are compressed, so that higher levels gain
/// few bytes for several times the time.
const GZIP_LEVEL: i32 = 1;

const CODECS: &str = "there are gzip, zstd, snappy, lz4_raw, brotli and none";

/// Value of an option, as a statement has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// No value, as in `(OVERWRITE)`.
    Absent,
    /// A text in quotes, or a word.
    Text(String),
    /// A number, or another value that is no text.
    Other(String),
    /// Several values, as in `(a, b)`.
    List(Vec<String>),
}

impl OptionValue {
    /// Reads a text.
    ///
    /// # Errors
    /// It is none. Errors name the option, `name`.
    pub fn text(&self, name: &str) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            _ => Err(format!("option {name} is {}; give a text", self.shown())),
        }
    }

    /// Reads a whole number from 0 to `max`.
    ///
    /// # Errors
    /// It is none.
    pub fn integer(&self, name: &str, max: i64) -> Result<i64, String> {
        let wrong = || format!("option {name} is {}; give a whole number from 0 to {max}", self.shown());
        let number = self.scalar().and_then(|text| text.parse().ok());
        number.filter(|number| (0..=max).contains(number)).ok_or_else(wrong)
    }

    /// Reads a boolean. An option without a value is on.
    ///
    /// # Errors
    /// It is none.
    pub fn boolean(&self, name: &str) -> Result<bool, String> {
        let lower = self.scalar().map(str::to_ascii_lowercase);
        match (self, lower.as_deref()) {
            (Self::Absent, _) | (_, Some("true" | "1" | "on")) => Ok(true),
            (_, Some("false" | "0" | "off")) => Ok(false),
            _ => Err(format!("option {name} is {}; give true or false", self.shown())),
        }
    }

    /// Reads one name, or a list of them.
    ///
    /// # Errors
    /// It is none.
    pub fn names(&self, name: &str) -> Result<Vec<String>, String> {
        match self {
            Self::Text(text) => Ok(vec![text.clone()]),
            Self::List(names) => Ok(names.clone()),
            _ => Err(format!("option {name} is {}; give a list of names", self.shown())),
        }
    }

    fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Other(text) => Some(text),
            Self::Absent | Self::List(_) => None,
        }
    }

    /// Returns the value as errors show it.
    fn shown(&self) -> String {
        match self {
            Self::Absent => "NULL".to_owned(),
            Self::Text(text) | Self::Other(text) => text.clone(),
            Self::List(all) => format!("[{}]", all.join(", ")),
        }
    }
}

/// Options of Parquet files.
#[derive(Debug, Clone, Default)]
pub struct ParquetOptions {
    codec: Option<String>,
    level: Option<i32>,
    window: Option<i64>,
    row_group_rows: Option<usize>,
    bloom_filters: Option<bool>,
}

impl ParquetOptions {
    /// Names of the options, for error messages.
    pub const NAMES: &'static str = "codec, level, window, row_group_rows, bloom_filters";

    /// Reads an option by its name in lower case. Returns whether it is one of these.
    ///
    /// # Errors
    /// The value is of a wrong type, or out of its range.
    pub fn read(&mut self, name: &str, value: &OptionValue) -> Result<bool, String> {
        match name {
            "codec" | "compression" => self.codec = Some(value.text(name)?.to_ascii_lowercase()),
            "level" | "compression_level" => {
                self.level = Some(value.integer(name, i64::from(i32::MAX))? as i32)
            }
            "window" => self.window = Some(value.integer(name, 1 << 15)?),
            "row_group_rows" | "row_group_size" => match value.integer(name, MAX_ROWS)? {
                0 => return Err(format!("option {name} is 0; give 1 or more")),
                rows => self.row_group_rows = Some(rows as usize),
            },
            "bloom_filters" | "write_bloom_filter" => self.bloom_filters = Some(value.boolean(name)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the options of a writer with this many threads; `codec` is the one of statements
    /// without the option.
    ///
    /// # Errors
    /// The codec is unknown, or lacks the level or the window.
    pub fn finish(&self, codec: &str, threads: usize) -> Result<WriteOptions, String> {
        let packing = packing(self.codec.as_deref().unwrap_or(codec), self.level, self.window)?;
        let defaults = WriteOptions::new(packing);
        Ok(WriteOptions {
            threads,
            row_group_rows: self.row_group_rows.unwrap_or(defaults.row_group_rows),
            bloom_filters: self.bloom_filters.unwrap_or(defaults.bloom_filters),
            ..defaults
        })
    }
}

/// Returns a level of a format. `name` is the format's name in the statement.
///
/// # Errors
/// The format has no such level.
pub fn level(format: Format, name: &str, level: Option<i32>, default: Level) -> Result<Level, String> {
    let Some(level) = level else { return Ok(default) };
    Level::new(format, level).map_err(|_| match format.levels() {
        Some(levels) => {
            format!("option level is {level}; {name} has {} to {}", levels.start(), levels.end())
        }
        None => format!("option level is {level}; {name} has no levels"),
    })
}

/// Returns the codec of a name, at a level.
fn packing(codec: &str, level: Option<i32>, window: Option<i64>) -> Result<Packing, String> {
    let of = |format: Format, default: Level| self::level(format, codec, level, default);
    let packing = match codec {
        "gzip" => {
            let default = Level::new(Format::Gzip, GZIP_LEVEL).map_err(|e| e.to_string())?;
            Packing::Gzip { window: self::window(window)?, level: of(Format::Gzip, default)? }
        }
        "zstd" => Packing::Zstd { level: of(Format::Zstd, Format::Zstd.default_level())? },
        "brotli" => Packing::Brotli { level: of(Format::Brotli, Format::Brotli.default_level())? },
        "snappy" => Packing::Snappy,
        "lz4_raw" | "lz4" => Packing::Lz4Raw,
        "none" | "uncompressed" => Packing::Uncompressed,
        _ => return Err(format!("option codec is {codec:?}; {CODECS}")),
    };
    match (packing, level, window) {
        (Packing::Snappy | Packing::Lz4Raw | Packing::Uncompressed, Some(level), _) => {
            Err(format!("option level is {level}; {codec} has no levels"))
        }
        (Packing::Gzip { .. }, _, _) | (_, _, None) => Ok(packing),
        (_, _, Some(_)) => Err(format!("option window is for gzip; codec is {codec}")),
    }
}

fn window(bytes: Option<i64>) -> Result<Window, String> {
    let Some(bytes) = bytes else { return Ok(Window::FULL) };
    let window =
        u32::try_from(bytes).ok().and_then(Window::within).filter(|window| window.bytes() as i64 == bytes);
    window.ok_or_else(|| format!("option window is {bytes}; give a power of two from 512 to 32768"))
}

#[cfg(test)]
mod tests;
