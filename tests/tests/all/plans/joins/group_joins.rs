//! Random aggregates by the keys of joins, in the table of the join and behind it: the results are
//! the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::{engine_with, plan_and_rows};
use crate::support::{rows_in_any_order, text};

/// Statements that make the tables: events with keys that are null, repeated, or missing on the
/// other side; accounts with unique keys in a small range and in a wide one; offers with repeated
/// and null keys; and one table without rows.
const TABLES: [&str; 4] = [
    "CREATE TABLE events AS SELECT CASE WHEN value % 11 > 0 THEN value * 7919 % 3000 END AS a, \
     CASE WHEN value % 7 > 0 THEN value * 7919 % 3000 * 1000000007 END AS wide, \
     DATE '2024-01-01' + CAST(value % 40 AS INTEGER) AS c, 'text ' || value % 3 AS t, value * 31 % 1009 AS u, \
     CASE WHEN value % 13 > 0 THEN CAST(value % 1000 AS DECIMAL(12, 2)) / 4 END AS d, \
     CAST(value % 17 AS DECIMAL(38, 4)) AS w, value % 3 = 0 AS p, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 ELSE value % 64 END AS f, \
     CASE WHEN value % 19 > 0 THEN value - 75000 END AS i FROM generate_series(1, 60000)",
    "CREATE TABLE accounts AS SELECT value AS a, value * 1000000007 AS wide, 'account ' || value AS name, \
     CASE WHEN value % 5 > 0 THEN value % 4 END AS kind, DATE '2024-01-01' + CAST(value AS INTEGER) AS c, \
     'zone ' || value % 7 AS zone, CASE WHEN value % 5 > 0 THEN 'place ' || value % 13 END AS place \
     FROM generate_series(500, 3500)",
    "CREATE TABLE offers AS SELECT CASE WHEN value % 6 > 0 THEN value % 300 END AS a, \
     CASE WHEN value % 6 > 0 THEN value % 300 * 1000000007 END AS wide, 'offer ' || value % 90 AS name, \
     value % 4 AS kind, DATE '2024-01-01' + CAST(value % 50 AS INTEGER) AS c, 'zone ' || value % 2 AS zone, \
     CASE WHEN value % 5 > 0 THEN 'place ' || value % 3 END AS place FROM generate_series(1, 700)",
    "CREATE TABLE nothing AS SELECT * FROM accounts WHERE a < 0",
];

const QUERIES: usize = 200;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

/// Aggregates over the events, which are added up in the table of the join, but for those of floats
/// on one thread.
const ADDED: [&str; 19] = [
    "count(*)",
    "count(events.a)",
    "count(f)",
    "count(1) FILTER (WHERE t IS NULL)",
    "sum(i)",
    "sum(d)",
    "sum(u + i)",
    "sum(coalesce(i, 5))",
    "avg(d)",
    "avg(i)",
    "min(t)",
    "max(t)",
    "min(events.c)",
    "max(f)",
    "sum(w)",
    "bool_and(p)",
    "bit_xor(u)",
    "sum(i) FILTER (WHERE p)",
    "max(u) FILTER (WHERE i < 0)",
];

/// Aggregates that are computed behind the joins.
const BEHIND: [&str; 4] = ["count(DISTINCT t)", "median(u)", "sum(u + kind)", "max(name)"];

fn query(random: &mut Random) -> String {
    let table = *random.pick(&["accounts", "accounts", "accounts", "offers", "offers", "nothing"]);
    let key = *random.pick(&["a", "a", "wide", "c"]);
    let join = *random.pick(&["JOIN", "LEFT JOIN"]);
    let condition = *random.pick(&["", "", " AND u < 300", " AND i > 0", " AND t = 'text 1'"]);
    let mut keys = vec![format!("{table}.{key}")];
    if join == "JOIN" && random.chance(0.3) {
        keys[0] = format!("events.{key}");
    }
    if random.chance(0.2) {
        // wide keys, without that of the join
        keys = ["name", "zone", "place"].map(str::to_owned).to_vec();
    }
    let others = ["name", "kind", "kind + 1", "upper(name)"];
    for other in others {
        if random.chance(0.3) && !keys.iter().any(|key| key == other) {
            keys.push(other.to_owned());
        }
    }
    let mut values = keys.clone();
    values.extend((0..random.below(6)).map(|_| (*random.pick(&ADDED)).to_owned()));
    if random.chance(0.1) {
        values.push((*random.pick(&BEHIND)).to_owned());
    }
    let values: Vec<_> = values.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let side = *random.pick(&["", "", " WHERE kind = 2", " WHERE name > 'account 2'"]);
    let having = *random.pick(&["", "", "", " HAVING count(*) > 2"]);
    format!(
        "SELECT {} FROM {table} {join} events ON {table}.{key} = events.{key}{condition}{side} GROUP BY {}{having}",
        values.join(", "),
        keys.join(", ")
    )
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("group_joins = {is_on}"), sql)
}

fn engine(threads: usize) -> Engine {
    engine_with(threads, &TABLES)
}

#[test]
fn results_do_not_depend_on_the_place_of_the_aggregate() {
    let mut random = Random::new(4200);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=8 {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(8) {
            let sql = query(&mut random);
            for setting in ["eager_aggregation", "join_key_bitmaps", "clustered_groups"] {
                engine.sql(&format!("SET {setting} = {}", random.chance(0.6))).expect("a setting");
            }
            let [behind, joined] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(behind.1, joined.1, "{threads} threads: {sql}\n{}", joined.0);
            assert!(!behind.0.contains("GroupJoinExec"), "{}", behind.0);
            changed += usize::from(joined.0.contains("GroupJoinExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were changed");
}

/// Rows of the build side without a match have one row of NULL, on whichever thread they end.
#[test]
fn rows_without_a_match_are_counted_once() {
    for threads in [1, 2, 8] {
        let engine = engine(threads);
        let sql = "SELECT o.a, o.name, count(*) AS n, count(e.u) AS m, sum(e.u) AS s FROM offers o \
                   LEFT JOIN events e ON o.a = e.a AND e.u < 100 GROUP BY o.a, o.name";
        let [behind, joined] = [false, true].map(|is_on| answer(&engine, is_on, sql));
        assert!(joined.0.contains("GroupJoinExec: join_type=Left"), "{}", joined.0);
        assert_eq!(behind.1, joined.1, "{threads} threads");
        let plan = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a plan"));
        let operator = plan.lines().find(|line| line.contains("GroupJoinExec")).expect("the operator");
        assert!(operator.contains("build_input_rows=700") && !operator.contains("rows_matched=0"), "{plan}");
    }
}

/// Wide keys that are no key of the join are hashed once for a row of the build side.
#[test]
fn wide_keys_need_not_have_the_key_of_the_join() {
    for threads in [1, 2, 8] {
        let engine = engine(threads);
        // several rows of the build side have the same keys
        let sql = "SELECT o.name, o.zone, o.place, count(*) AS n, sum(e.i) AS s \
                   FROM offers o JOIN events e ON o.a = e.a GROUP BY o.name, o.zone, o.place";
        let [behind, joined] = [false, true].map(|is_on| answer(&engine, is_on, sql));
        assert!(joined.0.contains("GroupJoinExec: join_type=Inner"), "{}", joined.0);
        assert_eq!(behind.1, joined.1, "{threads} threads");
        let narrow = "SELECT o.name, count(*) AS n FROM offers o JOIN events e ON o.a = e.a GROUP BY o.name";
        let plan = answer(&engine, true, narrow).0;
        assert!(!plan.contains("GroupJoinExec"), "{plan}");
    }
}

/// Groups that the limit refuses are emitted early.
#[test]
fn little_memory_changes_no_results() {
    let whole = engine(2);
    let sql = "SELECT a.wide, a.name, count(*) AS n, sum(e.d) AS s, max(e.t) AS t, avg(e.i) AS i FROM accounts a \
               LEFT JOIN events e ON a.wide = e.wide GROUP BY a.wide, a.name";
    let (_, expected) = answer(&whole, false, sql);
    for threads in [2, 8] {
        for megabytes in [4, 6, 8, 64] {
            let engine = engine(threads);
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let plan = text(&engine.sql(&format!("EXPLAIN {sql}")).expect("a plan"));
            assert!(plan.contains("GroupJoinExec"), "{plan}");
            match engine.sql(sql) {
                Ok(rows) => {
                    assert_eq!(rows_in_any_order(&rows), expected, "{threads} threads, {megabytes} MB")
                }
                Err(error) => {
                    assert!(megabytes < 64, "{threads} threads, {megabytes} MB: {error}");
                    assert!(error.to_string().contains("out of memory"), "{error}");
                }
            }
        }
    }
}

/// A query that is stopped by a LIMIT, or that fails, leaves no thread waiting for the table.
#[test]
fn a_query_ends_before_its_rows_do() {
    let engine = engine(4);
    for _ in 0..20 {
        let sql = "SELECT a.a, count(*) AS n FROM accounts a JOIN events e ON a.a = e.a GROUP BY a.a LIMIT 3";
        assert_eq!(engine.sql(sql).expect("rows").iter().map(|batch| batch.num_rows()).sum::<usize>(), 3);
        let failing =
            "SELECT a.a, sum(100 / (e.u - 7)) AS n FROM accounts a JOIN events e ON a.a = e.a GROUP BY a.a";
        let error = engine.sql(failing).expect_err("a division by zero");
        assert!(error.to_string().to_lowercase().contains("zero"), "{error}");
    }
}
