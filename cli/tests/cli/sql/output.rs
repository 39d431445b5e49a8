//! Files that results go to, and readers that stop reading.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{Place, read_parquet};

/// Fails at its last row, when most rows have been written.
const FAILS_LATE: &str = "SELECT 10 / (19999 - id) AS x FROM 't.parquet' ORDER BY id";

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 20_000);
    place
}

#[test]
fn a_file_is_replaced_when_the_result_is_whole() {
    let place = place();
    fs::write(place.path("x.csv"), "old").expect("written");
    let run = place.run(&["sql", "SELECT count(*) AS n FROM 't.parquet'", "--format", "csv", "-o", "x.csv"]);
    assert_eq!(run.ok(), "");
    assert_eq!(fs::read_to_string(place.path("x.csv")).expect("read"), "n\n20000\n");
    assert_eq!(place.files(), ["t.parquet", "x.csv"]);
}

#[test]
fn a_query_that_fails_leaves_the_folder_as_it_was() {
    let place = place();
    fs::write(place.path("old.csv"), "old").expect("written");
    for format in ["table", "csv", "json", "parquet"] {
        for output in ["old.csv", "new.csv"] {
            let run = place.run(&["sql", FAILS_LATE, "--format", format, "-o", output]);
            assert!(run.error(1).contains("division by zero"), "{}", run.err);
        }
    }
    assert_eq!(place.files(), ["old.csv", "t.parquet"]);
    assert_eq!(fs::read_to_string(place.path("old.csv")).expect("read"), "old");
}

#[test]
fn a_file_may_be_rewritten_from_itself() {
    let place = place();
    let query = "SELECT * FROM 't.parquet' WHERE id % 2 = 0";
    assert_eq!(place.run(&["sql", query, "--format", "parquet", "-o", "t.parquet"]).ok(), "");
    assert_eq!(read_parquet(&place.path("t.parquet")).num_rows(), 10_000);
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).expect("a folder");
    let missing = ("missing/x.csv", "missing/x.csv: there is no folder missing; make it first");
    for (output, named) in [missing, ("folder", "it is a folder")] {
        let run = place.run(&["sql", "SELECT 1", "--format", "csv", "-o", output]);
        assert!(run.error(1).contains(named), "{}", run.err);
    }
}

#[test]
fn a_failed_statement_prints_nothing_on_standard_output() {
    let place = place();
    for format in ["table", "box", "csv", "json"] {
        for (sql, part) in [
            ("DROP SECRET nope", "there is no secret nope"),
            ("COPY (SELECT 1 AS x) TO 'nowhere/x.csv'", "there is no folder nowhere"),
            ("COPY (SELECT 1 AS x) TO 'folder' (FORMAT csv, APPEND)", "APPEND adds files to a folder"),
            (FAILS_LATE, "division by zero"),
        ] {
            let run = place.run(&["sql", sql, "--format", format]);
            assert_eq!(run.out, "", "{sql}");
            assert!(run.error(1).contains(part), "{sql}: {}", run.err);
        }
    }
}

#[test]
fn results_without_rows_have_their_names() {
    let run = Place::new().run(&["sql", "SELECT 1 AS x WHERE false", "--format", "csv"]);
    assert_eq!(run.ok(), "x\n");
}

#[cfg(unix)]
#[test]
fn a_device_is_written_and_not_replaced() {
    let run = Place::new().run(&["sql", "SELECT 1 AS x", "--format", "csv", "-o", "/dev/stdout"]);
    assert_eq!(run.ok(), "x\n1\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let place = place();
    for format in ["table", "csv", "json", "parquet"] {
        let mut command = place.command(&["sql", "SELECT * FROM 't.parquet'", "--format", format]);
        if format == "csv" {
            command = place.command(&["sql", "SELECT id, name FROM 't.parquet'", "--format", format]);
        }
        let full = File::options().write(true).open("/dev/full").expect("a device that is always full");
        let output = command.stdout(full).output().expect("it starts");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{format}: {err}");
        assert_eq!(err, "error: cannot write standard output: No space left on device\n", "{format}");
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let place = place();
    // More than any pipe holds, by far.
    let query = "SELECT a.id FROM 't.parquet' a, 't.parquet' b";
    for format in ["csv", "json"] {
        let mut command = place.command(&["sql", query, "--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
        reader.read_line(&mut line).expect("a line");
        assert_eq!(line, if format == "csv" { "id\n" } else { "[\n" });
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{format}");
    }
}
