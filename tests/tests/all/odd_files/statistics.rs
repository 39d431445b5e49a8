//! Statistics for every type, with bounds that are wide, cut, absent, NaN or in the wrong order.

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use parquet::basic::Compression;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::document::{Document, column};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::render;
use pelton_tests::thrift::{Struct, Value};

use crate::support::{Scratch, engine, sql};

/// Field ids of `Statistics`: the old fields, the count of nulls, the new ones, and whether these
/// are exact.
const MAX: i16 = 1;
const MIN: i16 = 2;
const NULL_COUNT: i16 = 3;
const MAX_VALUE: i16 = 5;
const MIN_VALUE: i16 = 6;
const IS_MAX_EXACT: i16 = 7;
const IS_MIN_EXACT: i16 = 8;

fn batch() -> RecordBatch {
    flat(Shape { rows: 300, nulls: 0.1, distinct: 100, seed: 5 })
}

/// Returns the smallest and the largest value and the number of values of each column, as text;
/// `rest` is a condition that all rows meet, so that no footer answers.
fn answers(path: &str, rest: &str) -> Vec<(String, [String; 3])> {
    let engine = engine();
    let batch = batch();
    let fields = batch.schema();
    // without an order, or of an order that SQL has not
    let fields = fields.fields().iter().filter(|field| !matches!(field.data_type(), DataType::Interval(_)));
    let one = |name: &str| {
        let query = format!(
            "SELECT min(\"{name}\") AS low, max(\"{name}\") AS high, count(\"{name}\") AS n FROM '{path}' {rest}"
        );
        let found = sql(&engine, &query).unwrap_or_else(|e| panic!("{query}: {e}"));
        let value = |name: &str| render::column(&found, name).remove(0);
        (name.to_owned(), [value("low"), value("high"), value("n")])
    };
    fields.map(|field| one(field.name())).collect()
}

/// Changes the statistics of every chunk, and asks with and without them.
fn check(context: &str, change: impl Fn(&mut Struct)) {
    let properties = small_pages(Compression::SNAPPY, 50, 150).build();
    let mut document = Document::parse(&parquet(&[batch()], properties));
    document.drop_page_index();
    for chunk in document.row_groups.iter_mut().flatten() {
        if chunk.meta().get(column::STATISTICS).is_some() {
            change(chunk.meta().inner(column::STATISTICS));
        }
    }
    let scratch = Scratch::new();
    let path = scratch.write("file.parquet", &document.write());
    // no column has this, which only a look at the values shows
    let all = "WHERE length(CAST(bool AS VARCHAR)) < 100 OR bool IS NULL";
    assert_eq!(answers(&path, ""), answers(&path, all), "{context}");
}

fn widened(statistics: &mut Struct) {
    for (field, byte) in [(MIN_VALUE, 0x80), (MAX_VALUE, 0x7f)] {
        if let Some(Value::Binary(bytes)) = statistics.get(field) {
            // the outermost of signed numbers, little-endian
            let mut wide = bytes.clone();
            let last = wide.len().saturating_sub(1);
            wide.iter_mut().for_each(|b| *b = if byte == 0x7f { 0xff } else { 0 });
            wide.iter_mut().skip(last).for_each(|b| *b = byte);
            statistics.set(field, Value::Binary(wide));
        }
    }
}

#[test]
fn bounds_as_they_were_written() {
    check("as written", |_| {});
}

#[test]
fn bounds_that_are_wide_are_no_values() {
    check("wide, and said to be", |statistics| {
        widened(statistics);
        [IS_MIN_EXACT, IS_MAX_EXACT].into_iter().for_each(|field| statistics.set(field, Value::Bool(false)));
    });
    check("wide, and nothing said", |statistics| {
        widened(statistics);
        [IS_MIN_EXACT, IS_MAX_EXACT].into_iter().for_each(|field| drop(statistics.remove(field)));
    });
}

#[test]
fn bounds_that_are_absent() {
    for field in [MIN_VALUE, MAX_VALUE] {
        check("one", |statistics| drop(statistics.remove(field)));
    }
    check("both", |statistics| {
        [MIN, MAX, MIN_VALUE, MAX_VALUE].into_iter().for_each(|field| drop(statistics.remove(field)));
    });
}

#[test]
fn bounds_in_the_wrong_order() {
    check("swapped", |statistics| {
        if let (Some(low), Some(high)) =
            (statistics.get(MIN_VALUE).cloned(), statistics.get(MAX_VALUE).cloned())
        {
            statistics.set(MIN_VALUE, high);
            statistics.set(MAX_VALUE, low);
        }
    });
    check("in the fields of old", |statistics| {
        for (new, old) in [(MIN_VALUE, MIN), (MAX_VALUE, MAX)] {
            if let Some(bound) = statistics.remove(new) {
                statistics.set(old, bound);
            }
        }
    });
}

#[test]
fn counts_of_nulls_that_are_absent_or_cannot_be() {
    check("absent", |statistics| drop(statistics.remove(NULL_COUNT)));
    for count in [151, i64::MAX] {
        check("too many", |statistics| statistics.set(NULL_COUNT, Value::I64(count)));
    }
}

/// Conditions find their rows with all kinds of bounds.
#[test]
fn rows_are_found_beside_bounds_in_the_wrong_order() {
    let properties = small_pages(Compression::SNAPPY, 50, 150).build();
    let batch = batch();
    let mut document = Document::parse(&parquet(std::slice::from_ref(&batch), properties));
    for chunk in document.row_groups.iter_mut().flatten() {
        if let Some(Value::Struct(statistics)) = chunk.meta().get(column::STATISTICS).cloned() {
            let mut turned = statistics.clone();
            if let (Some(low), Some(high)) = (statistics.get(MIN_VALUE), statistics.get(MAX_VALUE)) {
                turned.set(MIN_VALUE, high.clone());
                turned.set(MAX_VALUE, low.clone());
            }
            chunk.meta().set(column::STATISTICS, Value::Struct(turned));
        }
        if let Some(index) = &mut chunk.column_index {
            // fields of ColumnIndex: min_values, max_values, boundary_order; zero is no order
            let (low, high) = (index.at(2).clone(), index.at(3).clone());
            index.set(2, high);
            index.set(3, low);
            index.set(4, Value::I32(0));
        }
    }
    let scratch = Scratch::new();
    let path = scratch.write("file.parquet", &document.write());
    for name in ["i32", "i64", "u32", "date32", "dec64", "utf8"] {
        let column = batch.column_by_name(name).expect("a column");
        let present = (0..column.len()).filter(|&row| column.is_valid(row)).count();
        let all = format!("\"{name}\" = \"{name}\" AND \"{name}\" >= (SELECT min(\"{name}\") FROM '{path}')");
        let query = format!("SELECT count(*) AS n FROM '{path}' WHERE {all}");
        let found = sql(&engine(), &query).unwrap_or_else(|e| panic!("{query}: {e}"));
        assert_eq!(render::column(&found, "n"), [present.to_string()], "{query}");
    }
    let query = format!("SELECT count(*) AS n FROM '{path}' WHERE i64 > -1");
    let expected = batch.column_by_name("i64").expect("a column");
    let expected = arrow::array::AsArray::as_primitive::<arrow::datatypes::Int64Type>(expected);
    let expected = expected.iter().flatten().filter(|&value| value > -1).count();
    let found = sql(&engine(), &query).expect("a good file");
    assert_eq!(render::column(&found, "n"), [expected.to_string()]);
}
