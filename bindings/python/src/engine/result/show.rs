//! Results as tables for reading: the first rows, as text and as HTML.

use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pelton_report::table::{Align, TextTable};

/// Number of rows that are shown, unless a caller asks for others.
pub const ROWS: usize = 10;

/// Width of a table of text in characters, which fits a terminal and a notebook.
const WIDTH: usize = 100;

/// Most columns of an HTML table; the rest is left out.
const COLUMNS: usize = 30;

/// Most characters of a cell. Longer ones end in `…`.
const CELL: usize = 80;

/// Format of values. A value that cannot be printed shows the reason in its cell.
const VALUES: FormatOptions<'static> = FormatOptions::new().with_null("NULL").with_display_error(true);

/// Returns a table of text with the first `most` rows, and the numbers of rows and columns.
/// `ended`: the batches are all rows.
///
/// # Errors
/// A type has no text.
pub fn text(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    most: usize,
    ended: bool,
) -> Result<String, ArrowError> {
    let titles = schema.fields().iter().map(|field| (field.name().clone(), align(field.data_type())));
    let mut table = TextTable::new(titles);
    for row in cells(batches, most)? {
        table.row(row);
    }
    Ok(table.draw(Some(WIDTH)).text + &size(schema, batches, most, ended))
}

/// Returns the same as HTML.
///
/// # Errors
/// As [`text`].
pub fn html(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    most: usize,
    ended: bool,
) -> Result<String, ArrowError> {
    let mut html = "<table><thead><tr>".to_owned();
    for field in schema.fields().iter().take(COLUMNS) {
        let (name, of) = (escape(field.name()), escape(&cut(field.data_type().to_string())));
        html += &format!("<th title=\"{of}\">{name}</th>");
    }
    html += "</tr></thead><tbody>";
    for row in cells(batches, most)? {
        html += "<tr>";
        for (cell, field) in row.iter().zip(schema.fields()).take(COLUMNS) {
            let side = if align(field.data_type()) == Align::Right { "right" } else { "left" };
            html += &format!("<td style=\"text-align:{side}\">{}</td>", escape(cell));
        }
        html += "</tr>";
    }
    html += &format!("</tbody></table><p>{}</p>", escape(&size(schema, batches, most, ended)));
    Ok(html)
}

fn size(schema: &SchemaRef, batches: &[RecordBatch], most: usize, ended: bool) -> String {
    let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
    let counted = |count: usize, of: &str| format!("{count} {of}{}", if count == 1 { "" } else { "s" });
    let columns = counted(schema.fields().len(), "column");
    match (ended, rows > most) {
        (true, false) => format!("{}, {columns}", counted(rows, "row")),
        (true, true) => format!("{}, {columns}; the first {most} are shown", counted(rows, "row")),
        (false, _) => format!("more than {most} rows, {columns}; the first {most} are shown"),
    }
}

fn cells(batches: &[RecordBatch], most: usize) -> Result<Vec<Vec<String>>, ArrowError> {
    let mut rows = Vec::new();
    for batch in batches {
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &VALUES));
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows().min(most - rows.len()) {
            rows.push(columns.iter().map(|column| cut(column.value(row).to_string())).collect());
        }
    }
    Ok(rows)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn align(data_type: &DataType) -> Align {
    let values = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    if values.is_numeric() { Align::Right } else { Align::Left }
}

/// Escapes text for HTML, attributes included.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
