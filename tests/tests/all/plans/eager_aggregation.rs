//! Random aggregates over joins, grouped below the joins and behind them: the results are the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::{engine_with, plan_and_rows};

/// Statements that make the tables: facts with keys that are null, repeated, or missing on the
/// other side, dimensions with unique and with repeated keys, and one without rows.
const TABLES: [&str; 6] = [
    "CREATE TABLE facts AS SELECT CASE WHEN value % 11 > 0 THEN value * 7919 % 60 END AS a, value % 13 AS b, \
     DATE '2024-01-01' + CAST(value % 40 AS INTEGER) AS c, 'text ' || value % 3 AS t, value * 31 % 1009 AS u, \
     CASE WHEN value % 13 > 0 THEN CAST(value % 1000 AS DECIMAL(12, 2)) / 4 END AS d, \
     CAST(value % 17 AS DECIMAL(38, 4)) AS w, value % 3 = 0 AS p, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 ELSE value % 64 END AS f, \
     CASE WHEN value % 19 > 0 THEN value - 75000 END AS i FROM generate_series(1, 150000)",
    "CREATE TABLE items AS SELECT value AS a, 'item ' || value % 20 AS name, CASE WHEN value % 5 > 0 THEN value % 4 END \
     AS kind, CASE value % 6 WHEN 0 THEN NULL ELSE 'brand ' || value % 6 END AS brand, value % 7 AS town \
     FROM generate_series(0, 49)",
    "CREATE TABLE offers AS SELECT value % 30 AS a, 'offer ' || value % 9 AS name, value % 4 AS kind, \
     'brand ' || value % 2 AS brand, value % 7 AS town FROM generate_series(1, 70)",
    "CREATE TABLE days AS SELECT DATE '2024-01-01' + CAST(value AS INTEGER) AS c, value % 4 AS quarter, \
     'month ' || value % 12 AS month FROM generate_series(0, 35)",
    "CREATE TABLE towns AS SELECT value AS town, 'town ' || value AS place FROM generate_series(0, 5)",
    "CREATE TABLE nothing AS SELECT * FROM items WHERE a < 0",
];

const QUERIES: usize = 200;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 4;

/// Aggregates over the facts, which are grouped below joins, but for those of floats on one thread.
const MERGED: [&str; 20] = [
    "count(*)",
    "count(facts.a)",
    "count(f)",
    "sum(i)",
    "sum(d)",
    "sum(u + i)",
    "sum(d / 2)",
    "max(i / -3)",
    "avg(d)",
    "avg(i)",
    "min(t)",
    "max(t)",
    "min(facts.c)",
    "max(f)",
    "min(d)",
    "bool_and(p)",
    "bit_xor(u)",
    "sum(i) FILTER (WHERE p)",
    "count(*) FILTER (WHERE u < 9)",
    "max(u) FILTER (WHERE i < 0)",
];

/// Aggregates that are computed behind the joins.
const BEHIND: [&str; 6] =
    ["count(DISTINCT t)", "sum(100 / (u + 1))", "median(u)", "sum(w)", "sum(u + kind)", "max(brand)"];

fn query(random: &mut Random) -> String {
    let items = *random.pick(&["items", "items", "items", "offers", "nothing"]);
    let mut from = format!("facts JOIN {items} ON facts.a = {items}.a");
    let mut keys = vec!["name", "brand", "kind", "b", "facts.a", "p", "upper(brand)", "b + 1"];
    if random.chance(0.5) {
        from += " JOIN days ON facts.c = days.c";
        keys.extend(["quarter", "month"]);
    }
    if random.chance(0.3) {
        from += " JOIN towns USING (town)";
        keys.extend(["place", "place"]);
    }
    let count = 1 + random.below(3);
    let keys: Vec<&str> = (0..count).map(|_| keys.swap_remove(random.below(keys.len()))).collect();
    let mut values: Vec<String> = keys.iter().map(ToString::to_string).collect();
    values.extend((0..random.below(4)).map(|_| random.pick(&MERGED).to_string()));
    if random.below(10) == 0 {
        values.push(random.pick(&BEHIND).to_string());
    }
    let values: Vec<_> = values.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let condition = *random.pick(&["", "", " WHERE u < 900", " WHERE brand <> 'brand 1'", " WHERE u < 0"]);
    let keys = keys.join(", ");
    let groups = match random.below(5) {
        0 => format!("ROLLUP ({keys})"),
        _ => keys,
    };
    let having = *random.pick(&["", "", " HAVING count(*) > 100", " HAVING sum(i) > 0 OR min(t) IS NULL"]);
    format!("SELECT {} FROM {from}{condition} GROUP BY {groups}{having}", values.join(", "))
}

fn engine(threads: usize) -> Engine {
    engine_with(threads, &TABLES)
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("eager_aggregation = {is_on}"), sql)
}

/// Returns whether a plan groups rows below a join.
fn is_eager(plan: &str) -> bool {
    let lines: Vec<&str> = plan.lines().collect();
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '|']).len();
    let joins = lines.iter().enumerate().filter(|(_, line)| line.contains("HashJoinExec"));
    joins.into_iter().any(|(at, join)| {
        let below = lines[at + 1..].iter().take_while(|line| depth(line) > depth(join));
        below.into_iter().any(|line| line.contains("AggregateExec: mode=Partial"))
    })
}

#[test]
fn rows_do_not_depend_on_the_place_of_aggregates() {
    let mut random = Random::new(40);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=4 {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [behind, eager] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(behind.1, eager.1, "{sql}\n{}\n{}", behind.0, eager.0);
            assert!(!is_eager(&behind.0), "{}", behind.0);
            changed += usize::from(is_eager(&eager.0));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were grouped below joins");
}

/// A key with nearly as many values as rows, which passes rows on, and groups of texts that do not
/// merge either.
#[test]
fn keys_of_many_values_have_the_same_rows() {
    let tables = [
        "CREATE TABLE wide AS SELECT value * 7919 % 200003 AS a, value % 3 AS b, value AS v FROM generate_series(1, 410000)",
        "CREATE TABLE names AS SELECT value AS a, 'name ' || value AS name FROM generate_series(1, 200003)",
    ];
    let sql = "SELECT count(*), sum(n), sum(s), min(name), max(name) FROM (SELECT name, b, v % 2 AS o, count(*) AS n, \
               sum(v) AS s FROM wide JOIN names USING (a) GROUP BY ALL)";
    for threads in [1, 3] {
        let engine = engine_with(threads, &tables);
        let [behind, eager] = [false, true].map(|is_on| answer(&engine, is_on, sql));
        assert_eq!(behind.1, eager.1, "{}", eager.0);
        assert!(is_eager(&eager.0), "{}", eager.0);
    }
}

/// Groups that do not fit are emitted early, and the final aggregate goes to disk.
#[test]
fn little_memory_changes_no_rows() {
    let tables = [
        "CREATE TABLE wide AS SELECT value * 7919 % 50000 AS a, value % 2 AS b, value AS v FROM generate_series(1, 200000)",
        "CREATE TABLE names AS SELECT value AS a, 'text number ' || value AS name FROM generate_series(0, 49999)",
    ];
    let sql = "SELECT count(*), sum(n), sum(s), min(name), max(name) FROM (SELECT name, b, count(*) AS n, \
               sum(v) AS s FROM wide JOIN names USING (a) GROUP BY ALL)";
    let whole = engine_with(2, &tables);
    let (_, expected) = answer(&whole, false, sql);
    for threads in [1, 2] {
        for megabytes in [16, 20, 28, 64] {
            let engine = engine_with(threads, &tables);
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let (plan, rows) = answer(&engine, true, sql);
            assert!(is_eager(&plan), "{plan}");
            assert_eq!(rows, expected, "{threads} threads, {megabytes} MB");
        }
    }
}
