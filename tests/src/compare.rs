//! Comparison of the rows of two results.

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::{CastOptions, cast_with_options, concat};
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// Returns a result's columns, each in one piece.
fn columns(batches: &[RecordBatch], count: usize) -> Vec<ArrayRef> {
    let column = |index: usize| {
        let pieces: Vec<&dyn Array> = batches.iter().map(|batch| batch.column(index).as_ref()).collect();
        concat(&pieces).expect("batches of one result have one schema")
    };
    (0..count).map(column).collect()
}

/// Panics if `found` does not have the rows of `expected`, in order. Only values are compared:
/// `found` may have views where `expected` has plain strings.
pub fn assert_same(found: &[RecordBatch], expected: &[RecordBatch], context: &str) {
    let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows(found), rows(expected), "{context}: number of rows");
    if rows(expected) == 0 {
        return;
    }
    let names = |batches: &[RecordBatch]| {
        let schema = batches[0].schema();
        schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(found), names(expected), "{context}: columns");
    let count = found[0].num_columns();
    let names = names(found);
    for ((found, expected), name) in columns(found, count).iter().zip(columns(expected, count)).zip(names) {
        assert_same_column(found, &expected, &format!("{context}: column {name}"));
    }
}

fn assert_same_column(found: &ArrayRef, expected: &ArrayRef, context: &str) {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let expected = cast_with_options(expected, found.data_type(), &options)
        .unwrap_or_else(|e| panic!("{context}: {} and {}: {e}", found.data_type(), expected.data_type()));
    if found == &expected {
        return;
    }
    let differs = |row: &usize| found.slice(*row, 1) != expected.slice(*row, 1);
    let Some(row) = (0..found.len()).find(differs) else {
        panic!("{context}: the columns differ, but no row does");
    };
    let options = FormatOptions::default().with_null("NULL");
    let text = |array: &ArrayRef| {
        let formatter = ArrayFormatter::try_new(array, &options).expect("values can be shown");
        formatter.value(row).to_string()
    };
    panic!("{context}: row {row} is {}, expected {}", text(found), text(&expected));
}
