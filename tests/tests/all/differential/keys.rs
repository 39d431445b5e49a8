//! Joins and lists of keys that compare in their own way: floats, with two zeros, and columns with
//! children.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray};
use arrow::datatypes::{DataType, Field, Int64Type};
use parquet::basic::Compression;
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::render;

use crate::support::{Scratch, engine, sql};

fn file(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    );
    parquet(&[batch.expect("columns of one length")], small_pages(Compression::SNAPPY, 2, 4).build())
}

fn ids(count: i64) -> (&'static str, ArrayRef) {
    ("id", Arc::new(Int64Array::from_iter_values(1..=count)))
}

/// The column `id` of a query over the files.
fn check(files: &[(&str, Vec<u8>)], cases: &[(&str, &[&str])]) {
    let scratch = Scratch::new();
    let engine = engine();
    for (name, file) in files {
        engine.register(name, &scratch.write(&format!("{name}.parquet"), file)).expect("a good file");
    }
    for (query, expected) in cases {
        let found = sql(&engine, query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(render::column(&found, "id"), *expected, "{query}");
    }
}

#[test]
fn both_zeros_are_one_key() {
    let floats = |values: &[f64]| ("f", Arc::new(Float64Array::from(values.to_vec())) as ArrayRef);
    let a = file(vec![ids(4), floats(&[0.0, -0.0, 1.0, f64::NAN])]);
    let b = file(vec![ids(2), floats(&[0.0, -1.0])]);
    let c = file(vec![ids(2), floats(&[-0.0, -1.0])]);
    let five = "0.0, 5.0, 6.0, 7.0, 8.0";
    check(
        &[("a", a), ("b", b), ("c", c)],
        &[
            ("SELECT a.id FROM a JOIN b ON a.f = b.f ORDER BY 1", &["1", "2"]),
            ("SELECT a.id FROM a JOIN c ON a.f = c.f ORDER BY 1", &["1", "2"]),
            ("SELECT id FROM a WHERE f IN (SELECT f FROM b) ORDER BY 1", &["1", "2"]),
            ("SELECT id FROM a WHERE f = 0.0 ORDER BY 1", &["1", "2"]),
            (&format!("SELECT id FROM a WHERE f IN ({five}) ORDER BY 1"), &["1", "2"]),
            (&format!("SELECT id FROM a WHERE f IN (-{five}) ORDER BY 1"), &["1", "2"]),
            (&format!("SELECT id FROM a WHERE f NOT IN ({five}) ORDER BY 1"), &["3", "4"]),
            (&format!("SELECT sum(id) AS id FROM a GROUP BY f IN ({five}) ORDER BY 1"), &["3", "7"]),
        ],
    );
}

#[test]
fn columns_with_children_are_keys_too() {
    let x = Arc::new(StringArray::from(vec![Some("a"), Some("b"), None, Some("zz")])) as ArrayRef;
    let y = Arc::new(Int64Array::from(vec![Some(1), None, Some(2), Some(3)])) as ArrayRef;
    let both = StructArray::from(vec![
        (Arc::new(Field::new("x", DataType::Utf8, true)), x),
        (Arc::new(Field::new("y", DataType::Int64, true)), y),
    ]);
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![None, Some(1)]),
        Some(vec![Some(2)]),
        None,
        Some(vec![]),
    ]);
    let file = file(vec![ids(4), ("s", Arc::new(both)), ("l", Arc::new(lists))]);
    check(
        &[("t", file)],
        &[
            ("SELECT a.id FROM t a JOIN t b ON a.s = b.s ORDER BY 1", &["1", "2", "3", "4"]),
            ("SELECT a.id FROM t a JOIN t b ON a.l = b.l ORDER BY 1", &["1", "2", "4"]),
            ("SELECT id FROM t WHERE s IN (SELECT s FROM t) ORDER BY 1", &["1", "2", "3", "4"]),
            (
                "SELECT id FROM (SELECT id FROM t ORDER BY s NULLS LAST LIMIT 4) ORDER BY 1",
                &["1", "2", "3", "4"],
            ),
        ],
    );
}
