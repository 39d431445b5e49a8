//! `CACHE TABLE t IN host|gpu`: the same rows, and nothing read from files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field};
use parquet::basic::Compression;
use pelton::{Engine, ScanTotals};
use pelton_device_cuda::under_test;
use pelton_tests::file::{parquet, small_pages};
use pelton_tpch::queries::QUERIES;

use crate::support::{self, Scratch, rows};
use crate::tpch;

const PLACES: [&str; 2] = ["host", "gpu"];

/// Makes an engine on the GPU under test, with this much memory.
fn engine(settings: &str) -> Engine {
    let devices = format!("{}{settings}", under_test::name()).parse().expect("a choice of devices");
    Engine::builder().threads(2).devices(devices).build().expect("an engine")
}

/// Returns the one line that a statement gives, or the error.
fn statement(engine: &Engine, sql: &str) -> Result<String, String> {
    let batches = support::sql(engine, sql)?;
    assert_eq!(rows(&batches), 1, "{sql}");
    let column = arrow::compute::cast(batches[0].column(0), &DataType::Utf8).expect("text");
    let column = column.as_any().downcast_ref::<StringArray>().expect("text").clone();
    Ok(column.value(0).to_owned())
}

/// Returns a query's rows, the totals of its scans, and whether the GPU ran all of it.
fn run(engine: &Engine, sql: &str) -> (RecordBatch, ScanTotals) {
    let mut query = engine.query(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let batches = query.by_ref().collect::<Result<Vec<_>, _>>().unwrap_or_else(|e| panic!("{sql}: {e}"));
    assert_eq!(query.notes(), Vec::<String>::new(), "{sql}");
    (concat_batches(&query.schema(), &batches).expect("one schema"), query.totals())
}

const ROWS: i64 = 30_000;
const PAGE: usize = 500;
const GROUP: usize = 10_000;

/// `id` counts up from `first`; `word` has few values, `text` one for each row; some are null.
fn batch(first: i64) -> RecordBatch {
    let ids = first..first + ROWS;
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(ids.clone()));
    let word = ids.clone().map(|id| (id % 11 != 0).then(|| format!("word {}", id * 7919 % 100)));
    let text = ids.map(|id| (id % 13 != 0).then(|| format!("text {} of many", id * 7919 % ROWS)));
    let word: ArrayRef = Arc::new(StringArray::from_iter(word));
    let text: ArrayRef = Arc::new(StringArray::from_iter(text));
    RecordBatch::try_from_iter([("id", id), ("word", word), ("text", text)]).expect("columns of one length")
}

fn file(first: i64) -> Vec<u8> {
    parquet(&[batch(first)], small_pages(Compression::SNAPPY, PAGE, GROUP).build())
}

const SUMS: &str =
    "SELECT word, count(*), sum(id), min(text), max(text), count(text) FROM t GROUP BY word ORDER BY word";

#[test]
fn queries_of_cached_tables_read_no_file() {
    for codec in ["none", "snappy", "gzip-4k"] {
        let scratch = Scratch::new();
        let engine = engine("");
        for (table, path) in tpch::tables(codec, &scratch) {
            engine.register(table, &path).expect("a good file");
        }
        for place in PLACES {
            for table in ["lineitem", "orders", "customer"] {
                let line = statement(&engine, &format!("CACHE TABLE {table} IN {place}")).expect("room");
                let memory = if place == "gpu" { "GPU memory" } else { "host memory" };
                assert!(
                    line.contains(&format!("are kept in {memory}")) && !line.contains("left out"),
                    "{line}"
                );
            }
            for query in QUERIES.iter().filter(|query| [1, 3, 6, 13].contains(&query.number)) {
                let (batch, totals) = run(&engine, query.sql);
                let right = tpch::right(query, &batch.schema(), std::slice::from_ref(&batch));
                assert_eq!(right, Ok(()), "query {} in {place}, {codec}", query.number);
                assert_eq!(
                    (totals.bytes_read, totals.pages_read),
                    (0, 0),
                    "query {}: {totals:?}",
                    query.number
                );
                assert!(totals.pages_cached > 0, "query {}: {totals:?}", query.number);
            }
        }
        let line = statement(&engine, "UNCACHE TABLE lineitem").expect("a table");
        assert!(line.starts_with("lineitem: ") && line.contains("were kept in GPU memory"), "{line}");
        let (_, totals) = run(&engine, QUERIES[5].sql);
        assert!(totals.bytes_read > 0 && totals.pages_cached == 0, "{totals:?}");
        assert!(totals.bytes_pinned > 0, "what is read goes to the GPU from pinned memory: {totals:?}");
        let line = statement(&engine, "UNCACHE TABLE lineitem").expect("a table");
        assert_eq!(line, "nothing of lineitem was cached");
    }
}

#[test]
fn a_table_that_does_not_fit_is_not_kept() {
    let scratch = Scratch::new();
    let engine = engine(":memory=3MB");
    for (table, path) in tpch::tables("snappy", &scratch) {
        engine.register(table, &path).expect("a good file");
    }
    let error = statement(&engine, "CACHE TABLE lineitem IN gpu").expect_err("it is larger than 3 MB");
    support::check_message(&error);
    for part in ["lineitem needs about", "tables may take", "CACHE TABLE lineitem IN host"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(
        statement(&engine, "UNCACHE TABLE lineitem").expect("a table"),
        "nothing of lineitem was cached"
    );
    // a small table still fits
    let line = statement(&engine, "CACHE TABLE nation IN gpu").expect("room for 25 rows");
    assert!(line.starts_with("nation: 25 rows of 4 columns are kept in GPU memory"), "{line}");
    let line = statement(&engine, "CACHE TABLE lineitem IN host").expect("room");
    assert!(line.contains("are kept in host memory"), "{line}");
}

#[test]
fn pages_without_wanted_rows_are_left_where_they_are() {
    let scratch = Scratch::new();
    let engine = engine("");
    engine.register("t", &scratch.write("t.parquet", &file(0))).expect("a good file");
    let conditions = [
        ("id >= 12000 AND id < 13000", Some(2)),
        ("id BETWEEN 9900 AND 10100", Some(2)),
        ("id = 29999", Some(1)),
        ("id > 1000000", Some(0)),
        ("word = 'word 17'", None),
        ("text LIKE 'text 1%' AND id % 3 = 0", None),
    ];
    let sql = |condition: &str| SUMS.replace("GROUP BY", &format!("WHERE {condition} GROUP BY"));
    let plain: Vec<_> = conditions.iter().map(|(condition, _)| run(&engine, &sql(condition))).collect();
    for place in PLACES {
        statement(&engine, &format!("CACHE TABLE t IN {place}")).expect("room");
        for ((condition, pages), (expected, without)) in conditions.iter().zip(&plain) {
            let (found, totals) = run(&engine, &sql(condition));
            assert_eq!(&found, expected, "{condition} in {place}");
            assert_eq!(totals.bytes_read, 0, "{condition} in {place}: {totals:?}");
            assert_eq!(totals.row_groups_pruned, without.row_groups_pruned, "{condition} in {place}");
            if let Some(pages) = pages {
                // those of `id`, which has no dictionary; the same number for the others, and
                // dictionaries where pages are taken from the host
                assert!(
                    (3 * pages..=6 * pages).contains(&totals.pages_cached),
                    "{condition} in {place}: {totals:?}"
                );
            }
        }
    }
}

#[test]
fn files_are_kept_by_their_versions() {
    for place in PLACES {
        let scratch = Scratch::new();
        let engine = engine("");
        let path = scratch.write("t.parquet", &file(0));
        engine.register("t", &path).expect("a good file");
        engine.register("same", &path).expect("a good file");
        statement(&engine, &format!("CACHE TABLE t IN {place}")).expect("room");
        let same = SUMS.replace("FROM t", "FROM same");
        let (before, totals) = run(&engine, &same);
        assert_eq!(totals.bytes_read, 0, "{totals:?}");

        scratch.write("t.parquet", &file(5));
        let error = support::sql(&engine, SUMS).expect_err("the file is another one");
        assert!(error.contains("changed"), "{error}");
        engine.register("new", &path).expect("a good file");
        let new = SUMS.replace("FROM t", "FROM new");
        let (after, totals) = run(&engine, &new);
        assert!(totals.bytes_read > 0 && totals.pages_cached == 0, "{totals:?}");
        assert_ne!(before, after);
        statement(&engine, &format!("CACHE TABLE new IN {place}")).expect("room");
        let (again, totals) = run(&engine, &new);
        assert_eq!((totals.bytes_read, again), (0, after), "{totals:?}");
        // whichever table it was cached for
        let line = statement(&engine, "UNCACHE TABLE t").expect("a table");
        assert!(line.contains(&format!("{ROWS} rows of 3 columns were kept")), "{line}");
        assert_eq!(statement(&engine, "UNCACHE TABLE new").expect("a table"), "nothing of new was cached");
    }
}

#[test]
fn columns_that_no_kernel_reads_are_left_out() {
    let scratch = Scratch::new();
    let engine = engine("");
    let inner: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let nested = StructArray::from(vec![(Arc::new(Field::new("x", DataType::Int64, false)), inner)]);
    let nested: ArrayRef = Arc::new(nested);
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let write = |name: &str, columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let bytes = parquet(&[batch], small_pages(Compression::SNAPPY, PAGE, GROUP).build());
        engine.register(name, &scratch.write(&format!("{name}.parquet"), &bytes)).expect("a good file");
    };
    write("t", vec![("id", id), ("pair", nested.clone())]);
    write("alone", vec![("pair", nested)]);
    for place in PLACES {
        let line = statement(&engine, &format!("CACHE TABLE t IN {place}")).expect("room");
        assert!(
            line.contains(" rows of 1 column ") && line.ends_with("left out: pair.x is nested"),
            "{line}"
        );
        assert_eq!(run(&engine, "SELECT sum(id) FROM t").1.bytes_read, 0);
        let error =
            statement(&engine, &format!("CACHE TABLE alone IN {place}")).expect_err("nothing to keep");
        assert_eq!(error, "nothing of alone can be kept: pair.x is nested");
    }
}

/// A query that has begun holds its tables.
#[test]
fn tables_come_and_go_while_queries_run() {
    let scratch = Scratch::new();
    let engine = Arc::new(engine(""));
    engine.register("t", &scratch.write("t.parquet", &file(0))).expect("a good file");
    let (expected, _) = run(&engine, SUMS);
    let done = Arc::new(AtomicBool::new(false));
    let changes = {
        let (engine, done) = (engine.clone(), done.clone());
        std::thread::spawn(move || {
            while !done.load(Relaxed) {
                for change in [
                    "CACHE TABLE t IN gpu",
                    "UNCACHE TABLE t",
                    "CACHE TABLE t IN host",
                    "CACHE TABLE t IN gpu",
                ] {
                    statement(&engine, change).expect("room");
                }
            }
        })
    };
    for _ in 0..20 {
        assert_eq!(run(&engine, SUMS).0, expected);
    }
    done.store(true, Relaxed);
    changes.join().expect("every change was made");
}
