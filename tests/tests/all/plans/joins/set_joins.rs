//! Random semi and anti joins, by sets of keys and by hash tables of rows: the rows are the same,
//! and on one thread in the same order.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::engine_with;
use crate::support::{lines, rows_in_any_order, text};

/// Statements that make the tables: events with keys that are null, repeated, or missing on the
/// other side; accounts with unique keys in a small range and in a wide one; offers with repeated
/// and null keys; and one table without rows.
const TABLES: [&str; 4] = [
    "CREATE TABLE events AS SELECT CASE WHEN value % 11 > 0 THEN value * 7919 % 3000 END AS a, \
     CASE WHEN value % 7 > 0 THEN value * 7919 % 3000 * 1000000007 END AS wide, \
     DATE '2024-01-01' + CAST(value % 40 AS INTEGER) AS c, 'event ' || value AS t, value * 31 % 1009 AS u \
     FROM generate_series(1, 40000)",
    "CREATE TABLE accounts AS SELECT value AS a, value * 1000000007 AS wide, 'account ' || value AS t, \
     value % 1009 AS u, DATE '2024-01-01' + CAST(value AS INTEGER) AS c FROM generate_series(20, 3500)",
    "CREATE TABLE offers AS SELECT CASE WHEN value % 6 > 0 THEN value % 300 END AS a, \
     CASE WHEN value % 6 > 0 THEN value % 300 * 1000000007 END AS wide, 'offer ' || value % 90 AS t, \
     value * 31 % 1009 AS u, DATE '2024-01-01' + CAST(value % 50 AS INTEGER) AS c FROM generate_series(1, 700)",
    "CREATE TABLE nothing AS SELECT * FROM accounts WHERE a < 0",
];

const QUERIES: usize = 240;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

fn query(random: &mut Random) -> String {
    let names = ["events", "events", "accounts", "accounts", "offers", "nothing"];
    let (kept, other) = (*random.pick(&names), *random.pick(&names));
    let key = *random.pick(&["a", "a", "wide", "c"]);
    let not = *random.pick(&["", "NOT "]);
    let inner = *random.pick(&["", " AND o.u < 200", " AND o.t LIKE '%1%'", " AND o.u < 0"]);
    let outer = *random.pick(&["", "", " AND k.u > 500", " AND k.t > 'b'"]);
    let columns = *random.pick(&["k.*", "k.t", "k.a, k.t", "k.u", "count(*)", "sum(k.u), max(k.t)"]);
    let condition = match random.below(3) {
        0 if not.is_empty() => format!("k.{key} IN (SELECT o.{key} FROM {other} o WHERE true{inner})"),
        1 if not.is_empty() => {
            let from = format!("{kept} k SEMI JOIN {other} o ON k.{key} = o.{key}");
            return format!("SELECT {columns} FROM {from} WHERE true{outer}");
        }
        _ => format!("{not}EXISTS (SELECT 1 FROM {other} o WHERE o.{key} = k.{key}{inner})"),
    };
    format!("SELECT {columns} FROM {kept} k WHERE {condition}{outer}")
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, in_order: bool, sql: &str) -> (String, Vec<String>) {
    engine.sql(&format!("SET set_joins = {is_on}")).expect("a setting");
    let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let rows = engine.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    (text(&plan), if in_order { lines(&rows) } else { rows_in_any_order(&rows) })
}

fn engine(threads: usize) -> Engine {
    engine_with(threads, &TABLES)
}

#[test]
fn rows_and_their_order_do_not_depend_on_the_join() {
    let mut random = Random::new(4300);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=8 {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(8) {
            let sql = query(&mut random);
            engine.sql(&format!("SET join_key_bitmaps = {}", random.chance(0.6))).expect("a setting");
            let [hashed, by_set] = [false, true].map(|is_on| answer(&engine, is_on, threads == 1, &sql));
            assert_eq!(hashed.1, by_set.1, "{threads} threads: {sql}\n{}", by_set.0);
            assert!(!hashed.0.contains("SetJoinExec"), "{}", hashed.0);
            changed += usize::from(by_set.0.contains("SetJoinExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were changed");
}

/// Each of the four kinds is replaced, and says how many rows it looked up.
#[test]
fn all_four_kinds_are_replaced() {
    let engine = engine(2);
    let kinds = [
        ("LeftSemi", "offers", "", "events"),
        ("LeftAnti", "offers", "NOT ", "events"),
        ("RightSemi", "events", "", "offers"),
        ("RightAnti", "events", "NOT ", "offers"),
    ];
    for (kind, kept, not, other) in kinds {
        let sql = format!(
            "SELECT k.t FROM {kept} k WHERE {not}EXISTS (SELECT 1 FROM {other} o WHERE o.a = k.a AND o.u < 900)"
        );
        let [hashed, by_set] = [false, true].map(|is_on| answer(&engine, is_on, false, &sql));
        assert!(by_set.0.contains(&format!("SetJoinExec: join_type={kind}")), "{}", by_set.0);
        assert_eq!(hashed.1, by_set.1, "{kind}");
        let plan = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a plan"));
        let operator = plan.lines().find(|line| line.contains("SetJoinExec")).expect("the operator");
        assert!(operator.contains("rows_looked_up=") && !operator.contains("rows_looked_up=0"), "{plan}");
    }
}

/// A build side that the limit refuses is an error, and one of keys alone needs less.
#[test]
fn little_memory_is_an_error_or_the_same_rows() {
    let sql =
        "SELECT count(*), sum(e.u) FROM events e WHERE EXISTS (SELECT 1 FROM accounts a WHERE a.a = e.a)";
    let expected = rows_in_any_order(&engine(2).sql(sql).expect("rows"));
    for kilobytes in [64, 256, 1024, 64_000] {
        let engine = engine(2);
        engine.sql(&format!("SET memory = '{kilobytes}KB'")).expect("a setting");
        match engine.sql(sql) {
            Ok(rows) => assert_eq!(rows_in_any_order(&rows), expected, "{kilobytes} KB"),
            Err(error) => {
                assert!(kilobytes < 64_000, "{kilobytes} KB: {error}");
                assert!(error.to_string().contains("out of memory"), "{error}");
            }
        }
    }
}

/// A query that is stopped by a LIMIT, or that fails on the build side, ends.
#[test]
fn a_query_ends_before_its_rows_do() {
    let engine = engine(4);
    for _ in 0..20 {
        let sql = "SELECT e.t FROM events e WHERE e.a IN (SELECT a FROM accounts) LIMIT 3";
        assert_eq!(engine.sql(sql).expect("rows").iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
        let failing = "SELECT e.t FROM events e WHERE e.a IN (SELECT 100 / (u - 7) FROM accounts)";
        let error = engine.sql(failing).expect_err("a division by zero");
        assert!(error.to_string().to_lowercase().contains("zero"), "{error}");
    }
}
