//! Queries under memory limits: the right rows, or one line that names the operator and the limit.

mod queries;
mod tables;

use arrow::array::RecordBatch;
use pelton::Engine;
use pelton_tests::render::render;

use crate::support::{Scratch, check_message, sql};

const KB: usize = 1 << 10;

/// Bytes: the first holds a page or two, the last everything.
const LIMITS: [usize; 8] =
    [256 * KB, 512 * KB, 1024 * KB, 2048 * KB, 4096 * KB, 8192 * KB, 16_384 * KB, 65_536 * KB];

/// Returns an engine that knows the tables.
fn engine(scratch: &Scratch, threads: usize, limit: Option<usize>) -> Engine {
    let builder = Engine::builder().threads(threads);
    let builder = match limit {
        Some(limit) => builder.memory_limit(limit),
        None => builder,
    };
    let engine = builder.build().expect("an engine");
    for name in tables::NAMES {
        engine.register(name, &scratch.name(&format!("{name}.parquet"))).expect("a good file");
    }
    engine
}

/// Returns the rows as text, in an order of their own: queries that ask for one are few, and their
/// rows differ.
fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let line = |batch: &RecordBatch, row| {
        let cells: Vec<String> = batch.columns().iter().map(|column| render(column, row)).collect();
        cells.join(" | ")
    };
    let mut lines: Vec<String> =
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| line(batch, row))).collect();
    lines.sort();
    lines
}

/// Returns whether a query has its rows; otherwise memory ran out, and the error says so.
fn check(engine: &Engine, query: &str, rows: &[String], what: &str) -> bool {
    match sql(engine, query) {
        Ok(batches) => {
            assert_eq!(lines(&batches), rows, "{what}: {query}");
            true
        }
        Err(message) => {
            check_message(&message);
            let is_known = message.starts_with("out of memory within the limit that was set: ")
                && message.ends_with("; raise the limit (--memory), or use fewer threads");
            assert!(is_known, "{what}: {query}: {message}");
            let names_a_limit =
                message.contains(" in all, of which ") || message.contains(" does not fit in ");
            assert!(names_a_limit, "{what}: {query}: {message}");
            false
        }
    }
}

#[test]
fn rows_are_right_or_memory_runs_out() {
    let scratch = Scratch::new();
    tables::write(&scratch);
    let unlimited = engine(&scratch, 1, None);
    let rows: Vec<Vec<String>> = queries::ALL
        .iter()
        .map(|query| lines(&sql(&unlimited, query).unwrap_or_else(|error| panic!("{query}: {error}"))))
        .collect();
    for limit in LIMITS {
        for threads in [1, 2, 4] {
            let engine = engine(&scratch, threads, Some(limit));
            let what = format!("{limit} bytes, {threads} threads");
            for (query, rows) in queries::ALL.iter().zip(&rows) {
                let fits = check(&engine, query, rows, &what);
                assert!(fits || limit < LIMITS[LIMITS.len() - 1], "{what}: {query}");
            }
        }
    }
}

/// Joins with sides that don't fit run in parts, and are not refused.
#[test]
fn joins_without_equal_keys_go_to_disk() {
    let scratch = Scratch::new();
    tables::write(&scratch);
    let joins = [
        ("SELECT count(*), count(t) FROM l LEFT JOIN r ON x > y AND x < y + 3", "3000 | 600"),
        ("SELECT count(*), count(t) FROM l JOIN r ON x > y AND x < y + 3", "600 | 600"),
        ("SELECT count(*), count(t) FROM l RIGHT JOIN r ON x > y AND x < y + 3", "600 | 600"),
        ("SELECT count(*), count(s) FROM r LEFT JOIN l ON x > y + 2980", "324 | 26"),
        ("SELECT count(*), count(s) FROM l RIGHT JOIN r ON x > y + 2980", "324 | 26"),
        (
            "SELECT count(*), max(s) IS NULL FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE x > y AND x < y + 3)",
            "2400 | false",
        ),
        (
            "SELECT count(*), max(s) IS NULL FROM l WHERE EXISTS (SELECT 1 FROM r WHERE x > y AND x < y + 3)",
            "600 | false",
        ),
        (
            "SELECT count(*), max(t) IS NULL FROM r WHERE NOT EXISTS (SELECT 1 FROM l WHERE x > y + 2980)",
            "298 | false",
        ),
    ];
    for threads in [1, 2, 4] {
        for (query, row) in joins {
            let fits = |limit: &usize| {
                let engine = engine(&scratch, threads, Some(*limit));
                check(&engine, query, &[row.to_owned()], &format!("{limit} bytes, {threads} threads"))
            };
            // each side by itself is larger than half of the largest of these
            let limits = [256 * KB, 512 * KB, 768 * KB, 1024 * KB, 1536 * KB, 2048 * KB];
            let count = limits.iter().filter(|limit| fits(limit)).count();
            assert!(count >= 2, "{threads} threads: {query}");
        }
    }
}
