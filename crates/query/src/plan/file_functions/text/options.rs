//! Options that `read_csv` and `read_json` have in common.

use std::collections::HashSet;

use arrow::datatypes::DataType;
use pelton_codec::Format as Codec;

use crate::error::Result;
use crate::plan::file_functions::call::{Argument, Call};
use crate::plan::file_functions::parquet::hive;
use crate::plan::sql::arrow_type;
use crate::table::HivePartitions;

/// Rows whose values decide on the types of columns, if nothing else is asked for.
const SAMPLE_ROWS: u64 = 20_480;

/// Options of a table over text files.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// The columns with their types, in place of those that the files show.
    pub columns: Option<Vec<(String, DataType)>>,
    /// Rows of each file whose values decide on types.
    pub sample_rows: u64,
    pub union_by_name: bool,
    pub filename: Option<String>,
    pub hive: HivePartitions,
    pub compression: Compression,
}

/// Compression of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// As their names end.
    ByName,
    Known(Option<Codec>),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            columns: None,
            sample_rows: SAMPLE_ROWS,
            union_by_name: false,
            filename: None,
            hive: HivePartitions::Below,
            compression: Compression::ByName,
        }
    }
}

impl Options {
    /// Removes the options of a call.
    pub fn take(call: &mut Call) -> Result<Self> {
        let columns = match call.take(&["columns"])? {
            Some(columns) => Some(types(call, "columns", columns)?),
            None => None,
        };
        let sample_rows = match call.take(&["sample_size"])? {
            None => SAMPLE_ROWS,
            Some(Argument::Number(text)) if text == "-1" => u64::MAX,
            Some(Argument::Number(text)) if text.parse::<u64>().is_ok_and(|rows| rows > 0) => {
                text.parse().unwrap_or(SAMPLE_ROWS)
            }
            Some(other) => {
                return Err(
                    call.error(format_args!("sample_size is a number of rows, or -1 for all: not {other}"))
                );
            }
        };
        Ok(Self {
            columns,
            sample_rows,
            union_by_name: call.flag("union_by_name")?.unwrap_or(false),
            filename: call.column_name("filename")?,
            hive: hive(call)?,
            compression: compression(call)?,
        })
    }
}

fn compression(call: &mut Call) -> Result<Compression> {
    let Some(name) = call.text(&["compression"])? else { return Ok(Compression::ByName) };
    Ok(match name.to_ascii_lowercase().as_str() {
        "auto" | "auto_detect" => Compression::ByName,
        "none" | "uncompressed" => Compression::Known(None),
        "gzip" => Compression::Known(Some(Codec::Gzip)),
        "zstd" => Compression::Known(Some(Codec::Zstd)),
        _ => {
            return Err(call.error(format_args!("compression is auto, none, gzip or zstd, and not '{name}'")));
        }
    })
}

impl Compression {
    /// Returns the codec of a file.
    pub fn of(self, name: &str) -> Option<Codec> {
        let name = name.to_ascii_lowercase();
        match self {
            Compression::Known(codec) => codec,
            Compression::ByName if name.ends_with(".gz") => Some(Codec::Gzip),
            Compression::ByName if name.ends_with(".zst") => Some(Codec::Zstd),
            Compression::ByName => None,
        }
    }
}

/// Checks that the names of an option's columns differ.
///
/// # Errors
/// Two are equal.
pub(super) fn refuse_equal<'a>(
    call: &Call,
    option: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<()> {
    let mut seen = HashSet::new();
    let mut repeated = names.filter(|name| !seen.insert(*name));
    match repeated.next() {
        Some(name) => Err(call.error(format_args!("{option} has {name} twice; give each its own name"))),
        None => Ok(()),
    }
}

/// Reads a struct of names and types, the value of an option: `{'id': 'BIGINT'}`.
pub(super) fn types(call: &Call, name: &str, argument: Argument) -> Result<Vec<(String, DataType)>> {
    let wrong =
        || call.error(format_args!("{name} has names and types: {{'id': 'BIGINT', 'name': 'VARCHAR'}}"));
    let Argument::Struct(fields) = argument else { return Err(wrong()) };
    if fields.is_empty() {
        return Err(call.error(format_args!(
            "{name} is empty; give names and types, {{'id': 'BIGINT', 'name': 'VARCHAR'}}, or leave it out"
        )));
    }
    refuse_equal(call, name, fields.iter().map(|(name, _)| name))?;
    let field = |(name, value): (String, Argument)| {
        let text = value.into_text().ok_or_else(wrong)?;
        Ok((name, arrow_type(&text)?))
    };
    fields.into_iter().map(field).collect()
}
