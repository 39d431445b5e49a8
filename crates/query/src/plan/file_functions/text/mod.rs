//! CSV and JSON files: `read_csv`, `read_json`, and names of such files in FROM.
//!
//! Arrow's readers parse the text. [`pieces`] reads and decompresses it, [`sniff`] finds the types
//! of values, and [`table`] is the scan.

mod csv;
mod empty_lines;
mod guess;
mod json;
mod json_array;
mod json_check;
mod options;
mod pieces;
mod sniff;
mod table;
mod unique_members;

use std::sync::Arc;

use datafusion::catalog::TableProvider;

use super::call::Call;
use crate::error::Result;
use crate::scan::ScanContext;
use csv::Dialect;
use json::Layout;
use options::Options;
use table::TextTable;

/// Endings of the names of compressed files.
const COMPRESSED: [&str; 2] = [".gz", ".zst"];

/// Format of a text file.
#[derive(Debug, Clone, PartialEq)]
enum Format {
    Csv(Dialect),
    Json(Layout),
}

/// Returns whether a name in FROM is that of CSV or JSON files.
pub(in crate::plan) fn is_text(name: &str) -> bool {
    format_of(name).is_some()
}

fn format_of(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let is_web = name.starts_with("http://") || name.starts_with("https://");
    let name = name.split_once(['?', '#']).filter(|_| is_web).map_or(&*name, |(place, _)| place);
    let plain = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let has = |endings: &[&str]| endings.iter().any(|ending| plain.ends_with(ending));
    match (has(&[".csv", ".tsv"]), has(&[".json", ".ndjson", ".jsonl"])) {
        (true, _) => Some(Format::Csv(Dialect::default())),
        (_, true) => Some(Format::Json(Layout::Any)),
        _ => None,
    }
}

/// Returns the table of text files at a place, which [`is_text`] names.
pub(super) async fn place(place: &str, context: &ScanContext) -> Result<Arc<dyn TableProvider>> {
    let format = format_of(place).unwrap_or(Format::Json(Layout::Any));
    open(&[place.to_owned()], format, Options::default(), context).await
}

/// Returns the table of `read_csv(places, …)`.
pub(super) async fn csv(mut call: Call, context: &ScanContext) -> Result<Arc<dyn TableProvider>> {
    let places = call.places()?;
    let dialect = Dialect::take(&mut call)?;
    let options = Options::take(&mut call)?;
    call.finish()?;
    open(&places, Format::Csv(dialect), options, context).await
}

/// Returns the table of `read_json(places, …)`, or of `read_ndjson` with lines of objects alone.
pub(super) async fn json(
    mut call: Call,
    context: &ScanContext,
    lines: bool,
) -> Result<Arc<dyn TableProvider>> {
    let places = call.places()?;
    let layout = Layout::take(&mut call, lines)?;
    let options = Options::take(&mut call)?;
    call.finish()?;
    open(&places, Format::Json(layout), options, context).await
}

async fn open(
    places: &[String],
    format: Format,
    options: Options,
    context: &ScanContext,
) -> Result<Arc<dyn TableProvider>> {
    Ok(Arc::new(TextTable::open(places, format, options, &context.stores).await?))
}
