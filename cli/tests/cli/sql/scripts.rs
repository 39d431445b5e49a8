//! Several statements: as an argument, in a file, from standard input; and named tables.

use std::fs;

use crate::support::Place;

#[test]
fn statements_run_one_after_the_other() {
    let script = "SELECT 'a;b' AS x; -- the first; done\nSELECT 2 AS y;\n\n";
    let expected = "x\na;b\ny\n2\n";
    let place = Place::new();
    assert_eq!(place.run(&["sql", script, "--format", "csv"]).ok(), expected);
    fs::write(place.path("q.sql"), script).expect("written");
    assert_eq!(place.run(&["sql", "--file", "q.sql", "--format", "csv"]).ok(), expected);
    assert_eq!(place.run_with_input(&["sql", "--format", "csv"], script).ok(), expected);
}

#[test]
fn tables_have_an_empty_line_between_them() {
    let run = Place::new().run(&["sql", "SELECT 1 AS x; SELECT 2 AS y"]);
    assert_eq!(run.ok(), "x\n─\n1\n1 row\n\ny\n─\n2\n1 row\n");
}

#[test]
fn the_first_failure_ends_a_script() {
    let place = Place::new();
    let script = "SELECT 1 AS x;\nSELECT nothing;\nSELECT 3 AS z;\n";
    for run in [
        place.run(&["sql", script, "--format", "csv"]),
        place.run_with_input(&["sql", "--format", "csv"], script),
    ] {
        assert_eq!((run.code, run.out.as_str()), (Some(1), "x\n1\n"));
        assert!(run.err.starts_with("error: ") && run.err.contains("nothing"), "{}", run.err);
    }
}

#[test]
fn the_last_statement_needs_no_semicolon() {
    let run = Place::new().run_with_input(&["sql", "--format", "csv"], "SELECT 1 AS x; SELECT\n 2 AS y");
    assert_eq!(run.ok(), "x\n1\ny\n2\n");
}

#[test]
fn several_results_do_not_go_into_one_file_and_nothing_is_run() {
    let place = Place::new();
    for arguments in [vec!["--output", "x.csv", "--format", "csv"], vec!["--format", "parquet"]] {
        let run = place.run(&[vec!["sql", "SELECT 1; SELECT 2"], arguments.clone()].concat());
        assert!(run.error(1).contains("2 statements"), "{}", run.err);
        let run = place.run_with_input(&[vec!["sql"], arguments].concat(), "SELECT 1; SELECT 2");
        assert!(run.error(1).contains("2 statements"), "{}", run.err);
    }
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn no_statement_is_an_error() {
    let place = Place::new();
    assert!(place.run(&["sql", " ; -- nothing"]).error(1).contains("no statement"));
    assert_eq!(place.run_with_input(&["sql"], "").ok(), "");
}

#[test]
fn tables_are_named_on_the_command_line() {
    let place = Place::new();
    place.parquet("a.parquet", 10);
    fs::create_dir_all(place.path("b/year=2024")).expect("a folder");
    place.parquet("b/year=2024/c.parquet", 20);
    let query = "SELECT (SELECT count(*) FROM trips) AS a, (SELECT sum(year) FROM \"B\") AS b";
    let run =
        place.run(&["sql", query, "--table", "Trips=a.parquet", "--table", "\"B\"=b", "--format", "csv"]);
    assert_eq!(run.ok(), "a,b\n10,40480\n");
    let listed = place.run_with_input(&["sql", "--table", "Trips=a.parquet", "--format", "csv"], ".tables\n");
    assert_eq!(listed.ok(), "name\ntrips\n");
    let described = place.run_with_input(&["sql", "--format", "csv"], "\\d 'a.parquet'\n.quit\nSELECT 1;\n");
    assert!(described.ok().contains("\nid,BIGINT,"), "{}", described.out);
}

#[test]
fn stats_say_what_was_read_and_decompressed() {
    let place = Place::new();
    place.parquet("a.parquet", 5000);
    let run = place.run(&["sql", "SELECT sum(price) FROM 'a.parquet'", "--stats", "--format", "csv"]);
    assert_eq!((run.code, run.out.lines().count()), (Some(0), 2), "{}", run.err);
    assert!(run.err.starts_with("1 row in ") && run.err.contains("\nread "), "{}", run.err);
    assert!(run.err.contains("decompressed gzip on cpu: "), "{}", run.err);
}

#[test]
fn threads_memory_and_checksums_are_taken() {
    let place = Place::new();
    place.parquet("a.parquet", 5000);
    let query = "SELECT count(*) AS n, sum(id) AS s FROM 'a.parquet'";
    let settings = ["--threads", "1", "--memory", "64MiB", "--verify-checksums", "--format", "csv"];
    let run = place.run(&[vec!["sql", query], settings.to_vec()].concat());
    assert_eq!(run.ok(), "n,s\n5000,12497500\n");
}

#[test]
fn more_memory_than_is_allowed_is_an_error() {
    let place = Place::new();
    place.parquet("a.parquet", 60_000);
    let query = "SELECT count(DISTINCT a.name || b.name) FROM 'a.parquet' a, 'a.parquet' b";
    let run = place.run(&["sql", query, "--memory", "1MB"]);
    assert!(run.error(1).contains("memory"), "{}", run.err);
}
