//! Random aggregates under a memory limit, with groups on disk by hash and sorted: the rows are
//! those of a session without a limit.

use pelton::Engine;
use pelton_random::{Random, reduced};

use super::clustered_groups::{query, tables};
use crate::support::{rows_in_any_order, text};

const QUERIES: usize = 96;

/// Divisor of the least number of queries with groups on disk, so that a limit without effect is
/// noticed.
const LEAST_SPLIT: usize = 8;

fn engine(threads: usize, megabytes: usize) -> Engine {
    let engine = Engine::builder().threads(threads).build().expect("an engine");
    engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
    engine
}

/// Returns the files that the operator wrote.
fn files(engine: &Engine, sql: &str) -> usize {
    let Ok(plan) = engine.sql(&format!("EXPLAIN ANALYZE {sql}")) else { return 0 };
    let plan = text(&plan);
    let of_operator = plan.lines().filter(|line| line.contains("PartitionedAggregateExec"));
    let counts = of_operator.filter_map(|line| {
        let count = line.split("spill_count=").nth(1)?;
        let digits: String = count.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    counts.sum()
}

#[test]
fn rows_do_not_depend_on_the_limit() {
    let folder = tables();
    let mut random = Random::new(4100);
    let (queries, mut split) = (reduced(QUERIES), 0);
    for threads in [1, 2, 3, 8] {
        let whole = Engine::builder().threads(threads).build().expect("an engine");
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random, folder.path());
            let expected = rows_in_any_order(&whole.sql(&sql).expect("an answer"));
            let megabytes = [8, 12, 24][random.below(3)];
            let limited = engine(threads, megabytes);
            for is_on in [false, true] {
                limited.sql(&format!("SET partitioned_aggregates = {is_on}")).expect("a setting");
                match limited.sql(&sql) {
                    Ok(rows) => assert_eq!(
                        rows_in_any_order(&rows),
                        expected,
                        "{threads} threads, {megabytes} MB, {is_on}: {sql}"
                    ),
                    Err(error) => assert!(error.to_string().contains("out of memory"), "{sql}: {error}"),
                }
            }
            split += usize::from(files(&limited, &sql) > 0);
        }
    }
    assert!(split * LEAST_SPLIT >= queries, "{split} of {queries} went to disk");
}

/// A group that is larger than the limit can't be split.
#[test]
fn a_group_that_does_not_fit_ends_the_query() {
    let engine = engine(2, 4);
    let text = "repeat('x', CAST(3900000 + n % 2 AS int))";
    let sql =
        format!("SELECT length(k), count(*) FROM (SELECT {text} AS k FROM range(4) AS t(n)) GROUP BY k");
    let error = engine.sql(&sql).expect_err("it does not fit").to_string();
    assert!(error.contains("out of memory"), "{error}");
}

/// Files that don't fit in memory are split by another hash.
#[test]
fn files_are_split_again() {
    const ROWS: i64 = 2_000_000;
    let engine = engine(2, 12);
    let groups = format!("SELECT n, n % 7 AS m, count(*) AS c FROM range({ROWS}) AS t(n) GROUP BY n, m");
    let sql = format!("SELECT count(*), sum(n), max(c), sum(m) FROM ({groups})");
    let rows = rows_in_any_order(&engine.sql(&sql).expect("an answer"));
    let whole =
        format!("SELECT {ROWS}, {}, 1, {}", (0..ROWS).sum::<i64>(), (0..ROWS).map(|n| n % 7).sum::<i64>());
    let expected = rows_in_any_order(&engine.sql(&whole).expect("an answer"));
    assert_eq!(rows[1..], expected[1..]);
    assert!(files(&engine, &sql) > 4 * 16, "{}", files(&engine, &sql));
}
