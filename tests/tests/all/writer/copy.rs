//! COPY in every format and form, read back by DuckDB and pyarrow.

use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::python;

use crate::support::{Scratch, engine};

/// Columns that CSV and JSON have words for, with values that need quotes and escapes.
const QUERY: &str = "SELECT row_number() OVER () AS id, value % 7 AS part, \
    CASE value % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a, b' WHEN 2 THEN '\"q\" and ''s''' WHEN 3 THEN 'ü\n|\t\\' \
    ELSE 'x' || value END AS text, \
    value / 4.0::DOUBLE AS ratio, CAST(value AS DECIMAL(12, 2)) / 8 AS price, value % 3 = 0 AS flag, \
    DATE '2024-02-28' + CAST(value % 400 AS INTEGER) AS day, \
    CAST('2024-02-28 23:' || lpad(CAST(value % 60 AS VARCHAR), 2, '0') || ':59.5' AS TIMESTAMP) AS at \
    FROM generate_series(0, 29999) AS series(value)";

#[test]
fn other_engines_read_the_same_rows() {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let engine = engine();
    let copy = |query: &str, place: &str, options: &str| {
        let sql = format!("COPY ({query}) TO '{}' ({options})", scratch.name(place));
        let rows = engine.sql(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(rows.iter().map(arrow::array::RecordBatch::num_rows).sum::<usize>(), 1, "{sql}");
    };
    copy(QUERY, "original.parquet", "FORMAT parquet");
    let all = format!("SELECT * FROM '{}'", scratch.name("original.parquet"));
    for (place, options) in [
        ("gzip.parquet", "CODEC gzip, LEVEL 9, WINDOW 4096, ROW_GROUP_ROWS 7000"),
        ("plain.csv", "NULL 'null'"),
        ("packed.csv.gz", "NULL 'null', LEVEL 1"),
        ("packed.csv.zst", "NULL 'null'"),
        ("bars.csv", "NULL 'null', DELIMITER '|', QUOTE '''', FORCE_QUOTE *"),
        ("bare.csv", "NULL 'null', HEADER false"),
        ("lines.json", "FORMAT json"),
        ("array.json", "ARRAY"),
        ("packed.json.gz", "FORMAT json"),
        ("packed.json.zst", "FORMAT json, ARRAY, LEVEL 9"),
        ("file.arrow", "FORMAT arrow"),
        ("stream.arrows", "FORMAT arrows"),
        ("parts", "FORMAT parquet, PARTITION_BY (part, day)"),
        ("parts_csv", "FORMAT csv, NULL 'null', PARTITION_BY (flag, part), CODEC gzip"),
        ("threads", "FORMAT parquet, PER_THREAD_OUTPUT, ORDER_BY (id DESC)"),
    ] {
        copy(&all, place, options);
    }
    python::run(&interpreter, "copied.py", &[&scratch.name("")]);
}

/// Types that text lacks come to Arrow's formats.
#[test]
fn arrow_files_have_every_type() {
    let Some(interpreter) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let batch = flat(Shape { rows: 700, nulls: 0.2, distinct: 60, seed: 82 });
    // types that readers of Parquet do not restore
    let except = ["f16", "date64", "time32_s", "ts_s", "duration_ms", "interval_ym", "interval_dt", "dec256"];
    let keep: Vec<usize> = (0..batch.num_columns())
        .filter(|&c| !except.contains(&batch.schema().field(c).name().as_str()))
        .collect();
    let batch = batch.project(&keep).expect("columns that there are");
    let file = parquet(
        std::slice::from_ref(&batch),
        small_pages(parquet::basic::Compression::SNAPPY, 100, 300).build(),
    );
    scratch.write("flat.parquet", &file);
    let engine = engine();
    for end in ["arrow", "arrows"] {
        let (from, to) = (scratch.name("flat.parquet"), scratch.name(&format!("flat.{end}")));
        engine.sql(&format!("COPY '{from}' TO '{to}'")).unwrap_or_else(|error| panic!("{end}: {error}"));
    }
    python::run(&interpreter, "copied.py", &[&scratch.name(""), "flat"]);
}
