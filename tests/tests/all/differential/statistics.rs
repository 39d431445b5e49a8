//! Statistics that say less than they seem to: bounds without NaN, counts of nulls that were left
//! out, bounds of strings that were cut short.

use std::sync::Arc;

use arrow::array::*;
use parquet::basic::Compression;
use pelton_tests::document::{Document, column};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::render;
use pelton_tests::thrift::{Struct, Value};

use super::{Condition, Reference};
use crate::support::sql;

fn file(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    parquet(&[batch], small_pages(Compression::SNAPPY, 10, 50).build())
}

fn ids(count: usize) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..count as i64))
}

fn check_all(reference: &Reference, column: &str) {
    for row in 0..reference.rows.num_rows() {
        for operator in ["=", "<>", "<", "<=", ">", ">="] {
            let condition = Condition::Compare(column.to_owned(), operator, row);
            reference.check_filter(&["id", column], &condition, "bounds");
        }
    }
}

/// Writers leave NaN out of bounds, and SQL takes it as larger than any number.
#[test]
fn nan_is_found_above_the_largest_number() {
    let values: Vec<f64> = (0..60).map(|row| if row == 33 { f64::NAN } else { f64::from(row) }).collect();
    let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", ids(60)),
        ("double", Arc::new(Float64Array::from(values))),
        ("single", Arc::new(Float32Array::from(singles))),
    ];
    let reference = Reference::new(file(columns));
    for name in ["double", "single"] {
        for row in [33, 34, 59] {
            for operator in ["=", "<>", "<", "<=", ">", ">="] {
                let condition = Condition::Compare(name.to_owned(), operator, row);
                reference.check_filter(&["id", name], &condition, "NaN");
            }
        }
        let query = format!("SELECT max({name}) AS m, min({name}) AS n FROM '{}'", reference.path);
        let found = sql(&reference.engine, &query).expect("a good file");
        assert_eq!(render::column(&found, "m"), ["NaN"], "{query}");
        assert_eq!(render::column(&found, "n"), ["0.0"], "{query}");
        let query = format!("SELECT count(*) AS n FROM '{}' WHERE {name} > 1000", reference.path);
        let found = sql(&reference.engine, &query).expect("a good file");
        assert_eq!(render::column(&found, "n"), ["1"], "{query}");
    }
}

/// To SQL they are equal.
#[test]
fn zeros_of_both_signs() {
    let values: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, 1.0, -1.0, 0.0]));
    let reference = Reference::new(file(vec![("id", ids(5)), ("f", values)]));
    for (condition, ids) in [
        ("f = 0.0", vec!["0", "1", "4"]),
        ("f = -0.0", vec!["0", "1", "4"]),
        ("f < 0.0", vec!["3"]),
        ("f >= -0.0", vec!["0", "1", "2", "4"]),
        ("f <> 0.0", vec!["2", "3"]),
    ] {
        let found = sql(&reference.engine, &format!("SELECT id FROM '{}' WHERE {condition}", reference.path));
        assert_eq!(render::column(&found.expect("a good file"), "id"), ids, "{condition}");
    }
}

/// On x86, zero divided by zero is a NaN with a sign. To SQL every NaN is one value above all
/// numbers.
#[test]
fn nans_of_any_bits_are_one_value_above_the_largest_number() {
    let odd = [f64::from_bits(0xFFF8_0000_0000_0000), f64::from_bits(0x7FF8_0000_0000_0123), f64::NAN];
    let values = vec![5.0, odd[0], 7.0, odd[1], -1.0, odd[2], odd[0], 5.0];
    let singles: Vec<f32> = values.iter().map(|&value| value as f32).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", ids(8)),
        ("double", Arc::new(Float64Array::from(values))),
        ("single", Arc::new(Float32Array::from(singles))),
    ];
    let reference = Reference::new(file(columns));
    let nans = vec!["1", "3", "5", "6"];
    for name in ["double", "single"] {
        let nan = "CAST('NaN' AS DOUBLE)";
        for (condition, expected) in [
            (format!("{name} <= 0"), vec!["4"]),
            (format!("{name} > 7"), nans.clone()),
            (format!("{name} = {nan}"), nans.clone()),
            (format!("{name} <> {nan}"), vec!["0", "2", "4", "7"]),
            (format!("{name} IN ({nan}, 7.0)"), vec!["1", "2", "3", "5", "6"]),
            (format!("{name} = (SELECT max({name}) FROM '{}')", reference.path), nans.clone()),
        ] {
            let query = format!("SELECT id FROM '{}' WHERE {condition} ORDER BY id", reference.path);
            let found = sql(&reference.engine, &query).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert_eq!(render::column(&found, "id"), expected, "{query}");
        }
        let path = &reference.path;
        for (query, expected) in [
            (format!("SELECT id FROM '{path}' ORDER BY {name}, id LIMIT 5"), vec!["4", "0", "7", "2", "1"]),
            (
                format!("SELECT count(*) AS id FROM '{path}' GROUP BY {name} ORDER BY 1"),
                vec!["1", "1", "2", "4"],
            ),
            (format!("SELECT count(DISTINCT {name}) AS id FROM '{path}'"), vec!["4"]),
            (
                format!("SELECT count(*) AS id FROM '{path}' a JOIN '{path}' b ON a.{name} = b.{name}"),
                vec!["22"],
            ),
        ] {
            let found = sql(&reference.engine, &query).unwrap_or_else(|error| panic!("{query}: {error}"));
            assert_eq!(render::column(&found, "id"), expected, "{query}");
        }
    }
}

/// Before format 2.4 bounds of strings compared their bytes as signed numbers, in fields of their
/// own.
#[test]
fn bounds_in_the_old_order() {
    let values: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "é", "c"]));
    let mut document = Document::parse(&file(vec![("id", ids(4)), ("s", values)]));
    document.drop_page_index();
    let bytes = |text: &str| Value::Binary(text.as_bytes().to_vec());
    // fields of Statistics: max, min, max_value, min_value
    let statistics = Struct(vec![(1, bytes("c")), (2, bytes("é")), (3, Value::I64(0))]);
    document.row_groups[0][1].meta().set(column::STATISTICS, Value::Struct(statistics));
    check_all(&Reference::new(document.write()), "s");
    // and a file that does not say which order its bounds are in
    let statistics = Struct(vec![(3, Value::I64(0)), (5, bytes("c")), (6, bytes("é"))]);
    document.row_groups[0][1].meta().set(column::STATISTICS, Value::Struct(statistics));
    document.footer.remove(7);
    check_all(&Reference::new(document.write()), "s");
}

/// A missing count of nulls does not mean that there are none.
#[test]
fn nulls_that_were_not_counted() {
    let values: ArrayRef = Arc::new((0..60).map(|row| (row % 4 != 0).then_some(row)).collect::<Int32Array>());
    let mut document = Document::parse(&file(vec![("id", ids(60)), ("n", values)]));
    document.drop_page_index();
    for chunk in document.row_groups.iter_mut().flatten() {
        // Statistics.null_count
        chunk.meta().inner(column::STATISTICS).remove(3);
    }
    let reference = Reference::new(document.write());
    reference.check_filter(&["id", "n"], &Condition::Null("n".to_owned()), "no null counts");
    reference.check_filter(&["id", "n"], &Condition::NotNull("n".to_owned()), "no null counts");
    let query = format!("SELECT count(n) AS n FROM '{}'", reference.path);
    assert_eq!(render::column(&sql(&reference.engine, &query).expect("a good file"), "n"), ["45"]);
}

#[test]
fn strings_longer_than_their_bounds() {
    let stem = "the same beginning, longer than the sixty-four bytes that writers keep of a bound; ";
    let values: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..60).map(|row| format!("{stem}{}", row % 7))));
    check_some(&Reference::new(file(vec![("id", ids(60)), ("s", values)])), "s");
    let values: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..60).map(|row| "\u{10ffff}".repeat(row % 40))));
    check_some(&Reference::new(file(vec![("id", ids(60)), ("s", values)])), "s");
}

fn check_some(reference: &Reference, column: &str) {
    for row in (0..reference.rows.num_rows()).step_by(11) {
        for operator in ["=", "<", ">", ">="] {
            let condition = Condition::Compare(column.to_owned(), operator, row);
            reference.check_filter(&["id", column], &condition, "bounds cut short");
        }
    }
    let query = format!("SELECT max({column}) AS m FROM '{}'", reference.path);
    let found = sql(&reference.engine, &query).expect("a good file");
    let largest = render::column(std::slice::from_ref(&reference.rows), column).into_iter().max();
    assert_eq!(Some(render::column(&found, "m")[0].clone()), largest);
}

/// Unsigned numbers above half of their range are negative in the file.
#[test]
fn unsigned_numbers_and_negative_decimals() {
    let values: ArrayRef = Arc::new(UInt32Array::from(vec![1, u32::MAX, 1 << 31, (1 << 31) - 1, 0]));
    check_all(&Reference::new(file(vec![("id", ids(5)), ("u", values)])), "u");
    let values: ArrayRef = Arc::new(UInt64Array::from(vec![1, u64::MAX, 1 << 63, (1 << 63) - 1, 0]));
    check_all(&Reference::new(file(vec![("id", ids(5)), ("u", values)])), "u");
    for precision in [9, 18, 38] {
        let values = Decimal128Array::from(vec![-1, 1, -900_000_000, 900_000_000, 0]);
        let values: ArrayRef = Arc::new(values.with_precision_and_scale(precision, 2).expect("in range"));
        check_all(&Reference::new(file(vec![("id", ids(5)), ("d", values)])), "d");
    }
}

#[test]
fn columns_of_nulls_only() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", ids(60)),
        ("n", Arc::new(Int32Array::from(vec![None; 60]))),
        ("s", Arc::new(StringArray::from(vec![None::<&str>; 60]))),
    ];
    let reference = Reference::new(file(columns));
    for name in ["n", "s"] {
        reference.check_filter(&["id", name], &Condition::Null(name.to_owned()), "only nulls");
        reference.check_filter(&["id", name], &Condition::NotNull(name.to_owned()), "only nulls");
        let query =
            format!("SELECT max({name}) AS m, count({name}) AS c, count(*) AS a FROM '{}'", reference.path);
        let found = sql(&reference.engine, &query).expect("a good file");
        assert_eq!(render::column(&found, "m"), ["NULL"]);
        assert_eq!(render::column(&found, "c"), ["0"]);
        assert_eq!(render::column(&found, "a"), ["60"]);
    }
}

/// Pages of nulls have no bounds in the page index.
#[test]
fn pages_of_nulls_among_others() {
    let values = (0..200).map(|row| (row / 10 % 3 != 1).then_some(row));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("id", ids(200)), ("n", Arc::new(values.collect::<Int32Array>()))];
    let reference = Reference::new(file(columns));
    for row in [0, 5, 45, 99, 199] {
        for operator in ["=", "<>", "<", ">="] {
            let condition = Condition::Compare("n".to_owned(), operator, row);
            reference.check_filter(&["id", "n"], &condition, "pages of nulls");
        }
    }
    reference.check_filter(&["id", "n"], &Condition::Null("n".to_owned()), "pages of nulls");
    reference.check_filter(&["id", "n"], &Condition::NotNull("n".to_owned()), "pages of nulls");
}
