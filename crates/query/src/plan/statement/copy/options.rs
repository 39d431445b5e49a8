//! Options of COPY TO: the format, its own options, and the files of the result.

use std::collections::HashSet;
use std::path::Path;

use pelton_codec::Format;
use pelton_pages::{
    CsvFormat, Existing, OptionValue, ParquetOptions, RowFormat, TextCodec, TimeFormats, level,
};

use super::file_names::FileNames;
use super::grammar::Given;

/// Codec of Parquet files without the option, as that of the command's output.
const CODEC: &str = "zstd";

/// Options of every format.
const COMMON: &str = "format, partition_by, order_by, per_thread_output, filename_pattern, return_files, \
                      write_partition_columns, overwrite and append";

/// Options with other names: the one that errors have first.
const ALIASES: [&[&str]; 9] = [
    &["codec", "compression"],
    &["level", "compression_level"],
    &["row_group_rows", "row_group_size"],
    &["bloom_filters", "write_bloom_filter"],
    &["delimiter", "delim", "sep", "separator"],
    &["null", "nullstr"],
    &["dateformat", "date_format"],
    &["timestampformat", "timestamp_format"],
    &["types", "dtypes", "column_types"],
];

const CSV: &str =
    "header, delimiter, quote, escape, null, force_quote, dateformat, timestampformat, codec, level";

const JSON: &str = "array, dateformat, timestampformat, codec, level";

const FORMATS: &str = "there are parquet, csv, json and arrow";

/// Options of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub format: RowFormat,
    /// Text of the columns behind ORDER BY.
    pub order_by: Option<String>,
    /// Columns whose values name folders; `*` are all of them.
    pub partition_by: Vec<String>,
    /// The files have those columns, too.
    pub write_partition_columns: bool,
    /// Each thread writes a file of its own.
    pub per_thread: bool,
    /// Pattern of the names of a folder's files.
    pub names: Option<FileNames>,
    /// The result has the names of the files.
    pub return_files: bool,
    pub existing: Existing,
}

/// Formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Parquet,
    Csv,
    Json,
    /// True for the streaming form.
    Arrow(bool),
}

impl Options {
    /// Reads the options of a statement with a place, for a session with this many threads.
    ///
    /// # Errors
    /// An option is unknown, of a wrong type, out of its range, or does not go with another one; or
    /// neither the options nor the place name a format.
    pub fn read(given: &[Given], place: &str, threads: usize) -> Result<Self, String> {
        let mut options = Self {
            format: RowFormat::Arrow { is_stream: false },
            order_by: None,
            partition_by: Vec::new(),
            write_partition_columns: false,
            per_thread: false,
            names: None,
            return_files: false,
            existing: Existing::Refuse,
        };
        let mut own = Vec::new();
        for option in given {
            let Given { name, value, text } = option;
            match name.as_str() {
                "format" => {}
                "partition_by" => match value.names(name)? {
                    names if names.is_empty() => {
                        return Err("option partition_by is empty; give a list of names".to_owned());
                    }
                    names => options.partition_by = names,
                },
                "order_by" if text.trim().is_empty() => {
                    return Err("option order_by is empty; give columns, as behind ORDER BY".to_owned());
                }
                "order_by" => options.order_by = Some(text.clone()),
                "write_partition_columns" => options.write_partition_columns = value.boolean(name)?,
                "per_thread_output" => options.per_thread = value.boolean(name)?,
                "filename_pattern" => options.names = Some(FileNames::new(&value.text(name)?)?),
                "return_files" => options.return_files = value.boolean(name)?,
                "overwrite" => options.existing(Existing::Replace, value.boolean(name)?)?,
                "append" => options.existing(Existing::Extend, value.boolean(name)?)?,
                _ => own.push(option),
            }
        }
        if options.per_thread && !options.partition_by.is_empty() {
            return Err("per_thread_output and partition_by do not go together; leave one out".to_owned());
        }
        let repeats = options.names.as_ref().is_some_and(|names| !names.are_unique());
        if options.existing == Existing::Extend && repeats {
            return Err(
                "append needs names that no file has yet: give filename_pattern with {uuid}".to_owned()
            );
        }
        options.format = match format(given, place)? {
            Kind::Parquet => RowFormat::Parquet(parquet(&own, place, threads)?),
            Kind::Csv => csv(&own, place)?,
            Kind::Json => json(&own, place)?,
            Kind::Arrow(is_stream) => match own.first() {
                Some(option) => return Err(unknown("arrow", &option.name, "")),
                None => RowFormat::Arrow { is_stream },
            },
        };
        Ok(options)
    }

    fn existing(&mut self, existing: Existing, is_on: bool) -> Result<(), String> {
        match (is_on, self.existing) {
            (false, _) => Ok(()),
            (true, Existing::Refuse) => {
                self.existing = existing;
                Ok(())
            }
            (true, _) => Err("overwrite and append do not go together; leave one out".to_owned()),
        }
    }
}

/// Checks that no option is given twice, under its own name or another one.
///
/// # Errors
/// One is.
pub(super) fn refuse_repeated(given: &[Given]) -> Result<(), String> {
    let own = |name: &str| {
        let aliases = ALIASES.iter().find(|aliases| aliases.contains(&name));
        aliases.map_or_else(|| name.to_owned(), |aliases| aliases[0].to_owned())
    };
    let mut seen = HashSet::new();
    match given.iter().map(|option| own(&option.name)).find(|name| !seen.insert(name.clone())) {
        Some(name) => Err(format!("option {name} is given twice; leave one out")),
        None => Ok(()),
    }
}

/// Returns the format that the options name, or else the place.
///
/// # Errors
/// Neither names one, or it is unknown.
pub(super) fn format(given: &[Given], place: &str) -> Result<Kind, String> {
    match given.iter().rfind(|option| option.name == "format") {
        Some(option) => {
            let name = option.value.text("format")?.to_ascii_lowercase();
            kind(&name).ok_or_else(|| format!("option format is {name:?}; {FORMATS}"))
        }
        None => by_place(place).ok_or_else(|| {
            format!("the end of {place:?} names no format; add (FORMAT parquet), csv, json or arrow")
        }),
    }
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        "parquet" => Some(Kind::Parquet),
        "csv" => Some(Kind::Csv),
        "json" | "ndjson" => Some(Kind::Json),
        "arrow" => Some(Kind::Arrow(false)),
        "arrows" => Some(Kind::Arrow(true)),
        _ => None,
    }
}

/// Returns the extension of a place in lower case, and the part before it.
fn extension(place: &str) -> Option<(&str, String)> {
    let extension = Path::new(place).extension()?.to_str()?;
    Some((&place[..place.len() - extension.len() - 1], extension.to_ascii_lowercase()))
}

fn by_place(place: &str) -> Option<Kind> {
    let (before, end) = extension(place)?;
    match end.as_str() {
        "gz" | "zst" => by_place(before).filter(|kind| matches!(kind, Kind::Csv | Kind::Json)),
        "tsv" => Some(Kind::Csv),
        "jsonl" => Some(Kind::Json),
        "feather" | "ipc" => Some(Kind::Arrow(false)),
        name => kind(name),
    }
}

fn unknown(format: &str, name: &str, own: &str) -> String {
    let separator = if own.is_empty() { "" } else { ", " };
    format!("FORMAT {format} has no option {name}; there are {own}{separator}{COMMON}")
}

fn parquet(given: &[&Given], place: &str, threads: usize) -> Result<pelton_pages::WriteOptions, String> {
    if extension(place).is_some_and(|(_, end)| ["gz", "zst"].contains(&end.as_str())) {
        return Err(format!(
            "{place:?}: the pages of Parquet files are compressed, and the files are not; give option codec, and a \
             name that ends with .parquet"
        ));
    }
    let mut options = ParquetOptions::default();
    for option in given {
        if !options.read(&option.name, &option.value)? {
            return Err(unknown("parquet", &option.name, ParquetOptions::NAMES));
        }
    }
    options.finish(CODEC, threads)
}

/// Codec of a text file, as options and the place give it.
#[derive(Default)]
struct Codec {
    name: Option<String>,
    level: Option<i32>,
}

impl Codec {
    /// Reads an option. Returns whether it is one of the codec.
    fn read(&mut self, name: &str, value: &OptionValue) -> Result<bool, String> {
        match name {
            "codec" | "compression" => self.name = Some(value.text(name)?.to_ascii_lowercase()),
            "level" | "compression_level" => {
                self.level = Some(value.integer(name, i64::from(i32::MAX))? as i32)
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self, place: &str) -> Result<Option<TextCodec>, String> {
        let by_place = || match extension(place).map(|(_, end)| end).as_deref() {
            Some("gz") => "gzip".to_owned(),
            Some("zst") => "zstd".to_owned(),
            _ => "none".to_owned(),
        };
        let name = self.name.filter(|name| name != "auto" && name != "auto_detect").unwrap_or_else(by_place);
        let format = match name.as_str() {
            "gzip" | "gz" => Format::Gzip,
            "zstd" | "zst" => Format::Zstd,
            "none" | "uncompressed" => {
                return match self.level {
                    None => Ok(None),
                    Some(level) => Err(format!("option level is {level}; {name} has no levels")),
                };
            }
            _ => return Err(format!("option codec is {name:?}; text files have gzip, zstd and none")),
        };
        let level = level(format, &name, self.level, format.default_level())?;
        Ok(Some(TextCodec { format, level }))
    }
}

fn csv(given: &[&Given], place: &str) -> Result<RowFormat, String> {
    let (mut form, mut codec) =
        (CsvFormat { times: TimeFormats::sql(), ..CsvFormat::default() }, Codec::default());
    let mut escape = None;
    let (before, end) = extension(place).unwrap_or_default();
    let is_tabs = end == "tsv" || extension(before).is_some_and(|(_, end)| end == "tsv");
    if is_tabs {
        form.delimiter = b'\t';
    }
    for Given { name, value, .. } in given {
        match name.as_str() {
            "header" => form.header = value.boolean(name)?,
            "delimiter" | "delim" | "sep" => form.delimiter = byte(name, value)?,
            "quote" => form.quote = byte(name, value)?,
            "escape" => escape = Some(byte(name, value)?),
            "null" | "nullstr" => form.null = value.text(name)?,
            "force_quote" => match value.names(name)?.as_slice() {
                [all] if all == "*" => form.quote_all = true,
                _ => return Err("option force_quote quotes all columns or none; give *".to_owned()),
            },
            _ if times(&mut form.times, name, value)? => {}
            _ if codec.read(name, value)? => {}
            _ => return Err(unknown("csv", name, CSV)),
        }
    }
    form.escape = escape.unwrap_or(form.quote);
    let apart = [("quote", form.quote), ("escape", form.escape)];
    if let Some((name, _)) = apart.iter().find(|(_, byte)| *byte == form.delimiter) {
        return Err(format!("options delimiter and {name} are the same; give one another character"));
    }
    Ok(RowFormat::Csv(form, codec.finish(place)?))
}

fn json(given: &[&Given], place: &str) -> Result<RowFormat, String> {
    let (mut is_array, mut form, mut codec) = (false, TimeFormats::sql(), Codec::default());
    for Given { name, value, .. } in given {
        match name.as_str() {
            "array" => is_array = value.boolean(name)?,
            _ if times(&mut form, name, value)? => {}
            _ if codec.read(name, value)? => {}
            _ => return Err(unknown("json", name, JSON)),
        }
    }
    Ok(RowFormat::Json { is_array, times: form, codec: codec.finish(place)? })
}

/// Reads an option of dates and times. Returns whether it is one.
fn times(times: &mut TimeFormats, name: &str, value: &OptionValue) -> Result<bool, String> {
    let is_date = match name {
        "dateformat" | "date_format" => true,
        "timestampformat" | "timestamp_format" => false,
        _ => return Ok(false),
    };
    let form = value.text(name)?;
    TimeFormats::check(&form, is_date).map_err(|what| format!("option {name}: {what}"))?;
    match is_date {
        true => times.date = Some(form),
        false => (times.timestamp, times.timestamp_tz) = (Some(form.clone()), Some(form)),
    }
    Ok(true)
}

/// Reads a character of ASCII.
fn byte(name: &str, value: &OptionValue) -> Result<u8, String> {
    let text = value.text(name)?;
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [b'\n' | b'\r' | 0] => Err(format!("option {name} is a line break; give another character")),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err(format!("option {name} is {text:?}; give one character of ASCII")),
    }
}

#[cfg(test)]
mod tests;
