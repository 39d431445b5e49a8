//! Rows as a text table: the first ones, and the count of all.

use std::io::Write;

use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::target::Target;
use super::{Sink, pager};
use crate::failure::Failure;
use pelton_report::numbers::{counted, grouped};
use pelton_report::table::{Align, TextTable};

/// Format of printed values.
pub const VALUES: FormatOptions<'static> = FormatOptions::new().with_null("NULL");

/// See the module.
pub struct TableSink {
    target: Target,
    schema: SchemaRef,
    style: Style,
    pager: Option<String>,
    max_rows: usize,
    first: Vec<RecordBatch>,
    kept: usize,
    rows: u64,
}

/// Lines of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Between the columns, and below the titles.
    Plain,
    /// Around the table, too.
    Box,
}

impl TableSink {
    /// Shows `max_rows` rows, or all of them if it is 0. A text that is longer than the screen is
    /// shown in the pager.
    pub fn new(
        target: Target,
        schema: &SchemaRef,
        style: Style,
        max_rows: usize,
        pager: Option<String>,
    ) -> Self {
        // The text of a plan is one long value after another, and source code has many lines;
        // either would lose its end.
        let whole = max_rows == 0 || is_plan(schema) || is_source(schema);
        let max_rows = if whole { usize::MAX } else { max_rows };
        TableSink {
            target,
            schema: schema.clone(),
            style,
            pager,
            max_rows,
            first: Vec::new(),
            kept: 0,
            rows: 0,
        }
    }

    fn print(&mut self) -> Result<(), Failure> {
        let text = match &self.schema {
            schema if is_plan(schema) => self.plan()?,
            schema if is_source(schema) => self.source()?,
            _ => self.table()?,
        };
        if let Some(command) = self.pager.as_ref().filter(|_| is_long(&self.target, &text))
            && pager::show(command, &text)
        {
            return Ok(());
        }
        let fault = self.target.fault();
        self.target.write_all(text.as_bytes()).map_err(|error| fault.behind(error))
    }

    /// Returns the output of EXPLAIN: the texts of the plans.
    fn plan(&self) -> Result<String, Failure> {
        let mut text = String::new();
        for row in self.cells()? {
            for (index, cell) in row.iter().enumerate() {
                let colon = if index == 0 { ":" } else { "" };
                text.push_str(cell.trim_end());
                text.push_str(colon);
                text.push('\n');
            }
        }
        Ok(text)
    }

    /// Returns the output of EXPLAIN CUDA: source code for a compiler.
    fn source(&self) -> Result<String, Failure> {
        Ok(self.cells()?.into_iter().flatten().map(|line| line + "\n").collect())
    }

    fn table(&self) -> Result<String, Failure> {
        let columns =
            self.schema.fields().iter().map(|field| (field.name().clone(), align(field.data_type())));
        let mut table = TextTable::new(columns);
        for row in self.cells()? {
            table.row(row);
        }
        let width = terminal_width(&self.target);
        let drawn = match self.style {
            Style::Plain => table.draw(width),
            Style::Box => table.boxed(width),
        };
        let mut text = drawn.text;
        text.push_str(&match self.kept as u64 == self.rows {
            true => counted(self.rows, "row"),
            false => format!("{} of {} shown", grouped(self.kept as u64), counted(self.rows, "row")),
        });
        let columns = self.schema.fields().len();
        if drawn.hidden_columns > 0 {
            text.push_str(&format!(", {} of {columns} columns", columns - drawn.hidden_columns));
        }
        text.push('\n');
        Ok(text)
    }

    fn cells(&self) -> Result<Vec<Vec<String>>, Failure> {
        let mut rows = Vec::with_capacity(self.kept);
        for batch in &self.first {
            let columns = batch.columns().iter();
            let formatters = columns
                .map(|column| ArrayFormatter::try_new(column.as_ref(), &VALUES))
                .collect::<Result<Vec<_>, _>>()
                .map_err(Failure::error)?;
            for row in 0..batch.num_rows() {
                let cells = formatters.iter().map(|column| column.value(row).try_to_string());
                rows.push(cells.collect::<Result<Vec<_>, _>>().map_err(Failure::error)?);
            }
        }
        Ok(rows)
    }
}

impl Sink for TableSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        self.rows += batch.num_rows() as u64;
        let wanted = (self.max_rows - self.kept).min(batch.num_rows());
        if wanted > 0 {
            self.first.push(compact(batch, wanted)?);
            self.kept += wanted;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.print()?;
        self.target.commit()
    }
}

/// Returns the first rows of a batch, copied where that frees the other rows.
fn compact(batch: &RecordBatch, rows: usize) -> Result<RecordBatch, Failure> {
    if rows == batch.num_rows() {
        return Ok(batch.clone());
    }
    let rows = arrow::array::UInt32Array::from_iter_values(0..rows as u32);
    arrow::compute::take_record_batch(batch, &rows).map_err(Failure::error)
}

/// Returns the side of a column of a type.
pub fn align(data_type: &DataType) -> Align {
    let values = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    if values.is_numeric() { Align::Right } else { Align::Left }
}

fn is_plan(schema: &SchemaRef) -> bool {
    schema.fields().iter().map(|field| field.name().as_str()).eq(["plan_type", "plan"])
}

fn is_source(schema: &SchemaRef) -> bool {
    schema.fields().iter().map(|field| field.name().as_str()).eq([pelton::SOURCE_COLUMN])
}

fn terminal_width(target: &Target) -> Option<usize> {
    if !target.is_terminal() {
        return None;
    }
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into())
}

/// Returns whether a text has more lines than the terminal that it goes to.
fn is_long(target: &Target, text: &str) -> bool {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let height = size.map_or(0, |(_, height)| usize::from(height.0));
    target.is_terminal() && height > 1 && text.lines().count() >= height
}
