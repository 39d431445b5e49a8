//! `pelton substrait`: plans run, shown and made.

use std::fs;

use crate::support::{Place, read_parquet};

const QUERY: &str =
    "SELECT id, price * 2 AS double FROM t WHERE id % 2 = 1 AND day < DATE '1970-01-09' ORDER BY id";

/// The rows of [`QUERY`] over ten rows.
const ROWS: &str = "id,double\n1,0.02\n3,0.06\n5,0.10\n7,0.14\n";

/// Returns a place with a table, and with the plan of the query in both forms.
fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 10);
    for plan in ["plan.pb", "plan.json"] {
        let run = place.run(&["substrait", "--table", "t=t.parquet", "--from-sql", QUERY, "--output", plan]);
        assert_eq!(run.ok(), "");
    }
    place
}

#[test]
fn plans_as_bytes_and_as_json_give_the_rows_of_their_query() {
    let place = place();
    let json = fs::read_to_string(place.path("plan.json")).expect("a file");
    assert!(json.starts_with("{\n") && json.contains("\"namedTable\""), "{json}");
    // in a filter: DataFusion's consumer does not apply the conditions of a read
    assert!(json.contains("\"condition\""), "{json}");
    let shown = place.run(&["substrait", "--table", "t=t.parquet", "--from-sql", QUERY]);
    assert_eq!(shown.ok(), json);
    for plan in ["plan.pb", "plan.json"] {
        let run = place.run(&["substrait", "--table", "t=t.parquet", "--format", "csv", plan]);
        assert_eq!(run.ok(), ROWS);
    }
    let run = place.run_with_input(&["substrait", "--table", "t=t.parquet", "--format", "csv", "-"], &json);
    assert_eq!(run.ok(), ROWS);
}

#[test]
fn rows_go_to_files_that_are_whole() {
    let place = place();
    let arguments = ["substrait", "--table", "t=t.parquet", "--output", "out.parquet", "plan.pb"];
    assert_eq!(place.run(&arguments).ok(), "");
    let rows = read_parquet(&place.path("out.parquet"));
    assert_eq!((rows.num_rows(), rows.num_columns()), (4, 2));
    assert_eq!(
        place.run(&["substrait", "--table", "t=t.parquet", "--output", "out.csv", "plan.json"]).ok(),
        ""
    );
    assert_eq!(fs::read_to_string(place.path("out.csv")).expect("a file"), ROWS);
}

#[test]
fn a_plan_is_shown_as_it_is_run() {
    let run = place().run(&["substrait", "--table", "t=t.parquet", "--explain", "plan.pb"]);
    assert!(run.ok().contains("physical_plan") && run.out.contains("t.parquet"), "{}", run.out);
}

#[test]
fn a_plan_as_it_is_run_goes_to_a_file() {
    let place = place();
    let arguments = ["substrait", "--table", "t=t.parquet", "--explain", "--output", "out.csv", "plan.pb"];
    assert_eq!(place.run(&arguments).ok(), "");
    let text = fs::read_to_string(place.path("out.csv")).expect("a file");
    assert!(text.starts_with("plan_type,plan\n") && text.contains("t.parquet"), "{text}");
}

#[test]
fn an_output_does_not_replace_its_plan() {
    let place = place();
    let plan = fs::read(place.path("plan.pb")).expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("plan.pb", place.path("link.pb")).expect("a link");
    for output in [
        "plan.pb",
        "./plan.pb",
        #[cfg(unix)]
        "link.pb",
    ] {
        for more in [&[][..], &["--explain"]] {
            let all = ["substrait", "--table", "t=t.parquet", "--output", output, "plan.pb"];
            let all: Vec<&str> = all.into_iter().chain(more.iter().copied()).collect();
            let run = place.run(&all);
            assert!(run.error(2).contains("would replace the plan"), "{all:?}: {}", run.err);
            assert_eq!(fs::read(place.path("plan.pb")).expect("a file"), plan);
        }
    }
}

#[test]
fn plans_that_can_not_run_say_why() {
    let place = place();
    fs::write(place.path("text.pb"), "SELECT 1").expect("written");
    for (arguments, named) in [
        (&["plan.pb"][..], "there is no table t"),
        (&["missing.pb"], "missing.pb: No such file"),
        (&["text.pb"], "this is no Substrait plan"),
        (&["t.parquet"], "this is no Substrait plan"),
        (&["--over", "t.parquet", "plan.pb"], "leave out the table t.parquet"),
        (&["--from-sql", "SELECT nothing"], "nothing"),
        (&["--from-sql", "COPY (SELECT 1) TO 'x.parquet'"], "no query has no Substrait plan"),
    ] {
        let all: Vec<&str> = ["substrait"].into_iter().chain(arguments.iter().copied()).collect();
        let run = place.run(&all);
        assert!(run.error(1).contains(named), "{arguments:?}: {}", run.err);
    }
    let run = place.run(&["substrait"]);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""));
    assert!(run.err.contains("PLAN"), "{}", run.err);
}

#[test]
fn plans_that_would_have_other_rows_are_refused() {
    let place = Place::new();
    place.parquet("t.parquet", 10);
    for (query, named) in [
        ("SELECT count(id) FILTER (WHERE id > 2) OVER () FROM 't.parquet'", "count FILTER over a window"),
        ("SELECT count(DISTINCT id) OVER () FROM 't.parquet'", "count(DISTINCT ...) over a window"),
        (
            "SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM 't.parquet'",
            "RANGE with an offset",
        ),
    ] {
        let run = place.run(&["substrait", "--from-sql", query]);
        assert!(run.error(1).contains(named), "{query}: {}", run.err);
    }
}
