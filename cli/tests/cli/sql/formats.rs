//! Rows as tables, CSV, JSON and Parquet.

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use serde_json::{Value, json};

use crate::support::{Place, read_parquet};

const QUERY: &str = "SELECT id, name, price, day FROM 't.parquet' WHERE id IN (0, 1, 1234) ORDER BY id";

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 2000);
    place
}

#[test]
fn table() {
    let expected = "  id │ name      │ price │ day\n\
                    ─────┼───────────┼───────┼───────────\n   \
                    0 │ NULL      │  0.00 │ 1970-01-01\n   \
                    1 │ name 1    │  0.01 │ 1970-01-02\n\
                    1234 │ name 1234 │ 12.34 │ 1973-05-19\n\
                    3 rows\n";
    assert_eq!(place().run(&["sql", QUERY]).ok(), expected);
}

#[test]
fn csv() {
    let expected =
        "id,name,price,day\n0,,0.00,1970-01-01\n1,name 1,0.01,1970-01-02\n1234,name 1234,12.34,1973-05-19\n";
    assert_eq!(place().run(&["sql", QUERY, "--format", "csv"]).ok(), expected);
}

#[test]
fn csv_quotes_what_needs_it() {
    let run = Place::new().run(&[
        "sql",
        "SELECT 'a,b' AS x, 'say \"no\"' AS y, 'two\nlines' AS z",
        "--format",
        "csv",
    ]);
    assert_eq!(run.ok(), "x,y,z\n\"a,b\",\"say \"\"no\"\"\",\"two\nlines\"\n");
}

#[test]
fn json_with_nulls_decimals_and_lists() {
    let query = "SELECT *, 1.5 AS x FROM 't.parquet' WHERE id IN (0, 1234) ORDER BY id";
    let run = place().run(&["sql", query, "--format", "json"]);
    let value: Value = serde_json::from_str(run.ok()).expect("JSON");
    let expected = json!([
        { "id": 0, "name": null, "price": 0.00, "day": "1970-01-01", "parts": [], "x": 1.5 },
        { "id": 1234, "name": "name 1234", "price": 12.34, "day": "1973-05-19", "parts": [0], "x": 1.5 },
    ]);
    assert_eq!(value, expected);
    assert_eq!(run.ok().lines().count(), 4, "an object a line: {}", run.ok());
}

#[test]
fn parquet_to_a_file_and_to_a_pipe() {
    let place = place();
    let query = "SELECT * FROM 't.parquet' ORDER BY id";
    assert_eq!(place.run(&["sql", query, "--format", "parquet", "--output", "u.parquet"]).ok(), "");
    let (before, after) = (read_parquet(&place.path("t.parquet")), read_parquet(&place.path("u.parquet")));
    // Types may come back as views; only the values have to be equal.
    assert_eq!(after.num_rows(), 2000);
    let ids = after.column(0).as_primitive::<Int64Type>();
    assert!(ids.values().iter().copied().eq(0..2000));
    for column in 1..before.num_columns() {
        let as_before = arrow::compute::cast(after.column(column), before.column(column).data_type());
        assert_eq!(&as_before.expect("a cast"), before.column(column));
    }
    let piped = place.command(&["sql", query, "--format", "parquet"]).output().expect("it starts");
    assert_eq!(piped.stdout, std::fs::read(place.path("u.parquet")).expect("a file"));
}

#[test]
fn a_result_without_rows_has_its_columns() {
    let place = place();
    let query = "SELECT id, name FROM 't.parquet' WHERE id < 0";
    let run = |format| place.run(&["sql", query, "--format", format]).ok().to_owned();
    assert_eq!(run("csv"), "id,name\n");
    assert_eq!(serde_json::from_str::<Value>(&run("json")).expect("JSON"), json!([]));
    assert_eq!(run("table"), "id │ name\n───┼─────\n0 rows\n");
    place.run(&["sql", query, "--format", "parquet", "-o", "u.parquet"]).ok();
    let rows = read_parquet(&place.path("u.parquet"));
    assert_eq!((rows.num_rows(), rows.num_columns()), (0, 2));
}

#[test]
fn a_table_shows_the_first_rows_and_says_how_many_there_are() {
    let place = place();
    let lines = |max_rows: &[&str]| {
        let mut arguments = vec!["sql", "SELECT id FROM 't.parquet' ORDER BY id"];
        arguments.extend(max_rows);
        let run = place.run(&arguments);
        let last = run.ok().lines().last().map(str::to_owned);
        (run.ok().lines().count(), last.expect("a line"))
    };
    assert_eq!(lines(&[]), (2 + 40 + 1, "40 of 2,000 rows shown".into()));
    assert_eq!(lines(&["--max-rows", "3"]), (2 + 3 + 1, "3 of 2,000 rows shown".into()));
    assert_eq!(lines(&["--max-rows", "0"]), (2 + 2000 + 1, "2,000 rows".into()));
}

#[test]
fn a_plan_is_printed_as_it_is() {
    let run = place().run(&["sql", "EXPLAIN SELECT sum(id) FROM 't.parquet' WHERE id > 5"]);
    assert!(run.ok().contains("physical_plan:\n"), "{}", run.ok());
    assert!(!run.ok().contains("\\n") && !run.ok().contains('│'), "{}", run.ok());
}

#[test]
fn nested_values_have_no_place_in_csv() {
    let run = place().run(&["sql", "SELECT parts FROM 't.parquet'", "--format", "csv"]);
    let error = run.error(1);
    assert!(error.contains("column parts") && error.contains("write JSON"), "{error}");
}

#[test]
fn dates_beyond_the_calendar_have_no_place_in_json() {
    let date = "arrow_cast(arrow_cast(9223372036854775, 'Int64'), 'Timestamp(Second, None)')";
    for value in [date.to_owned(), format!("[{date}]"), format!("{{'day': {date}}}")] {
        let run = Place::new().run(&["sql", &format!("SELECT {value} AS x"), "--format", "json"]);
        assert!(run.error(1).contains("column x: a date or time is outside"), "{}", run.err);
    }
}

#[test]
fn names_that_come_twice_have_no_place_in_json() {
    let query = "SELECT * FROM (SELECT 1 AS x) a, (SELECT 2 AS x) b";
    let run = Place::new().run(&["sql", query, "--format", "json"]);
    assert!(run.error(1).contains("two columns are called x"), "{}", run.err);
    let run = Place::new().run(&["sql", query, "--format", "csv"]);
    assert_eq!(run.ok(), "x,x\n1,2\n");
}

#[test]
fn titles_have_no_paths() {
    let place = place();
    let titles = |query: &str| {
        let run = place.run(&["sql", query, "--table", "t=t.parquet", "--format", "csv"]);
        run.ok().lines().next().map(str::to_owned)
    };
    assert_eq!(
        titles("SELECT max(id), min(id) + 1 FROM 't.parquet'").as_deref(),
        Some("max(id),min(id) + 1")
    );
    assert_eq!(titles("SELECT max(id) FROM t").as_deref(), Some("max(id)"));
    let both =
        titles("SELECT max(\"t.parquet\".id), max(\"./t.parquet\".id) FROM 't.parquet', './t.parquet'");
    assert_eq!(
        both.as_deref(),
        Some("\"max(\"\"t.parquet\"\".id)\",\"max(\"\"./t.parquet\"\".id)\""),
        "one title would stand for both"
    );
}

#[test]
fn a_result_that_the_format_has_no_form_for_is_refused_before_its_statement_runs() {
    let place = place();
    let copy = "COPY (SELECT 1 AS a) TO 'x.parquet' (RETURN_FILES)";
    let run = place.run(&["sql", "--format", "csv", copy]);
    assert!(run.error(1).contains("column Files is a VARCHAR[], which CSV has no form for"), "{}", run.err);
    assert!(!place.path("x.parquet").exists());
    place.run(&["sql", "--format", "ndjson", copy]).ok();
    assert!(place.path("x.parquet").exists());
}

/// As `head` does.
#[test]
#[cfg(target_os = "linux")]
fn a_copy_to_a_pipe_ends_quietly_when_its_reader_does() {
    use std::io::Read;
    use std::process::Stdio;

    let place = Place::new();
    let copy = "COPY (SELECT n FROM range(0, 3000000) t(n)) TO '/dev/stdout' (FORMAT csv)";
    let mut child = place
        .command(&["sql", copy])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut begin = [0; 4];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut begin).expect("rows");
    drop(out);
    let run: crate::support::Run = child.wait_with_output().expect("it ends").into();
    assert_eq!(&begin, b"n\n0\n");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}
