//! Folders to work in, engines, and queries over one file.

use std::fmt::Write;
use std::path::PathBuf;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use arrow::util::pretty::pretty_format_batches;
use pelton::{Engine, ScanTotals};
use tempfile::TempDir;

/// A folder that goes away with the value.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for temporary files"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns a path as queries and errors have it.
    pub fn name(&self, name: &str) -> String {
        self.path(name).to_str().expect("temporary folders have plain names").to_owned()
    }

    /// Writes a file, and the folders on the way to it; returns its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        let folder = path.parent().expect("a file is in a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(&path, bytes).expect("a file can be written");
        self.name(name)
    }
}

/// Returns an engine of two threads.
pub fn engine() -> Engine {
    Engine::builder().threads(2).build().expect("an engine")
}

/// Returns all rows of a file, or the error.
pub fn read(engine: &Engine, path: &str) -> Result<Vec<RecordBatch>, String> {
    sql(engine, &format!("SELECT * FROM '{path}'"))
}

/// Returns a query's rows, or the error.
pub fn sql(engine: &Engine, sql: &str) -> Result<Vec<RecordBatch>, String> {
    engine.sql(sql).map_err(|error| error.to_string())
}

/// Returns a query's rows, and the totals of its scans.
pub fn with_totals(engine: &Engine, sql: &str) -> (Vec<RecordBatch>, ScanTotals) {
    let mut query = engine.query(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let batches = query.by_ref().collect::<Result<Vec<_>, _>>().unwrap_or_else(|e| panic!("{sql}: {e}"));
    (batches, query.totals())
}

pub fn rows(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

/// An error is one line, and says no more of the inside than a user can use.
pub fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains('\n'), "not one line: {message:?}");
    for word in ["panicked", "RecvError", "JoinError", "External error", "internal error"] {
        assert!(!message.contains(word), "{word:?} in {message}");
    }
}

/// Returns rows as a table.
pub fn text(batches: &[RecordBatch]) -> String {
    pretty_format_batches(batches).expect("values can be shown").to_string()
}

/// Returns each row as text. A table of many rows takes a hundred times as long.
pub fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default().with_display_error(true).with_null("NULL");
    let mut lines = Vec::with_capacity(rows(batches));
    for batch in batches {
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let columns: Vec<_> = columns.collect::<Result<_, _>>().expect("values can be shown");
        for row in 0..batch.num_rows() {
            let mut line = String::new();
            for column in &columns {
                write!(line, "{} | ", column.value(row)).expect("a text grows");
            }
            lines.push(line);
        }
    }
    lines
}

/// Returns rows as text, in the order of the texts, after the names of their columns.
pub fn rows_in_any_order(batches: &[RecordBatch]) -> Vec<String> {
    let mut lines = lines(batches);
    lines.sort_unstable();
    let schema = batches.first().map(RecordBatch::schema);
    let names = schema.iter().flat_map(|schema| schema.fields()).map(|field| field.name().as_str());
    lines.insert(0, names.collect::<Vec<_>>().join(" | "));
    lines
}
