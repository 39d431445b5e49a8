//! A query's result as text, in which results of different engines, and published answers, are
//! compared.

use std::fmt::Write;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float32Type, Float64Type, SchemaRef};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde::{Deserialize, Serialize};

/// Rule by which values of a column are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers and decimals, as digits.
    Number,
    /// Binary floating point numbers, as digits without an exponent.
    Float,
    /// Anything else, exactly; dates as `1995-03-15`.
    Text,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The name the engine gave it.
    pub name: String,
    /// Rule by which its values are compared.
    pub kind: Kind,
}

/// A query's whole result; `None` is SQL's null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultSet {
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The rows, in order, each with a value for each column.
    pub rows: Vec<Vec<Option<String>>>,
}

impl ResultSet {
    /// Returns the text of Arrow batches that have `schema`.
    pub fn from_batches(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Self, ArrowError> {
        let columns: Vec<Column> = schema
            .fields()
            .iter()
            .map(|field| Column { name: field.name().clone(), kind: kind_of(field.data_type()) })
            .collect();
        let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
        for batch in batches {
            let texts = batch.columns().iter().map(column_text).collect::<Result<Vec<_>, ArrowError>>()?;
            let mut texts: Vec<_> = texts.into_iter().map(Vec::into_iter).collect();
            for _ in 0..batch.num_rows() {
                rows.push(texts.iter_mut().map(|column| column.next().flatten()).collect());
            }
        }
        Ok(ResultSet { columns, rows })
    }

    /// Reads a kept answer: a header line with the names, then a line a row, values between `|`. No
    /// value of TPC-H has a `|` or a line break in it; an empty value is null.
    pub fn from_answer(text: &str) -> Self {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let mut lines = text.split('\n');
        let columns = lines.next().unwrap_or_default().split('|');
        let value = |value: &str| (!value.is_empty()).then(|| value.to_owned());
        ResultSet {
            columns: columns.map(|name| Column { name: name.to_owned(), kind: Kind::Text }).collect(),
            rows: lines.map(|line| line.split('|').map(value).collect()).collect(),
        }
    }
}

fn kind_of(data_type: &DataType) -> Kind {
    match data_type {
        DataType::Dictionary(_, values) => kind_of(values),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Kind::Float,
        other if other.is_numeric() => Kind::Number,
        _ => Kind::Text,
    }
}

fn column_text(array: &ArrayRef) -> Result<Vec<Option<String>>, ArrowError> {
    // Rust prints a float's shortest digits that read back as the same value, and never an
    // exponent, which Arrow's own formatter may.
    match array.data_type() {
        DataType::Float64 => {
            Ok(array.as_primitive::<Float64Type>().iter().map(|v| v.map(|v| v.to_string())).collect())
        }
        DataType::Float32 => {
            Ok(array.as_primitive::<Float32Type>().iter().map(|v| v.map(|v| v.to_string())).collect())
        }
        _ => {
            let options = FormatOptions::default();
            let formatter = ArrayFormatter::try_new(array, &options)?;
            (0..array.len())
                .map(|row| {
                    if array.is_null(row) {
                        return Ok(None);
                    }
                    let mut text = String::new();
                    write!(text, "{}", formatter.value(row))
                        .map_err(|e| ArrowError::ExternalError(Box::new(e)))?;
                    Ok(Some(text))
                })
                .collect()
        }
    }
}

#[cfg(test)]
mod tests;
