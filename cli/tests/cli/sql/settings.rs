//! Settings, the formats of rows, and the commands of scripts.

use std::fs;

use crate::support::Place;

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 3000);
    place
}

#[test]
fn settings_hold_for_the_statements_after_them() {
    let place = place();
    let script = "SHOW threads; SET threads = 3; SHOW threads; SELECT count(*) AS n FROM 't.parquet'; \
                  SET memory = 64MiB; SHOW memory; SET device = cpu; SHOW device; \
                  SELECT sum(id) AS n FROM 't.parquet'; RESET ALL; SHOW threads; SHOW device";
    let run = place.run(&["sql", "--format", "csv", "--threads", "2", script]);
    assert_eq!(
        run.ok(),
        "threads\n2\nthreads\n3\nn\n3000\nmemory\n64MiB\ndevice\ncpu\nn\n4498500\nthreads\n2\ndevice\nauto\n"
    );
}

#[test]
fn a_device_that_is_missing_changes_nothing() {
    let place = place();
    let script = "SET device = nothing;\n";
    let run = place.run_with_input(&["sql"], script);
    assert!(run.error(1).contains("there is no device \"nothing\""), "{}", run.err);
    let run = place.run(&["sql", "--format", "csv", "SET device = 'iaa-model:devices=2'; SHOW device; SELECT count(*) AS n FROM 't.parquet'; SET threads = 2; SHOW device; RESET device; SHOW device"]);
    assert_eq!(run.ok(), "device\niaa-model:devices=2\nn\n3000\ndevice\niaa-model:devices=2\ndevice\nauto\n");
}

#[test]
fn a_profile_has_the_queries_between_set_and_reset() {
    let place = place();
    let script = "SELECT 1; SET profile = 'p.html'; SELECT count(*) FROM 't.parquet'; SELECT 'second'; RESET profile; SELECT 'third'";
    place.run(&["sql", script]).ok();
    let page = fs::read_to_string(place.path("p.html")).expect("a page");
    assert!(page.contains("Query 1") && page.contains("Query 2") && page.contains("second"), "{page}");
    assert!(!page.contains("third"));
}

#[test]
fn a_page_of_profiles_is_refused_where_it_cannot_be() {
    let place = place();
    let run = place.run(&["sql", "SET profile = 'none/p.html'; SELECT 1"]);
    assert!(run.error(1).contains("profile: none/p.html can't be written"), "{}", run.err);
}

#[test]
fn rows_have_the_format_of_the_mode() {
    let place = place();
    let script = "\
.mode ndjson
SELECT 1 AS a, 'x' AS b;
.mode markdown
SELECT 1 AS a, 'x|y' AS b;
.mode line
SELECT 1 AS a, NULL AS long UNION ALL SELECT 2, 'z';
.mode box
SELECT 1 AS a, 'x' AS b;
";
    let run = place.run_with_input(&["sql"], script);
    let expected = "\
{\"a\":1,\"b\":\"x\"}
| a | b |
| ---: | --- |
| 1 | x\\|y |
   a = 1
long = NULL

   a = 2
long = z
┌───┬───┐
│ a │ b │
├───┼───┤
│ 1 │ x │
└───┴───┘
1 row
";
    assert_eq!(run.ok(), expected);
}

#[test]
fn results_go_to_files() {
    let place = place();
    fs::write(place.path("more.sql"), "SELECT 3 AS a;\n").expect("written");
    let script = "\
.mode csv
.output all.csv
SELECT 1 AS a;
.once one.json
SELECT 2 AS a;
.read more.sql
.output
SELECT 4 AS a;
";
    let run = place.run_with_input(&["sql"], script);
    assert_eq!(run.ok(), "a\n4\n");
    assert_eq!(fs::read_to_string(place.path("all.csv")).expect("a file"), "a\n1\na\n3\n");
    assert_eq!(fs::read_to_string(place.path("one.json")).expect("a file"), "[\n{\"a\":2}\n]\n");
    let run = place.run_with_input(&["sql"], ".output all.csv\nSELECT 5;\nSELECT x;\n");
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert_eq!(
        fs::read_to_string(place.path("all.csv")).expect("a file"),
        "a\n1\na\n3\n",
        "it stays as it was"
    );
}

#[test]
fn a_file_of_statements_comes_first() {
    let place = place();
    fs::write(place.path("init.sql"), "SET threads = 2;\nCREATE VIEW v AS SELECT 7 AS seven;\n")
        .expect("written");
    let run = place.run(&["sql", "--init", "init.sql", "--format", "csv", "SELECT * FROM v"]);
    assert_eq!(run.ok(), "seven\n7\n");
    let run = place.run(&["sql", "--init", "none.sql", "SELECT 1"]);
    assert!(run.error(1).contains("none.sql: No such file"), "{}", run.err);
    fs::write(place.path("loop.sql"), ".read loop.sql\n").expect("written");
    let run = place.run(&["sql", "--init", "loop.sql", "SELECT 1"]);
    assert!(run.error(1).contains("which is the limit"), "{}", run.err);
}

#[test]
fn shells_and_man_get_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let run = place.run(&["completions", shell]);
        assert!(run.ok().contains("verify-checksums") && run.out.contains("repack"), "{shell}: {}", run.out);
    }
    assert!(place.run(&["man"]).ok().contains(".TH PELTON 1"));
    let run = place.run(&["man", "sql"]);
    assert!(run.ok().contains(".TH PELTON-SQL 1") && run.out.contains("max\\-rows"), "{}", run.out);
    assert!(place.run(&["man", "sq"]).error(2).contains("did you mean sql?"));
    place.run(&["man", "--output", "man1"]).ok();
    let pages = fs::read_dir(place.path("man1")).expect("a folder").count();
    assert!(pages > 6 && place.path("man1/pelton-sql.1").is_file(), "{pages}");
}
