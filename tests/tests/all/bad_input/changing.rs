//! Files that change after their footer was read: before the scan, and during it.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use parquet::basic::Compression;
use pelton_tests::compare::assert_same;
use pelton_tests::file::{parquet, small_pages};

use crate::support::{Scratch, check_message, engine, sql};

/// Row groups: enough that most are not read when the first row comes out.
const GROUPS: usize = 60;
const GROUP_ROWS: usize = 20_000;

fn batch(from: i64) -> RecordBatch {
    let rows = (GROUPS * GROUP_ROWS) as i64;
    // numbers that take their eight bytes in the file
    let values: ArrayRef =
        Arc::new(Int64Array::from_iter_values((0..rows).map(|n| (n + from) * 0x09e3_779b_97f4_a7c1)));
    RecordBatch::try_from_iter([("n", values)]).expect("one column")
}

fn file(from: i64) -> Vec<u8> {
    let properties = small_pages(Compression::SNAPPY, 2_000, GROUP_ROWS).set_dictionary_enabled(false);
    parquet(&[batch(from)], properties.build())
}

type Change = fn(&Path);

/// Changes that can happen to a file. Each leaves a different file or none.
fn changes() -> Vec<(&'static str, Change, &'static [&'static str])> {
    const CHANGED: &[&str] = &["the file changed while it was being read; run the query again"];
    vec![
        (
            "replaced",
            |path| {
                let other = path.with_extension("new");
                fs::write(&other, file(5)).expect("it can be written");
                fs::rename(&other, path).expect("it can be renamed");
            },
            CHANGED,
        ),
        ("overwritten", |path| fs::write(path, file(5)).expect("it can be written"), CHANGED),
        (
            "truncated",
            |path| {
                let file = OpenOptions::new().write(true).open(path).expect("it can be opened");
                file.set_len(5000).expect("it can be cut short");
            },
            CHANGED,
        ),
        ("emptied", |path| fs::write(path, b"").expect("it can be written"), CHANGED),
        (
            "appended to",
            |path| {
                let mut file = OpenOptions::new().append(true).open(path).expect("it can be opened");
                file.write_all(b"more").expect("it can be written");
            },
            CHANGED,
        ),
        (
            "changed in place",
            |path| {
                let mut file = OpenOptions::new().write(true).open(path).expect("it can be opened");
                file.seek(SeekFrom::Start(1000)).expect("it is longer");
                file.write_all(&[0xff; 100]).expect("it can be written");
            },
            CHANGED,
        ),
        ("deleted", |path| fs::remove_file(path).expect("it can be deleted"), &["no such file"]),
    ]
}

fn check(name: &str, path: &str, message: &str, words: &[&str]) {
    check_message(message);
    assert!(message.starts_with(&format!("{path}: ")), "{name}: {message}");
    assert!(words.iter().any(|word| message.contains(word)), "{name}: {message}");
}

#[test]
fn a_file_that_changed_since_it_was_registered_is_refused() {
    let good = file(0);
    for (name, change, words) in changes() {
        let scratch = Scratch::new();
        let path = scratch.write("t.parquet", &good);
        let engine = engine();
        engine.register("t", &path).expect("the file is good");
        // let the clock of the file system move on
        std::thread::sleep(std::time::Duration::from_millis(20));
        change(Path::new(&path));
        let message = sql(&engine, "SELECT sum(n % 1000) FROM t").expect_err(name);
        check(name, &path, &message, words);
    }
}

#[test]
fn a_file_that_changes_during_the_scan_is_refused() {
    let good = file(0);
    let expected = batch(0);
    for (name, change, words) in changes() {
        let scratch = Scratch::new();
        let path = scratch.write("t.parquet", &good);
        std::thread::sleep(std::time::Duration::from_millis(20));
        let engine = pelton::Engine::builder().threads(1).build().expect("an engine");
        let mut query = engine.query(&format!("SELECT n FROM '{path}'")).expect("the file is good");
        let mut rows = vec![query.next().expect("there are rows").expect("the file is good")];
        change(Path::new(&path));
        let message = loop {
            match query.next() {
                Some(Ok(batch)) => rows.push(batch),
                Some(Err(error)) => break error.to_string(),
                None => panic!("{name}: the scan did not notice"),
            }
        };
        check(name, &path, &message, words);
        // the rows before it are those of the first file
        let count = crate::support::rows(&rows);
        assert_same(&rows, &[expected.slice(0, count)], name);
        assert!(query.next().is_none(), "{name}: rows after an error");
    }
}
