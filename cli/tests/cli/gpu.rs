//! GPUs by name, on the host build of their kernels, and the pages of profiles.

use std::fs;

use crate::support::Place;

const SUM: &str = "SELECT count(*), sum(id) FROM 't.parquet' WHERE id >= 500";

fn place() -> Place {
    let place = Place::new();
    place.parquet("t.parquet", 3000);
    place
}

#[test]
fn a_query_runs_on_the_host_build_and_explain_says_so() {
    let place = place();
    let run = |sql: &str| place.run(&["sql", "--device", "cuda-host", "--format", "csv", sql]);
    let rows = run(SUM);
    assert_eq!(rows.ok().lines().nth(1), Some("2500,4373750"), "{}", rows.out);
    let explain = place.run(&["sql", "--device", "cuda-host", &format!("EXPLAIN {SUM}")]);
    let out = explain.ok();
    assert!(out.contains("Accelerated: cuda-host") && out.contains("\ncuda-host:\n"), "{out}");
    let source = place.run(&["sql", "--device", "cuda-host", &format!("EXPLAIN CUDA {SUM}")]);
    assert!(source.ok().contains("PELTON_KERNEL("), "{}", source.out);
}

#[test]
fn a_part_that_fails_runs_on_the_cpu_and_says_so_once() {
    let place = place();
    let arguments = ["sql", "--device", "cuda-host:fault-every=1", "--format", "csv", SUM];
    let run = place.run(&arguments);
    assert_eq!((run.code, run.out.lines().nth(1)), (Some(0), Some("2500,4373750")), "{}", run.err);
    assert_eq!(run.err, "cuda-host failed, and the CPU ran its part: fault-every=1 was asked for\n");
}

#[test]
fn a_gpu_that_is_not_there_is_a_line_and_no_error() {
    let place = place();
    let run = place.run(&["sql", "--device", "cuda:ordinal=1000", "--format", "csv", SUM]);
    assert_eq!((run.code, run.out.lines().nth(1)), (Some(0), Some("2500,4373750")), "{}", run.err);
    assert!(run.err.starts_with("cuda can't be used, and the CPU runs all queries: "), "{}", run.err);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}

#[test]
fn statements_for_a_gpu_say_how_to_get_one() {
    let place = place();
    for sql in ["EXPLAIN CUDA SELECT 1", "CACHE TABLE 't.parquet' IN gpu", "UNCACHE TABLE 't.parquet'"] {
        assert!(place.run(&["sql", "--device", "cpu", sql]).error(1).contains("--device cuda"), "{sql}");
    }
    let run = place.run(&["sql", "CACHE TABLE t IN memory"]);
    assert!(run.error(1).contains("a table is kept IN host or IN gpu"), "{}", run.err);
}

#[test]
fn a_profile_is_a_page_with_every_query() {
    let place = place();
    let script = format!("{SUM}; SELECT max(day) FROM 't.parquet'");
    let run = place.run(&["sql", "--device", "cpu", "--profile", "p.html", &script]);
    run.ok();
    let page = fs::read_to_string(place.path("p.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for part in ["Query 1 ", "Query 2 ", "cpu, decompression", "thread 1", "row group 1", "DataSourceExec"] {
        assert!(page.contains(part), "{part}");
    }
    let missing = place.run(&["sql", "--profile", "none/p.html", "SELECT 1"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.contains("none/p.html"), "{}", missing.err);
}

#[test]
fn queries_of_tpch_say_what_the_gpu_ran() {
    let place = Place::new();
    let arguments = ["tpch", "--sf", "0.01", "--queries", "6", "--cache", "data", "--device", "cuda-host"];
    let run = place.run(&[&arguments[..], &["--profile", "p.html"]].concat());
    let out = run.ok();
    assert!(out.contains("on the GPU") && out.contains("  all  ok"), "{out}");
    let page = fs::read_to_string(place.path("p.html")).expect("a page");
    assert!(page.contains("Q6 ") && page.contains("GPU, "), "lanes of the GPU's streams");
}
