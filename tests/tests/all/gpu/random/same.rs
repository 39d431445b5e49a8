//! Comparison of two results.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use pelton_tests::render::render;

use super::query::Generated;

/// Maximum distance of sums of floats, relative to the larger one.
const TOLERANCE: f64 = 1e-9;

/// A value as text, and as a number if its column is rough.
type Cell = (String, f64);

fn cell(array: &dyn Array, row: usize, rough: bool) -> Cell {
    let value = match array.data_type() {
        _ if array.is_null(row) => return ("NULL".to_owned(), 0.0),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row),
        DataType::Float32 => f64::from(array.as_primitive::<Float32Type>().value(row)),
        _ => return (render(array, row), 0.0),
    };
    match () {
        () if rough && value.is_finite() => (String::new(), value),
        () if value.is_nan() => ("NaN".to_owned(), 0.0),
        // zeros are equal, and either may stand for both
        () => (format!("{:?}", value + 0.0), 0.0),
    }
}

fn rows(batches: &[RecordBatch], query: &Generated) -> Vec<Vec<Cell>> {
    let of_batch = |batch: &RecordBatch| {
        let row = |row| {
            let columns = batch.columns().iter().zip(&query.rough);
            columns.map(|(column, rough)| cell(column.as_ref(), row, *rough)).collect()
        };
        (0..batch.num_rows()).map(row).collect::<Vec<Vec<Cell>>>()
    };
    let mut rows: Vec<Vec<Cell>> = batches.iter().flat_map(of_batch).collect();
    if !query.ordered {
        rows.sort_by(|a, b| {
            let texts = |row: &[Cell]| row.iter().map(|cell| cell.0.clone()).collect::<Vec<_>>();
            let numbers = a.iter().zip(b).map(|(x, y)| x.1.total_cmp(&y.1));
            texts(a)
                .cmp(&texts(b))
                .then_with(|| numbers.fold(std::cmp::Ordering::Equal, |all, one| all.then(one)))
        });
    }
    rows
}

/// Returns the first difference, or nothing.
pub fn same(found: &[RecordBatch], expected: &[RecordBatch], query: &Generated) -> Result<(), String> {
    let (found, expected) = (rows(found, query), rows(expected, query));
    if found.len() != expected.len() {
        return Err(format!("{} rows, expected {}", found.len(), expected.len()));
    }
    let near = |a: &Cell, b: &Cell| a.0 == b.0 && (a.1 - b.1).abs() <= TOLERANCE * a.1.abs().max(b.1.abs());
    for (number, (a, b)) in found.iter().zip(&expected).enumerate() {
        if !a.iter().zip(b).all(|(a, b)| near(a, b)) {
            return Err(format!("row {number} is\n  {a:?}, expected\n  {b:?}"));
        }
    }
    Ok(())
}
