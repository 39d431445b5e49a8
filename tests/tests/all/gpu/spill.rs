//! Special cases of spilled groups and join tables.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use pelton::Engine;
use pelton_tests::file::{parquet, small_pages};

use super::host::Sql;
use crate::support::{Scratch, rows, sql};

const ROWS: i32 = 20_000;

fn engine(device: &str) -> Engine {
    let devices = device.parse().expect("a choice of devices");
    Engine::builder().threads(2).devices(devices).build().expect("an engine")
}

/// Registers a file of these columns.
fn register(engine: &Engine, scratch: &Scratch, name: &str, columns: Vec<(String, ArrayRef)>) {
    let columns = columns.into_iter().map(|(name, values)| (name, values, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let bytes = parquet(&[batch], small_pages(Compression::SNAPPY, 1000, 5000).build());
    engine.register(name, &scratch.write(&format!("{name}.parquet"), &bytes)).expect("a good file");
}

fn numbers(modulus: i32) -> ArrayRef {
    Arc::new(Int32Array::from_iter((0..ROWS).map(|row| (row % 17 != 3).then_some(row % modulus))))
}

/// Returns the rows of a query, and a number of EXPLAIN ANALYZE; the device does all of it.
fn run(engine: &Engine, query: &str, counter: &str) -> (String, u64) {
    let answer = engine.answer(query).unwrap_or_else(|e| panic!("{query}: {e}"));
    assert_eq!(answer.notes, Vec::<String>::new(), "{query}");
    let found = format!("{:?}", answer.batches);
    let analyzed = engine.answer(&format!("EXPLAIN ANALYZE {query}")).expect("a plan");
    let text = format!("{:?}", analyzed.batches);
    let (_, number) =
        text.split_once(&format!("{counter}=")).unwrap_or_else(|| panic!("no {counter}: {text}"));
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    (found, digits.parse().unwrap_or_else(|_| panic!("{counter}: {text}")))
}

/// A table with too many columns for a kernel to have them twice is made anew for each pass.
#[test]
fn wide_tables_come_in_passes() {
    let scratch = Scratch::new();
    let wide = |modulus| {
        let columns = (0..150).map(|column| (format!("c{column}"), numbers(1000 + column)));
        std::iter::once(("k".to_owned(), numbers(modulus))).chain(columns).collect()
    };
    let sums: Vec<String> = (0..140).map(|column| format!("coalesce(b.c{column}, 0)")).collect();
    let query = format!("SELECT sum({}) FROM a JOIN b ON a.k = b.k", sums.join(" + "));
    let mut found = Vec::new();
    for device in ["cpu", "cuda-host:passes=2"] {
        let engine = engine(device);
        register(&engine, &scratch, "a", vec![("k".to_owned(), numbers(ROWS))]);
        register(&engine, &scratch, "b", wide(ROWS));
        found.push(if device == "cpu" {
            format!("{:?}", engine.answer(&query).expect("a good query").batches)
        } else {
            let (found, passes) = run(&engine, &query, "passes");
            assert!(passes >= 2, "{passes}");
            found
        });
    }
    assert_eq!(found[0], found[1]);
}

/// The reader of spilled groups allocates for their actual number, not for the expected one.
#[test]
fn few_groups_that_were_set_aside_are_few_rows() {
    let scratch = Scratch::new();
    let text: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("text {}", row % 7919))));
    let query = "SELECT k, count(*), min(s) FROM t GROUP BY k ORDER BY k";
    let mut found = Vec::new();
    for device in ["cpu", "cuda-host:passes=4:memory=2MB"] {
        let engine = engine(device);
        register(&engine, &scratch, "t", vec![("k".to_owned(), numbers(3)), ("s".to_owned(), text.clone())]);
        let answer = engine.answer(query).expect("a good query");
        assert_eq!(answer.notes, Vec::<String>::new(), "{device}");
        assert_eq!(rows(&answer.batches), 4, "{device}");
        found.push(format!("{:?}", answer.batches));
    }
    assert_eq!(found[0], found[1]);
}

/// Names of columns are in the comments of the source, and kernels are found by theirs.
#[test]
fn columns_may_be_called_like_kernels() {
    let scratch = Scratch::new();
    let engine = engine("cuda-host:threads=3");
    let name = "PELTON_KERNEL(pipeline_1, x";
    let values: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("{}", row % 9))));
    register(&engine, &scratch, "t", vec![(name.to_owned(), values), ("k".to_owned(), numbers(5))]);
    let query = format!("SELECT k, count(*) FROM t WHERE \"{name}\" LIKE '%3' GROUP BY k ORDER BY k");
    let answer = engine.answer(&query).expect("a good query");
    assert_eq!(answer.notes, Vec::<String>::new());
    assert_eq!(rows(&sql(&engine, &query).expect("a good query")), 6);
}
