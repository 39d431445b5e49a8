//! Bloom filters: row groups are left out where a value is certainly not, and never where it is.

use std::sync::Arc;

use arrow::array::*;
use parquet::basic::Compression;
use pelton_tests::file::{parquet, small_pages};

use super::{Condition, Reference, literal};
use crate::support::with_totals;

const ROWS: usize = 4_000;
const GROUPS: u64 = 8;

/// Scattered values, so that bounds rule nothing out.
fn batch() -> RecordBatch {
    let scattered = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..ROWS as i64))),
        ("i16", Arc::new(Int16Array::from_iter_values((0..ROWS).map(|row| (scattered(row) >> 48) as i16)))),
        ("i32", Arc::new(Int32Array::from_iter_values((0..ROWS).map(|row| (scattered(row) >> 32) as i32)))),
        ("i64", Arc::new(Int64Array::from_iter_values((0..ROWS).map(|row| scattered(row) as i64)))),
        ("u32", Arc::new(UInt32Array::from_iter_values((0..ROWS).map(|row| (scattered(row) >> 32) as u32)))),
        ("u64", Arc::new(UInt64Array::from_iter_values((0..ROWS).map(scattered)))),
        (
            "date",
            Arc::new(Date32Array::from_iter_values((0..ROWS).map(|row| (scattered(row) % 40_000) as i32))),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("{:x}", scattered(row))))),
        ),
        (
            "decimal",
            Arc::new({
                let array =
                    Decimal128Array::from_iter_values((0..ROWS).map(|row| i128::from(scattered(row) >> 34)));
                array.with_precision_and_scale(12, 2).expect("the precision is in range")
            }),
        ),
        ("float", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|row| scattered(row) as f64)))),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn reference() -> Reference {
    let group = ROWS / GROUPS as usize;
    let properties = small_pages(Compression::SNAPPY, group, group).set_bloom_filter_enabled(true);
    Reference::new(parquet(&[batch()], properties.set_bloom_filter_max_ndv(group as u64).build()))
}

#[test]
fn values_that_are_there_are_found() {
    let reference = reference();
    for name in &reference.names()[1..] {
        for row in [0, 499, 500, 2_345, ROWS - 1] {
            let equals = Condition::Compare(name.clone(), "=", row);
            reference.check_filter(&["id", name], &equals, "bloom filters");
            let any = Condition::In(name.clone(), vec![row, (row + 1_700) % ROWS]);
            reference.check_filter(&["id", name], &any, "bloom filters");
        }
    }
}

#[test]
fn row_groups_without_a_value_are_left_out() {
    let reference = reference();
    for name in ["i32", "i64", "u32", "u64", "text"] {
        let value = literal(reference.column(name), 2_345);
        let query = format!("SELECT id FROM '{}' WHERE {name} = {value}", reference.path);
        let (rows, totals) = with_totals(&reference.engine, &query);
        assert_eq!(crate::support::rows(&rows), 1, "{query}");
        // a filter errs in one of a hundred cases: two of eight groups at most, by bad luck
        assert!(totals.row_groups_pruned >= GROUPS - 2, "{query}: {totals:?}");
        assert_eq!(totals.row_groups_read + totals.row_groups_pruned, GROUPS, "{query}: {totals:?}");
    }
}

#[test]
fn a_value_that_is_nowhere_reads_no_column() {
    let reference = reference();
    let path = reference.scratch.name("file.parquet");
    let (rows, totals) =
        with_totals(&reference.engine, &format!("SELECT id, text FROM '{path}' WHERE text = 'nowhere'"));
    assert_eq!(crate::support::rows(&rows), 0);
    assert_eq!(totals.row_groups_read, 0, "{totals:?}");
    assert_eq!(totals.pages_read, 0, "{totals:?}");
    assert_eq!(totals.bytes_decompressed(), 0, "{totals:?}");
}
