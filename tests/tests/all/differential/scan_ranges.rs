//! Files of several scan ranges: more rows than a scan takes at a time, many pages, and filters
//! that leave holes.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::{SortOptions, filter_record_batch, sort_limit};
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_random::Random;
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::render;

use super::Reference;

/// A scan takes 64 Ki rows and more at a time.
const ROWS: usize = 220_000;

/// `id` is sorted; `group` comes in long runs; `noise` is in no order; `text` has nulls and takes
/// most of the bytes.
fn batch() -> RecordBatch {
    let mut random = Random::new(99);
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values((0..ROWS as i64).map(|row| row * 3)));
    let group: ArrayRef = Arc::new(Int32Array::from_iter_values((0..ROWS as i32).map(|row| row / 5_000)));
    let noise: ArrayRef =
        Arc::new(Int32Array::from_iter_values((0..ROWS).map(|_| random.below(100_000) as i32)));
    let text =
        (0..ROWS).map(|row| (row % 11 != 0).then(|| format!("text of row {row} and {}", random.below(50))));
    let text: ArrayRef = Arc::new(text.collect::<StringArray>());
    let columns = [("id", id), ("group", group), ("noise", noise), ("text", text)];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

type Wanted = Box<dyn Fn(i64, i32, i32) -> bool>;

fn conditions() -> Vec<(&'static str, Wanted)> {
    vec![
        // few rows, far apart: most pages of `text` are not read
        ("noise = 777", Box::new(|_, _, noise| noise == 777)),
        ("noise < 20", Box::new(|_, _, noise| noise < 20)),
        // every page is needed, some rows of each
        ("noise % 7 = 0", Box::new(|_, _, noise| noise % 7 == 0)),
        // ranges over the ends of pages and windows
        ("id BETWEEN 190000 AND 203000", Box::new(|id, _, _| (190_000..=203_000).contains(&id))),
        ("id >= 196600 AND id < 196700", Box::new(|id, _, _| (196_600..196_700).contains(&id))),
        ("id IN (0, 3, 659997, 300000)", Box::new(|id, _, _| [0, 3, 659_997, 300_000].contains(&id))),
        // stretches of wanted rows with holes between them
        ("\"group\" IN (1, 7, 8, 30)", Box::new(|_, group, _| [1, 7, 8, 30].contains(&group))),
        ("\"group\" % 3 = 1 AND noise < 500", Box::new(|_, group, noise| group % 3 == 1 && noise < 500)),
        ("id > 600000 AND noise < 1000", Box::new(|id, _, noise| id > 600_000 && noise < 1_000)),
        ("id < 0", Box::new(|_, _, _| false)),
        ("id % 2 = 0 OR noise > 99990", Box::new(|id, _, noise| id % 2 == 0 || noise > 99_990)),
    ]
}

fn check(page_rows: usize, group_rows: usize, index: bool, version: WriterVersion) {
    use arrow::array::AsArray;
    use arrow::datatypes::{Int32Type, Int64Type};
    let properties = small_pages(Compression::SNAPPY, page_rows, group_rows)
        .set_writer_version(version)
        .set_offset_index_disabled(!index);
    let reference = Reference::new(parquet(&[batch()], properties.build()));
    let context = format!("pages of {page_rows}, row groups of {group_rows}, index {index}, {version:?}");
    reference.check(&["id", "group", "noise", "text"], "", &reference.rows, &context);
    let id = reference.column("id").as_primitive::<Int64Type>();
    let group = reference.column("group").as_primitive::<Int32Type>();
    let noise = reference.column("noise").as_primitive::<Int32Type>();
    for (condition, wanted) in conditions() {
        let mask =
            (0..ROWS).map(|row| Some(wanted(id.value(row), group.value(row), noise.value(row)))).collect();
        let expected = filter_record_batch(&reference.rows, &mask).expect("a mask of the same length");
        for columns in [&["id", "text"][..], &["id", "noise"], &["id", "group", "noise", "text"]] {
            reference.check(columns, &format!("WHERE {condition}"), &expected, &context);
        }
    }
}

#[test]
fn small_pages_with_an_index() {
    check(1_000, ROWS, true, WriterVersion::PARQUET_1_0);
}

#[test]
fn pages_that_do_not_line_up_with_anything() {
    check(3_333, 150_000, true, WriterVersion::PARQUET_2_0);
}

#[test]
fn small_pages_without_an_index() {
    check(1_000, 100_000, false, WriterVersion::PARQUET_1_0);
}

/// The first rows of an order tell the scan, as it goes, which rows can no longer be among them.
#[test]
fn first_rows_of_an_order() {
    let properties = small_pages(Compression::SNAPPY, 2_000, 50_000);
    let reference = Reference::new(parquet(&[batch()], properties.build()));
    for name in ["id", "group", "noise", "text"] {
        for descending in [false, true] {
            for nulls_first in [false, true] {
                for limit in [1, 10, 9_000] {
                    let order = if descending { "DESC" } else { "ASC" };
                    let nulls = if nulls_first { "FIRST" } else { "LAST" };
                    let rest = format!("ORDER BY \"{name}\" {order} NULLS {nulls} LIMIT {limit}");
                    let options = SortOptions { descending, nulls_first };
                    let first = sort_limit(reference.column(name), Some(options), Some(limit));
                    let expected = RecordBatch::try_from_iter([(name, first.expect("values with an order"))]);
                    let query = format!("SELECT \"{name}\" FROM '{}' {rest}", reference.path);
                    let found = crate::support::sql(&reference.engine, &query).expect("a good file");
                    pelton_tests::compare::assert_same(&found, &[expected.expect("one column")], &query);
                }
            }
        }
    }
    // and with a condition that few rows pass
    let query =
        format!("SELECT id FROM '{}' WHERE noise % 1000 = 7 ORDER BY id DESC LIMIT 3", reference.path);
    let found = crate::support::sql(&reference.engine, &query).expect("a good file");
    let all = format!("SELECT id FROM '{}' WHERE noise % 1000 = 7", reference.path);
    let all = crate::support::sql(&reference.engine, &all).expect("a good file");
    let mut ids: Vec<i64> =
        render::column(&all, "id").iter().map(|id| id.parse().expect("a number")).collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let ids: Vec<String> = ids.iter().take(3).map(i64::to_string).collect();
    assert_eq!(render::column(&found, "id"), ids);
}

#[test]
fn limits_over_windows() {
    let properties = small_pages(Compression::SNAPPY, 2_000, ROWS);
    let reference = Reference::new(parquet(&[batch()], properties.build()));
    for limit in [1, 8_192, 8_193, 100_000, ROWS, ROWS * 2] {
        let query = format!("SELECT id, text FROM '{}' LIMIT {limit}", reference.path);
        let rows = crate::support::sql(&reference.engine, &query).expect("a good file");
        assert_eq!(crate::support::rows(&rows), limit.min(ROWS), "{query}");
    }
    // a limit counts rows that pass
    let query = format!("SELECT id FROM '{}' WHERE noise % 10 = 0 LIMIT 500", reference.path);
    let rows = crate::support::sql(&reference.engine, &query).expect("a good file");
    assert_eq!(crate::support::rows(&rows), 500);
}
