//! One engine and many queries: at once, left half way, and longer than the engine itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use pelton::{Parameters, Value};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::render;

use crate::support::{Scratch, engine, rows, sql};

const ROWS: usize = 100_000;

fn file() -> Vec<u8> {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let word: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| format!("word {}", row % 999))));
    let batch = RecordBatch::try_from_iter([("id", id), ("word", word)]).expect("columns of one length");
    parquet(&[batch], small_pages(Compression::GZIP(Default::default()), 1_000, 10_000).build())
}

#[test]
fn queries_at_once_get_their_own_answers() {
    let scratch = Scratch::new();
    let good = scratch.write("good.parquet", &file());
    let bad = scratch.write("bad.parquet", &file()[..5_000]);
    let engine = engine();
    engine.register("t", &good).expect("a good file");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (engine, good, bad) = (&engine, &good, &bad);
            scope.spawn(move || {
                for round in 0..5 {
                    let below = 1_000 * (thread * 5 + round + 1);
                    let query =
                        format!("SELECT count(*) AS n, sum(id) AS s FROM '{good}' WHERE id < {below}");
                    let found = sql(engine, &query).expect("a good file");
                    assert_eq!(render::column(&found, "n"), [below.to_string()]);
                    assert_eq!(render::column(&found, "s"), [(below * (below - 1) / 2).to_string()]);
                    let message =
                        sql(engine, &format!("SELECT * FROM '{bad}'")).expect_err("it was cut short");
                    assert!(message.starts_with(bad.as_str()), "{message}");
                    let found = sql(engine, "SELECT count(DISTINCT word) AS n FROM t").expect("a good file");
                    assert_eq!(render::column(&found, "n"), ["999"]);
                }
            });
        }
    });
    let total = engine.router().counters().total("cpu");
    assert_eq!((total.failed, total.fell_back_total(), total.refused_total()), (0, 0, 0));
}

#[test]
fn a_query_that_is_dropped_leaves_nothing_behind() {
    let scratch = Scratch::new();
    let path = scratch.write("good.parquet", &file());
    let engine = engine();
    for _ in 0..20 {
        let mut query = engine.query(&format!("SELECT * FROM '{path}' ORDER BY word")).expect("a good file");
        drop(query.next());
        drop(query);
        drop(engine.query(&format!("SELECT * FROM '{path}'")).expect("a good file"));
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    while engine.router().jobs_waiting() > 0 || engine.router().bytes_in_flight() > 0 {
        assert!(
            Instant::now() < deadline,
            "jobs of queries that nobody wants: {}",
            engine.router().counters()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(rows(&sql(&engine, &format!("SELECT id FROM '{path}'")).expect("a good file")), ROWS);
}

#[test]
fn a_query_outlives_its_engine() {
    let scratch = Scratch::new();
    let path = scratch.write("good.parquet", &file());
    let engine = engine();
    let query = engine.query(&format!("SELECT id FROM '{path}'")).expect("a good file");
    drop(engine);
    let batches: Vec<_> = query.collect::<Result<_, _>>().expect("a good file");
    assert_eq!(rows(&batches), ROWS);
}

/// With one thread a query that never lets go of it could neither be cancelled nor followed by
/// another.
#[test]
fn a_join_that_would_take_hours_is_cancelled() {
    let scratch = Scratch::new();
    let path = scratch.write("good.parquet", &file());
    let engine = pelton::Engine::builder().threads(1).build().expect("an engine");
    engine.register("t", &path).expect("a good file");
    for from in [
        "t a, t b, t c",
        "t a JOIN t b ON a.id % 2 = b.id % 2, t c",
        "t a JOIN t b ON a.word < b.word, t c",
        "(SELECT unnest(range(0, 1000)) AS j FROM (SELECT unnest(range(0, 1000)) AS i FROM t) a) b",
    ] {
        let mut query = engine.query(&format!("SELECT count(*) AS n, sum(1) FROM {from}")).expect("it plans");
        let cancel = query.cancel_handle();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(query.next().expect("an answer").map(|_| ())));
        std::thread::sleep(Duration::from_millis(200));
        cancel.cancel();
        let end = receive.recv_timeout(Duration::from_secs(60)).expect("it ends when it is cancelled");
        assert!(matches!(end, Err(pelton::Error::Cancelled)), "{from}: {end:?}");
        let found = sql(&engine, "SELECT count(*) AS n FROM t").expect("a good file");
        assert_eq!(render::column(&found, "n"), [ROWS.to_string()], "{from}");
    }
}

/// On a thread with a stack that is smaller than most, and that the plan alone would not fit.
#[test]
fn a_long_condition_needs_no_more_stack_than_there_is() {
    let work = || {
        let engine = engine();
        let terms: Vec<String> = (0..1500).map(|i| format!("column1 = {i} AND column2 <> 'x'")).collect();
        let text =
            format!("SELECT count(*) AS n FROM (VALUES (7, 'a'), (8, 'x')) WHERE {}", terms.join(" OR "));
        assert_eq!(render::column(&sql(&engine, &text).expect("a condition"), "n"), ["1"]);

        let message =
            engine.sql(&format!("SELECT 1{}", "+1".repeat(100_000))).expect_err("too deep").to_string();
        crate::support::check_message(&message);
        assert!(message.contains("a chain of 100000 operators"), "{message}");
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread");
    thread.join().expect("no panic");
}

#[test]
fn tables_keep_their_names_and_can_be_replaced() {
    let scratch = Scratch::new();
    let first = scratch.write("first.parquet", &file());
    let engine = engine();
    engine.register("Mixed Case", &first).expect("a good file");
    assert_eq!(
        rows(&sql(&engine, "SELECT id FROM \"Mixed Case\" WHERE id < 5").expect("it was registered")),
        5
    );
    let message =
        engine.register("t", &scratch.name("missing.parquet")).expect_err("there is no file").to_string();
    crate::support::check_message(&message);
    assert!(sql(&engine, "SELECT * FROM t").is_err());
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let Err(error) = pelton::Engine::builder().threads(0).build() else {
        panic!("no threads can't run anything")
    };
    crate::support::check_message(&error.to_string());
}

#[test]
fn devices_say_what_they_are() {
    let engine = engine();
    let cpu = engine.devices().into_iter().find(|device| device.name == "cpu").expect("there always is one");
    assert!(cpu.available && !cpu.detail.is_empty());
}

#[test]
fn statements_take_values_of_their_parameters() {
    let scratch = Scratch::new();
    let path = scratch.write("good.parquet", &file());
    let engine = engine();
    let count = |query: pelton::Result<pelton::Query>| {
        let batches =
            query.and_then(Iterator::collect::<pelton::Result<Vec<_>>>).map_err(|e| e.to_string())?;
        Ok::<_, String>(render::column(&batches, "n").concat())
    };
    let two = Parameters::by_position([Value::from(10i64), Value::from("word 3")]);
    let query = format!("SELECT count(*) AS n FROM '{path}' WHERE id > ? AND word = ?");
    assert_eq!(count(engine.query_with(&query, &two)).as_deref(), Ok("100"));
    let prepared =
        engine.prepare(&format!("SELECT count(*) AS n FROM '{path}' WHERE id < $most")).expect("SQL");
    assert_eq!(prepared.parameters(), ["most"]);
    for most in [1i64, 77_000] {
        let values = Parameters::by_name([("most", Value::from(most))]);
        assert_eq!(count(engine.execute(&prepared, &values)), Ok(most.to_string()));
    }
    let message = count(engine.query(&query)).expect_err("no values");
    assert!(message.starts_with("the parameter $1 has no value"), "{message}");
}
