//! Ctrl-C.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{EndsWithTest, Place};

/// Hours of work with first rows that come at once.
const LONG: &str = "SELECT a.id + b.id + c.id AS x FROM 't.parquet' a, 't.parquet' b, 't.parquet' c";

/// Time after which a process counts as hung; nothing is measured by this.
const HANGS: Duration = Duration::from_secs(60);

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 20_000);
    place
}

fn send(signal: &str, child: &EndsWithTest) {
    let status = Command::new("kill").args(["-s", signal, &child.0.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
}

fn wait(child: &mut EndsWithTest) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.0.try_wait().expect("a child") {
            return status.code();
        }
        assert!(started.elapsed() < HANGS, "it does not end");
        thread::sleep(Duration::from_millis(20));
    }
}

fn stderr(child: &mut EndsWithTest) -> String {
    let mut text = String::new();
    child.0.stderr.take().expect("a pipe").read_to_string(&mut text).expect("text");
    text
}

/// Starts a program, and reads its first two lines.
fn behind_two_lines(mut command: Command) -> (EndsWithTest, BufReader<ChildStdout>) {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map(EndsWithTest).expect("it starts");
    let mut reader = BufReader::new(child.0.stdout.take().expect("a pipe"));
    for _ in 0..2 {
        reader.read_line(&mut String::new()).expect("a line");
    }
    (child, reader)
}

#[test]
fn signals_stop_a_query_that_writes_rows() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let place = place();
        let (mut child, mut reader) = behind_two_lines(place.command(&["sql", LONG, "--format", "csv"]));
        send(signal, &child);
        // Keeps reading, so that it is the signal that ends it and not a full pipe.
        let drain = thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        assert_eq!(wait(&mut child), Some(code));
        drain.join().expect("a thread").expect("drained");
        assert_eq!(stderr(&mut child), "cancelled\n");
    }
}

/// The same work with one row at its end, for which the threads do not look up in between.
const LONG_SUM: &str = "SELECT sum(a.id * b.id * c.id) AS x FROM 't.parquet' a, 't.parquet' b, 't.parquet' c";

#[test]
fn a_stopped_query_leaves_no_file() {
    stop_while_a_file_is_written(LONG);
}

#[test]
fn a_query_that_is_deep_in_its_work_stops_too() {
    stop_while_a_file_is_written(LONG_SUM);
}

/// Returns whether the process writes a file that has no name yet, which Linux shows as one that
/// was deleted.
fn has_unnamed_file(process: u32) -> bool {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    let target = |entry: std::io::Result<fs::DirEntry>| fs::read_link(entry.ok()?.path()).ok();
    let shown = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    descriptors.filter_map(target).map(shown).any(|path| path.contains("/#") && path.ends_with(" (deleted)"))
}

#[test]
fn a_stopped_copy_leaves_neither_a_file_nor_a_folder() {
    stop_while_something_is_written(&["sql", &format!("COPY ({LONG}) TO 'x.csv.gz'")]);
    let parts = format!("SELECT x, x % 50 AS part FROM ({LONG})");
    stop_while_something_is_written(&[
        "sql",
        &format!("COPY ({parts}) TO 'x' (FORMAT csv, PARTITION_BY part)"),
    ]);
}

fn stop_while_a_file_is_written(query: &str) {
    stop_while_something_is_written(&["sql", query, "--format", "csv", "-o", "x.csv"]);
}

fn stop_while_something_is_written(arguments: &[&str]) {
    let place = place();
    let mut command = place.command(arguments);
    let mut child = command.stderr(Stdio::piped()).spawn().map(EndsWithTest).expect("it starts");
    let started = Instant::now();
    while place.files().len() < 2 && !has_unnamed_file(child.0.id()) {
        assert!(started.elapsed() < HANGS, "it writes nothing");
        thread::sleep(Duration::from_millis(10));
    }
    send("INT", &child);
    assert_eq!(wait(&mut child), Some(130));
    assert_eq!(place.files(), ["t.parquet"]);
}

#[test]
fn a_stopped_script_does_not_go_on() {
    let place = place();
    let script = format!("{LONG}; SELECT 'never' AS never");
    let mut command = place.command(&["sql", &script, "--format", "csv"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map(EndsWithTest).expect("it starts");
    let mut reader = BufReader::new(child.0.stdout.take().expect("a pipe"));
    reader.read_line(&mut String::new()).expect("a line");
    send("INT", &child);
    let rest = thread::spawn(move || reader.lines().any(|line| line.is_ok_and(|line| line == "never")));
    assert_eq!(wait(&mut child), Some(130));
    assert!(!rest.join().expect("a thread"));
}

/// One call of a function over one value, which takes minutes: while the statement is planned,
/// since it has constant arguments, and in the query.
#[test]
fn a_call_that_takes_long_stops_at_once() {
    let call =
        |text: &str| format!("SELECT levenshtein(repeat('a', 3000000) || {text}, repeat('b', 3000000)) AS d");
    for sql in [call("'x'"), format!("{} FROM (VALUES ('x')) AS t(a)", call("a"))] {
        let place = Place::new();
        let sql = format!("SELECT 1 AS begun; {sql}");
        let (mut child, _reader) = behind_two_lines(place.command(&["sql", &sql, "--format", "csv"]));
        // the next statement is likely inside of the call by then
        thread::sleep(Duration::from_millis(300));
        send("INT", &child);
        assert_eq!(wait(&mut child), Some(130), "{sql}");
    }
}
