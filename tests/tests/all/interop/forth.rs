//! Files of other engines. `tests/interop/write.py` has them written and knows their content.

use arrow::array::RecordBatch;
use arrow::compute::filter_record_batch;
use arrow::datatypes::DataType;
use pelton::Engine;
use pelton_tests::python;
use pelton_tests::render;

use super::{arrow_file, assert_same_values};
use crate::support::{Scratch, engine, read, sql};

/// Columns that are not compared, since an engine does not read back its own values: pyarrow
/// forgets the zone of timestamps of 96 bits.
const UNLIKE: [(&str, &str, &[&str]); 2] =
    [("pyarrow", "int96", &["ts_us_utc", "ts_ms_zone"]), ("pyarrow", "spark", &["ts_us_utc", "ts_ms_zone"])];

fn check(writer: &str, min: usize) {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let folder = scratch.name("");
    let printed = python::run(&interpreter, "write.py", &[writer, &folder]);
    let files: Vec<&str> = printed.lines().collect();
    assert!(files.len() >= min, "{writer} wrote {files:?}");
    let engine = engine();
    let mut failures = Vec::new();
    for name in files {
        let one = || {
            let path = scratch.name(&format!("{name}.parquet"));
            let expected = arrow_file(&scratch.path(&format!("{name}.arrow")));
            let unlike = UNLIKE.iter().find(|(of, file, _)| *of == writer && *file == name);
            let except = unlike.map_or(&[][..], |(_, _, columns)| columns);
            let found = read(&engine, &path).unwrap_or_else(|e| panic!("{e}"));
            assert_same_values(&found, &expected, except, name);
            // and some rows of it, so that the other columns are decoded late
            let found = sql(&engine, &format!("SELECT * FROM '{path}' WHERE id % 37 = 5"))
                .unwrap_or_else(|e| panic!("{e}"));
            assert_same_values(&found, &some(&expected), except, &format!("{name}, some rows"));
            conditions(&engine, &path, &expected);
        };
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(one)) {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            failures.push(format!("{name}: {text}"));
        }
    }
    assert!(failures.is_empty(), "{} files of {writer}:\n{}", failures.len(), failures.join("\n"));
}

/// DuckDB's intervals have months, days and milliseconds, and no type of Arrow's that parquet-rs
/// decodes has all.
#[test]
fn intervals_of_duckdb_are_refused_by_name() {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let printed = python::run(&interpreter, "write.py", &["duckdb_intervals", &scratch.name("")]);
    assert_eq!(printed.trim(), "intervals");
    let path = scratch.name("intervals.parquet");
    let message = read(&engine(), &path).expect_err("months would be lost");
    let expected = "row group 0, column span: intervals of months, days and milliseconds are not supported";
    assert!(message.starts_with(&format!("{path}: {expected}")), "{message}");
    let rows = sql(&engine(), &format!("SELECT id FROM '{path}'")).expect("the other columns can be read");
    assert_same_values(
        &rows,
        &[arrow_file(&scratch.path("intervals.arrow"))[0].project(&[0]).expect("it has one")],
        &[],
        "id",
    );
}

/// Equality with values that are there, which the writer's statistics, page index and bloom filters
/// must let through.
fn conditions(engine: &Engine, path: &str, expected: &[RecordBatch]) {
    let Some(first) = expected.first() else { return };
    for field in first.schema().fields() {
        let is_text = matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        if !is_text && !field.data_type().is_integer() {
            continue;
        }
        let name = field.name();
        let values = render::column(expected, name);
        for value in [7, 150, 299].iter().filter_map(|&row| values.get(row)).filter(|value| *value != "NULL")
        {
            // rendered text is in double quotes, and has none in it
            let literal = if is_text { format!("'{}'", value.trim_matches('"')) } else { value.clone() };
            let query = format!("SELECT count(*) AS n FROM '{path}' WHERE \"{name}\" = {literal}");
            let found = sql(engine, &query).unwrap_or_else(|e| panic!("{query}: {e}"));
            let count = values.iter().filter(|other| *other == value).count();
            assert_eq!(render::column(&found, "n"), [count.to_string()], "{query}");
        }
    }
}

fn some(batches: &[RecordBatch]) -> Vec<RecordBatch> {
    let of_batch = |batch: &RecordBatch| {
        let ids = render::column(std::slice::from_ref(batch), "id");
        let mask = ids.iter().map(|id| Some(id.parse::<i64>().expect("ids are numbers") % 37 == 5)).collect();
        filter_record_batch(batch, &mask).expect("a mask of the same length")
    };
    batches.iter().map(of_batch).collect()
}

#[test]
fn files_of_pyarrow() {
    check("pyarrow", 70);
}

#[test]
fn files_of_duckdb() {
    check("duckdb", 31);
}

#[test]
fn files_of_polars() {
    check("polars", 16);
}
