//! Order of rows in queries without ORDER BY.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use parquet::basic::Compression;
use pelton::{Engine, Packing, WriteOptions};
use pelton_tests::file::{parquet, small_pages};

use crate::support::Scratch;

const ROWS: i64 = 300_000;

/// Returns a file of the numbers from `first`, each with a text that grows, in row groups of 20,000
/// rows.
fn file(first: i64) -> Vec<u8> {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + ROWS));
    let text = (0..ROWS).map(|row| format!("{row} {}", "x".repeat(row as usize % 40)));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(text));
    let batch = RecordBatch::try_from_iter([("n", n), ("s", text)]).expect("columns of one length");
    parquet(&[batch], small_pages(Compression::SNAPPY, 1_000, 20_000).build())
}

fn numbers(batches: &[RecordBatch]) -> Vec<i64> {
    batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

fn engines() -> Vec<(&'static str, Engine)> {
    let builder = Engine::builder;
    let engines = [
        ("1 thread", builder().threads(1)),
        ("2 threads", builder().threads(2)),
        ("4 threads", builder().threads(4)),
        ("4 threads in 24 MiB", builder().threads(4).memory_limit(24 << 20)),
        ("decoding first", builder().threads(3).encoded_filters(false)),
    ];
    engines.into_iter().map(|(name, builder)| (name, builder.build().expect("an engine"))).collect()
}

#[test]
fn rows_come_in_the_order_of_files_and_rows() {
    let scratch = Scratch::new();
    // written in another order than that of the names
    for (name, first) in [("t/b.parquet", ROWS), ("t/a/c.parquet", 0), ("t/c.parquet", 2 * ROWS)] {
        scratch.write(name, &file(first));
    }
    let folder = scratch.name("t");
    let all: Vec<i64> = (0..3 * ROWS).collect();
    for (name, engine) in engines() {
        let check = |columns: &str, rest: &str, keep: &dyn Fn(i64) -> bool| {
            let query = format!("SELECT {columns} FROM '{folder}/**/*.parquet' {rest}");
            let found = engine.sql(&query).unwrap_or_else(|e| panic!("{name}, {query}: {e}"));
            let expected: Vec<i64> = all.iter().copied().filter(|&n| keep(n)).collect();
            assert!(numbers(&found) == expected, "{name}: {query}: {} rows", expected.len());
        };
        check("n", "", &|_| true);
        check("n, s", "", &|_| true);
        check("n, upper(s)", "WHERE n % 3 = 0 AND s LIKE '%x%'", &|n| n % 3 == 0 && n % ROWS % 40 > 0);
        check("n, s", "WHERE n BETWEEN 290000 AND 310000", &|n| (290_000..=310_000).contains(&n));
        let mean = format!("WHERE n > (SELECT avg(n) FROM '{folder}/b.parquet')");
        check("n", &mean, &|n| n > ROWS + ROWS / 2 - 1);
        check("n", "LIMIT 1000 OFFSET 299500", &|n| (299_500..300_500).contains(&n));
    }
}

#[test]
fn a_file_that_is_written_of_a_query_has_the_order_of_its_rows() {
    let scratch = Scratch::new();
    let path = scratch.write("a.parquet", &file(0));
    let engine = Engine::builder().threads(4).build().expect("an engine");
    let query = engine.query(&format!("SELECT * FROM '{path}'")).expect("a good file");
    let copy = scratch.path("b.parquet");
    let (schema, options) = (query.schema(), WriteOptions::new(Packing::Snappy));
    engine.write_parquet(&copy, &schema, query, options).expect("a folder to write to");
    let one = Engine::builder().threads(1).build().expect("an engine");
    let found = one.sql(&format!("SELECT n FROM '{}'", copy.display())).expect("a good file");
    assert!(numbers(&found) == (0..ROWS).collect::<Vec<i64>>());
}

#[test]
fn any_order_has_all_rows() {
    let scratch = Scratch::new();
    let path = scratch.write("a.parquet", &file(0));
    let engine = Engine::builder().threads(4).any_order(true).build().expect("an engine");
    let mut found = numbers(&engine.sql(&format!("SELECT n FROM '{path}'")).expect("a good file"));
    found.sort_unstable();
    assert!(found == (0..ROWS).collect::<Vec<i64>>());
    let plan = |engine: &Engine| {
        let found = engine.sql(&format!("EXPLAIN SELECT n FROM '{path}'")).expect("a good file");
        arrow::util::pretty::pretty_format_batches(&found).expect("text").to_string()
    };
    assert!(!plan(&engine).contains("ConcatenateExec"));
    assert!(plan(&Engine::builder().threads(4).build().expect("an engine")).contains("ConcatenateExec"));
}

#[test]
fn an_error_comes_behind_the_rows_before_it() {
    let scratch = Scratch::new();
    let path = scratch.write("a.parquet", &file(0));
    let engine = Engine::builder().threads(4).build().expect("an engine");
    let sql = format!("SELECT n, 1 / (n - 250000) FROM '{path}'");
    let mut query = engine.query(&sql).expect("a good file");
    let mut rows = Vec::new();
    let error = loop {
        match query.next() {
            Some(Ok(batch)) => rows.push(batch),
            Some(Err(error)) => break error.to_string(),
            None => panic!("no division by zero"),
        }
    };
    assert!(error.to_lowercase().contains("divi"), "{error}");
    let rows = numbers(&rows);
    assert!(rows == (0..rows.len() as i64).collect::<Vec<i64>>());
    assert!(rows.len() <= 250_000 && rows.len() > 200_000, "{}", rows.len());
}
