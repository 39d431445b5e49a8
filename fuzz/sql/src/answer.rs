//! Answers of engines, and their comparison.

use std::cmp::Ordering;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow_ipc::reader::StreamReader;
use pelton_tests::render::render;

/// Outcome of a statement.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// A stream of Arrow's.
    Rows(Vec<u8>),
    /// An error's message.
    Refused(String),
    /// A panic's message.
    Panicked(String),
    /// The process ended, with this status.
    Died(String),
    /// There was no answer in time.
    Hung,
}

/// Maximum relative distance of floats that engines round differently.
const TOLERANCE: f64 = 1e-9;

/// The same near zero, where sums cancel out.
const NEAR_ZERO: f64 = 1e-7;

/// Rows as text that depends on the values and not on their types.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Rows in the order they came in.
    pub rows: Vec<Vec<String>>,
}

impl Answer {
    /// Reads a stream of Arrow's; one of no bytes has no rows.
    ///
    /// # Errors
    /// It is none.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut rows = Vec::new();
        if !bytes.is_empty() {
            for batch in StreamReader::try_new(bytes, None).map_err(|e| e.to_string())? {
                let batch = batch.map_err(|e| e.to_string())?;
                rows.extend((0..batch.num_rows()).map(|row| cells(&batch, row)));
            }
        }
        Ok(Self { rows })
    }

    /// Returns the first difference from the right answer, or nothing. Columns for which `rough` is
    /// true are compared with a tolerance, and rows in their order only if `ordered` says so.
    pub fn difference(&self, right: &Self, rough: &[bool], ordered: bool) -> Option<String> {
        let (mut found, mut right) = (self.rows.clone(), right.rows.clone());
        if !ordered {
            found.sort_by(|a, b| order(a, b, rough));
            right.sort_by(|a, b| order(a, b, rough));
        }
        for index in 0..found.len().max(right.len()) {
            match (found.get(index), right.get(index)) {
                (Some(found), Some(right)) if same(found, right, rough) => {}
                (found, right) => {
                    let text =
                        |row: Option<&Vec<String>>| row.map_or("no row".to_owned(), |row| row.join(" | "));
                    return Some(format!("{}, right is {}", text(found), text(right)));
                }
            }
        }
        None
    }
}

fn cells(batch: &RecordBatch, row: usize) -> Vec<String> {
    batch.columns().iter().map(|column| cell(column.as_ref(), row)).collect()
}

fn cell(column: &dyn Array, row: usize) -> String {
    let text = render(column, row);
    match column.data_type() {
        // zeros are equal, and either may stand for both
        DataType::Float32 | DataType::Float64 if text == "-0.0" => "0.0".to_owned(),
        DataType::List(_) | DataType::Struct(_) => {
            text.replace("-0.0,", "0.0,").replace("-0.0]", "0.0]").replace("-0.0}", "0.0}")
        }
        _ => text,
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn is_rough(rough: &[bool], column: usize) -> bool {
    rough.get(column).copied().unwrap_or(false)
}

/// Orders rows by their exact values, then by the rounded ones.
fn order(a: &[String], b: &[String], rough: &[bool]) -> Ordering {
    let exact = a.iter().zip(b).enumerate().filter(|(column, _)| !is_rough(rough, *column));
    let exact = exact.map(|(_, (a, b))| a.cmp(b)).find(|order| order.is_ne());
    let rounded = a.iter().zip(b).enumerate().filter(|(column, _)| is_rough(rough, *column));
    let mut rounded = rounded.map(|(_, (a, b))| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    exact.unwrap_or_else(|| rounded.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}

fn same(a: &[String], b: &[String], rough: &[bool]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).enumerate().all(|(column, (a, b))| {
            a == b
                || is_rough(rough, column)
                    && number(a).zip(number(b)).is_some_and(|(a, b)| {
                        (a - b).abs() <= (TOLERANCE * a.abs().max(b.abs())).max(NEAR_ZERO)
                    })
        })
}
