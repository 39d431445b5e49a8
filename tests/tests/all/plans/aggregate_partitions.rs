//! Random aggregates under a memory limit, with groups on disk by hash and sorted: the rows are
//! those of a session without a limit.

use pelton::Engine;
use pelton_random::{Random, reduced};

use super::clustered_groups::{AGGREGATES, MERGED};
use crate::support::{rows_in_any_order, text};

const QUERIES: usize = 24;

/// Rows with a key of their own each, but for NULLs, in no order.
const ROWS: &str = "SELECT CASE WHEN n % 50 > 0 THEN n * 7919 % 200003 END AS o, \
    'a text of order ' || n % 5000 AS s, DATE '1994-08-23' + CAST(n % 900 AS int) AS d, \
    CAST(n % 300 AS double) / 4 AS f, n % 3 = 1 AS p, CAST(n % 15 AS int) AS i, \
    CAST(n % 40000 AS decimal(15, 2)) AS n FROM range(200000) AS t(n)";

/// Divisor of the least number of queries with groups on disk, so that a limit without effect is
/// noticed.
const LEAST_SPLIT: usize = 4;

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

/// A query with a group for nearly each row, or for many.
fn query(random: &mut Random, table: &str) -> String {
    let mut others = vec!["s", "d", "f", "p", "i", "o % 1000"];
    let mut keys = vec!["o"];
    keys.extend((0..random.below(3)).map(|_| others.swap_remove(random.below(others.len()))));
    if random.chance(0.2) {
        keys = vec!["s", "d", "i"];
    }
    let values = (0..1 + random.below(5)).map(|_| AGGREGATES[random.below(MERGED)]);
    let values: Vec<_> =
        keys.iter().copied().chain(values).enumerate().map(|(at, v)| format!("{v} AS v{at}")).collect();
    let keys = keys.join(", ");
    let groups = if random.chance(0.2) { format!("ROLLUP({keys})") } else { keys };
    let having = if random.chance(0.2) { " HAVING count(*) > 1" } else { "" };
    format!("SELECT {} FROM {table} GROUP BY {groups}{having}", values.join(", "))
}

#[test]
fn rows_do_not_depend_on_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = format!("'{}/t.parquet'", folder.path().display());
    let writer = Engine::builder().threads(1).build().expect("an engine");
    writer.sql(&format!("COPY ({ROWS}) TO {table}")).expect("a file");
    let mut random = Random::new(4100);
    let (queries, mut split) = (reduced(QUERIES), 0);
    for threads in [1, 2, 3, 8] {
        let whole = Engine::builder().threads(threads).build().expect("an engine");
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random, &table);
            let expected = rows_in_any_order(&whole.sql(&sql).expect("an answer"));
            let megabytes = [12, 16, 24][random.below(3)];
            let limited = engine(threads, megabytes);
            for is_on in [false, true] {
                limited.sql(&format!("SET partitioned_aggregates = {is_on}")).expect("a setting");
                match limited.sql(&sql) {
                    Ok(rows) => assert!(
                        rows_in_any_order(&rows) == expected,
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
    // a permutation: rows that are known to be in order have no hash table
    const PRIME: i64 = 2_000_003;
    let engine = engine(2, 12);
    let groups = format!("SELECT n * 7919 % {PRIME} AS k, max(n) AS m FROM range({ROWS}) AS t(n) GROUP BY k");
    let sql = format!("SELECT count(*), sum(k), sum(m) FROM ({groups})");
    let rows = rows_in_any_order(&engine.sql(&sql).expect("an answer"));
    let keys: i64 = (0..ROWS).map(|n| n * 7919 % PRIME).sum();
    let whole = format!("SELECT {ROWS}, {keys}, {}", (0..ROWS).sum::<i64>());
    let expected = rows_in_any_order(&engine.sql(&whole).expect("an answer"));
    assert_eq!(rows[1..], expected[1..]);
    assert!(files(&engine, &sql) > 2 * 16, "{}", files(&engine, &sql));
}
