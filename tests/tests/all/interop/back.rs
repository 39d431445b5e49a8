//! Files that Pelton wrote, read by other engines.

use std::path::PathBuf;
use std::process::Command;

use arrow::array::RecordBatch;
use parquet::basic::Compression;
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::python;

use super::{arrow_file, assert_same_values};
use crate::support::{Scratch, engine, read};

/// Returns the `pelton` program, built next to this one. `None`, and a line that says so, where it
/// was not; in continuous integration that is a failure.
fn program() -> Option<PathBuf> {
    let tests = std::env::current_exe().expect("a running program has a path");
    let path = tests.ancestors().nth(2).expect("tests are in target/release/deps").join("pelton");
    if path.exists() {
        return Some(path);
    }
    let why = format!("{} is missing; `make build` builds it", path.display());
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{why}");
    eprintln!("skipped: {why}");
    None
}

/// Columns that an engine has no type for, and reads as something else or not at all.
fn unlike(reader: &str) -> &'static [&'static str] {
    match reader {
        "pyarrow" => &[],
        "duckdb" => &[],
        _ => &[],
    }
}

fn check(batch: RecordBatch, except: &[&str]) {
    let (Some(interpreter), Some(program)) = (python::interpreter(), program()) else { return };
    let keep: Vec<usize> = (0..batch.num_columns())
        .filter(|&c| !except.contains(&batch.schema().field(c).name().as_str()))
        .collect();
    let batch = batch.project(&keep).expect("columns that there are");
    let scratch = Scratch::new();
    let source =
        scratch.write("in.parquet", &parquet(&[batch], small_pages(Compression::SNAPPY, 100, 400).build()));
    let written = scratch.name("out.parquet");
    let query = format!("SELECT * FROM '{source}'");
    let done = Command::new(program)
        .args(["sql", &query, "--format", "parquet", "--output", &written])
        .output()
        .expect("the program can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let engine = engine();
    let expected = read(&engine, &source).expect("a good file");
    assert_same_values(&read(&engine, &written).expect("a good file"), &expected, &[], "Pelton");
    for reader in ["pyarrow", "duckdb", "polars"] {
        python::run(&interpreter, "read.py", &[reader, &written]);
        let found = arrow_file(&scratch.path(&format!("out.{reader}.arrow")));
        assert_same_values(&found, &expected, unlike(reader), reader);
    }
}

#[test]
fn columns_of_every_type() {
    // Parquet has no type of its own for these (seconds, days in milliseconds), or not all of the
    // three engines have one
    let except = ["f16", "date64", "time32_s", "ts_s", "duration_ms", "interval_ym", "interval_dt", "dec256"];
    check(flat(Shape { rows: 1_000, nulls: 0.2, distinct: 60, seed: 21 }), &except);
}

#[test]
fn columns_with_children() {
    check(nested(Shape { rows: 1_000, nulls: 0.2, distinct: 60, seed: 22 }), &[]);
}
