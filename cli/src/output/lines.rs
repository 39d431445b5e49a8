//! Rows as text that is written as they come: Markdown, and a line for each value.

use std::io::Write;

use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow::util::display::ArrayFormatter;

use super::Sink;
use super::table::{VALUES, align};
use super::target::Target;
use crate::failure::Failure;
use pelton_report::table::{Align, printable};

/// Layout of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A table in Markdown.
    Markdown,
    /// `name = value` lines, with an empty line between rows.
    Line,
}

/// See the module.
pub struct LinesSink {
    target: Target,
    layout: Layout,
    /// Names of the columns, in Line flush right.
    names: Vec<String>,
    rows: u64,
}

impl LinesSink {
    /// Writes the head of the table.
    pub fn new(target: Target, schema: &SchemaRef, layout: Layout) -> Result<Self, Failure> {
        let names: Vec<String> = schema.fields().iter().map(|field| printable(field.name())).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let names = match layout {
            Layout::Markdown => names.iter().map(|name| cell(name)).collect(),
            Layout::Line => names.iter().map(|name| format!("{name:>width$}")).collect(),
        };
        let mut sink = LinesSink { target, layout, names, rows: 0 };
        if layout == Layout::Markdown {
            let rule = |data_type: &DataType| match align(data_type) {
                Align::Left => "---",
                Align::Right => "---:",
            };
            let rules: Vec<&str> = schema.fields().iter().map(|field| rule(field.data_type())).collect();
            let head = format!("| {} |\n| {} |\n", sink.names.join(" | "), rules.join(" | "));
            sink.put(&head)?;
        }
        Ok(sink)
    }

    fn put(&mut self, text: &str) -> Result<(), Failure> {
        let fault = self.target.fault();
        self.target.write_all(text.as_bytes()).map_err(|error| fault.behind(error))
    }
}

impl Sink for LinesSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let columns = batch.columns().iter();
        let formatters = columns
            .map(|column| ArrayFormatter::try_new(column.as_ref(), &VALUES))
            .collect::<Result<Vec<_>, _>>()
            .map_err(Failure::error)?;
        for row in 0..batch.num_rows() {
            let cells = formatters.iter().map(|column| column.value(row).try_to_string());
            let cells = cells.collect::<Result<Vec<_>, _>>().map_err(Failure::error)?;
            let cells = cells.iter().map(|cell| printable(cell));
            let text = match self.layout {
                Layout::Markdown => {
                    let cells: Vec<String> = cells.map(|text| cell(&text)).collect();
                    format!("| {} |\n", cells.join(" | "))
                }
                Layout::Line => {
                    let lines = self.names.iter().zip(cells).map(|(name, cell)| format!("{name} = {cell}\n"));
                    let between = if self.rows > 0 { "\n" } else { "" };
                    between.to_owned() + &lines.collect::<String>()
                }
            };
            self.rows += 1;
            self.put(&text)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        self.target.commit()
    }
}

/// Escapes the separator of columns.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
