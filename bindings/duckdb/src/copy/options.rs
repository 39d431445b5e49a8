//! Options of `COPY … TO (FORMAT pelton, …)`.

use pelton_codec::{Format, Level, Window};
use pelton_pages::Packing;

use crate::sys::Value;

/// Most rows of a row group: row numbers in Parquet readers have 31 bits.
const MAX_ROWS: i64 = i32::MAX as i64;

/// Default level of gzip. Pages are encoded before they are compressed, so that higher levels gain
/// few bytes for several times the time.
const GZIP_LEVEL: i32 = 1;

/// Options of a statement.
#[derive(Debug)]
pub struct Options {
    /// The codec, with its level.
    pub packing: Packing,
    /// The devices.
    pub device: Option<String>,
    /// Rows of a row group.
    pub row_group_rows: Option<usize>,
    /// Whether the file gets bloom filters.
    pub bloom_filters: Option<bool>,
    /// Names of the columns.
    pub columns: Option<Vec<String>>,
}

/// List of all options, for error messages.
const THERE_ARE: &str = "there are codec, level, window, device, row_group_rows, bloom_filters and columns, beside those that DuckDB has for every format";

const CODECS: &str = "there are gzip, zstd, snappy, lz4_raw, brotli and none";

impl Options {
    /// Reads the options of a statement.
    ///
    /// # Errors
    /// An option is unknown, of a wrong type, or out of its range.
    pub fn of(options: Vec<(String, Value)>) -> Result<Options, String> {
        let (mut codec, mut level, mut window) = (None, None, None);
        let (mut device, mut row_group_rows, mut bloom_filters, mut columns) = (None, None, None, None);
        for (name, value) in options {
            let name = name.to_ascii_lowercase();
            match name.as_str() {
                "codec" | "compression" => codec = Some(text(&name, &value)?.to_ascii_lowercase()),
                "level" | "compression_level" => {
                    level = Some(integer(&name, &value, i64::from(i32::MAX))? as i32)
                }
                "window" => window = Some(integer(&name, &value, 1 << 15)?),
                "device" => device = Some(text(&name, &value)?),
                "row_group_rows" | "row_group_size" => match integer(&name, &value, MAX_ROWS)? {
                    0 => return Err(format!("option {name} is 0; give 1 or more")),
                    rows => row_group_rows = Some(rows as usize),
                },
                "bloom_filters" => bloom_filters = Some(boolean(&name, &value)?),
                "columns" => columns = Some(names(&value)?),
                _ => return Err(format!("FORMAT pelton has no option {name}; {THERE_ARE}")),
            }
        }
        let packing = packing(codec.as_deref().unwrap_or("gzip"), level, window)?;
        Ok(Options { packing, device, row_group_rows, bloom_filters, columns })
    }
}

/// Returns the codec of a name, at a level.
fn packing(codec: &str, level: Option<i32>, window: Option<i64>) -> Result<Packing, String> {
    let of = |format: Format, default: Level| match level {
        None => Ok(default),
        Some(level) => Level::new(format, level).map_err(|_| match format.levels() {
            Some(levels) => {
                format!("option level is {level}; {codec} has {} to {}", levels.start(), levels.end())
            }
            None => format!("option level is {level}; {codec} has no levels"),
        }),
    };
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

fn text(name: &str, value: &Value) -> Result<String, String> {
    let text = value.is_text().then(|| value.as_text()).flatten();
    text.ok_or_else(|| format!("option {name} is {}; give a text", shown(value)))
}

fn integer(name: &str, value: &Value, most: i64) -> Result<i64, String> {
    let wrong = || format!("option {name} is {}; give a whole number from 0 to {most}", shown(value));
    let text = value.as_text().ok_or_else(wrong)?;
    text.parse().ok().filter(|number| (0..=most).contains(number)).ok_or_else(wrong)
}

/// Reads a boolean. An option without a value is on.
fn boolean(name: &str, value: &Value) -> Result<bool, String> {
    match value.as_text().map(|text| text.to_ascii_lowercase()).as_deref() {
        None | Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(_) => Err(format!("option {name} is {}; give true or false", shown(value))),
    }
}

/// Reads one name, or a list of them.
fn names(value: &Value) -> Result<Vec<String>, String> {
    if value.is_text() {
        return Ok(vec![text("columns", value)?]);
    }
    let names =
        value.elements().or_else(|| Some(value.fields()?.into_iter().map(|(_, name)| name).collect()));
    match names {
        Some(names) => names.iter().map(|name| text("columns", name)).collect(),
        None => Err(format!("option columns is {}; give a list of names", shown(value))),
    }
}

fn shown(value: &Value) -> String {
    value.as_text().unwrap_or_else(|| "NULL".to_owned())
}
