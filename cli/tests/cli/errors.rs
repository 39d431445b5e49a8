//! Errors: one line, and an exit code that tells faults of usage from others.

use std::fs;

use crate::support::Place;

#[test]
fn queries_that_make_no_sense() {
    let place = Place::new();
    place.parquet("t.parquet", 10);
    for (query, named) in [
        ("SELEC 1", "SELEC"),
        ("SELECT 'abc", "string"),
        ("SELECT nothing FROM 't.parquet'", "nothing"),
        ("SELECT 1 FROM missing", "missing"),
        ("SELECT 1 FROM 'missing.parquet'", "missing.parquet"),
        ("SELECT no_such_function(1)", "no_such_function"),
        ("SELECT 1 / (id - 5) FROM 't.parquet'", "division by zero"),
        ("CREATE TABLE x AS SELECT nothing", "nothing"),
        ("INSERT INTO t VALUES (1)", "there is no table or view t"),
        ("COPY (SELECT nothing) TO 'x.parquet'", "nothing"),
        ("COPY missing TO 'x.parquet'", "missing"),
        ("COPY (SELECT 1 AS x) TO 'x.unknown'", "names no format"),
        ("SELECT nocol FROM 't.parquet'", "there is no column nocol: there are id, name, price, day, parts"),
        ("SELECT * FROM tt", "there is no table tt"),
        ("SELECT lenght('a')", "did you mean length?"),
        ("SET datafusion.execution.batch_size = 1", "there is no setting datafusion.execution.batch_size"),
        ("SET threads = 0", "threads is a whole number from 1 to 4096, and 0 is none"),
    ] {
        let run = place.run(&["sql", query]);
        assert!(run.error(1).contains(named), "{query}: {}", run.err);
    }
    assert_eq!(place.files(), ["t.parquet"], "nothing was written");
}

#[test]
fn files_that_are_broken() {
    let place = Place::new();
    place.parquet("t.parquet", 3000);
    let bytes = fs::read(place.path("t.parquet")).expect("read");
    let write = |name: &str, bytes: &[u8]| fs::write(place.path(name), bytes).expect("written");
    write("empty.parquet", b"");
    write("text.parquet", b"this is no Parquet file");
    write("cut.parquet", &bytes[..bytes.len() / 2]);
    let mut flipped = bytes.clone();
    // In the middle of the first column's pages.
    flipped[200..260].fill(0x55);
    write("flipped.parquet", &flipped);
    for name in ["empty", "text", "cut", "flipped"] {
        let run = place.run(&["sql", &format!("SELECT sum(id) FROM '{name}.parquet'")]);
        assert!(run.error(1).contains(&format!("{name}.parquet")), "{}", run.err);
    }
}

#[test]
fn places_that_cannot_be_read() {
    let place = Place::new();
    assert!(place.run(&["sql", "--file", "missing.sql"]).error(1).contains("missing.sql: No such file"));
    let run = place.run(&["sql", "SELECT 1", "--table", "t=missing/*.parquet"]);
    assert!(run.error(1).contains("missing/*.parquet"), "{}", run.err);
}

#[test]
fn arguments_that_make_no_sense_exit_with_2() {
    let place = Place::new();
    for arguments in [
        vec!["frobnicate"],
        vec!["sql", "SELECT 1", "--frobnicate"],
        vec!["sql", "SELECT 1", "--file", "q.sql"],
        vec!["sql", "SELECT 1", "--format", "xml"],
        vec!["sql", "SELECT 1", "--memory", "lots"],
        vec!["sql", "SELECT 1", "--threads", "0"],
        vec!["sql", "SELECT 1", "--table", "trips"],
        vec!["tpch", "--queries", "23"],
        vec!["tpch", "--codec", "zip"],
        vec!["tpch", "--compare", "pelton"],
        vec!["codecs"],
        vec!["codecs", "x", "--codecs", "zip"],
        vec!["codecs", "x", "--levels", "high"],
        vec!["devices", "--frobnicate"],
    ] {
        let run = place.run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{arguments:?}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{arguments:?}: {}", run.err);
    }
}
