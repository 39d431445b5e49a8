//! Random window functions, computed batch by batch and row by row: the results are the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::plan_and_rows;
use crate::sql::{Configuration, Runner};
use crate::support::{lines, text};

/// Statements that make the tables: `u` is unique, the others have nulls, equal values, and one
/// key of a third of the rows. Doubles are exact in any order of addition.
const TABLES: [&str; 3] = [
    "CREATE TABLE many AS SELECT CASE WHEN value % 3 = 0 THEN 0 WHEN value % 7 > 0 THEN value % 900 END AS p, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'w' || value % 40 END AS q, \
     value * 7919 % 30011 AS u, CASE WHEN value % 13 > 0 THEN value * 31 % 500 END AS o, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 WHEN 3 THEN 0.0 \
     WHEN 4 THEN 'Infinity'::DOUBLE ELSE value % 64 - 30 END AS f, \
     CASE WHEN value % 19 > 0 THEN CAST(value % 300 AS DECIMAL(9, 2)) / 4 END AS d, \
     CASE WHEN value % 23 > 0 THEN CAST(value % 100 - 50 AS TINYINT) END AS i, \
     CASE WHEN value % 29 > 0 THEN CAST(value AS UBIGINT) END AS n, \
     CASE WHEN value % 5 > 0 THEN DATE '2024-01-01' + CAST(value % 90 AS INTEGER) END AS c, \
     TIMESTAMP '2024-01-01 00:00:00' + to_days(CAST(value % 90 AS INTEGER)) AS t FROM generate_series(1, 30000)",
    "CREATE TABLE few AS SELECT * FROM many WHERE u < 30",
    "CREATE TABLE nothing AS SELECT * FROM many WHERE u < 0",
];

const QUERIES: usize = 320;

/// Divisor of the least number of replaced operators, so that a rule without effect is noticed.
const LEAST_REPLACED: usize = 2;

/// Aggregates that are computed in vectors.
const AGGREGATES: [&str; 22] = [
    "count(*)",
    "count(q)",
    "count(f)",
    "sum(u)",
    "sum(i)",
    "sum(n)",
    "sum(d)",
    "sum(f)",
    "avg(u)",
    "avg(d)",
    "avg(f)",
    "avg(i)",
    "min(q)",
    "max(q)",
    "min(f)",
    "max(f)",
    "min(d)",
    "max(i)",
    "min(c)",
    "max(t)",
    "max(n)",
    "min(u + i)",
];

/// Functions that DataFusion computes, and with it the others of their operator.
const OTHERS: [&str; 4] = ["sum(i) FILTER (WHERE o > 100)", "bit_xor(u)", "bool_and(o > 3)", "max(o > 3)"];

fn query(random: &mut Random) -> String {
    let count = random.below(3);
    let keys: Vec<&str> =
        (0..count).map(|_| *random.pick(&["p", "q", "f", "p % 3", "o", "d", "c"])).collect();
    let partition = match keys.is_empty() {
        true => String::new(),
        false => format!("PARTITION BY {} ", keys.join(", ")),
    };
    let mut order: Vec<String> = Vec::new();
    for _ in 0..1 + random.below(2) {
        let key = random.pick(&["o", "f", "q", "d", "t", "-o", "c", "i"]);
        order.push(format!("{key}{}", random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])));
    }
    let order = order.join(", ");
    let mut functions = Vec::new();
    for _ in 0..1 + random.below(5) {
        let aggregate = match random.below(24) {
            0 => random.pick(&OTHERS),
            _ => random.pick(&AGGREGATES),
        };
        functions.push(match random.below(9) {
            0 => format!("row_number() OVER ({partition}ORDER BY {order}, u)"),
            1 => format!("rank() OVER ({partition}ORDER BY {order})"),
            2 => format!("dense_rank() OVER ({partition}ORDER BY {order})"),
            3 => format!("{aggregate} OVER ({partition}ORDER BY {order}, u ROWS UNBOUNDED PRECEDING)"),
            4 => format!("{aggregate} OVER ({partition}ORDER BY {order})"),
            5 => format!("{aggregate} OVER ({partition}ORDER BY {order} GROUPS UNBOUNDED PRECEDING)"),
            6 => format!("{aggregate} OVER ({partition}ORDER BY {order} RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"),
            7 => format!("{aggregate} OVER ({partition}ORDER BY {order}, u ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"),
            _ => format!("{aggregate} OVER ({partition})"),
        });
    }
    let from = match random.below(8) {
        0 => "nothing",
        1 => "few",
        2 => "many WHERE u % 3 = 0",
        3 => "(SELECT * FROM many ORDER BY p, o) AS many",
        _ => "many",
    };
    let limit = *random.pick(&["", "", "", "", " ORDER BY u LIMIT 50"]);
    let values: Vec<_> =
        functions.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    format!("SELECT u, q, {} FROM {from}{limit}", values.join(", "))
}

fn engine(threads: usize) -> Engine {
    let engine = Engine::builder().threads(threads).build().expect("an engine");
    for table in TABLES {
        engine.sql(table).expect("a table");
    }
    engine
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("running_windows = {is_on}"), sql)
}

#[test]
fn values_do_not_depend_on_the_operator() {
    let mut random = Random::new(41);
    let (queries, mut replaced) = (reduced(QUERIES), 0);
    for threads in [1, 2, 3, 8] {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(off.1, on.1, "{sql}\n{}\n{}", off.0, on.0);
            assert!(!off.0.contains("RunningWindowExec"), "{}", off.0);
            replaced += usize::from(on.0.contains("RunningWindowExec"));
        }
    }
    assert!(replaced * LEAST_REPLACED >= queries, "{replaced} of {queries} plans changed");
}

/// Lists of functions over windows `w` up to the row, `r` up to its peers, and `a` over all.
const FUNCTIONS: [&str; 6] = [
    "row_number() OVER w, rank() OVER r, dense_rank() OVER r",
    "sum(i) OVER w, count(*) OVER w, avg(d) OVER w, max(q) OVER w, min(f) OVER w",
    "sum(d) OVER r, max(f) OVER r, count(q) OVER r, avg(f) OVER r, min(q) OVER r, rank() OVER r",
    "sum(d) OVER a, avg(i) OVER a, count(i) OVER a, max(q) OVER a, sum(f) OVER a, sum(n) OVER r",
    "sum(i) OVER a, sum(i) OVER w, sum(i) OVER r, rank() OVER r, max(u) OVER r, min(t) OVER a",
    "count(*) OVER a",
];

const WINDOWS: [(&str, &str); 5] = [
    ("PARTITION BY p", "ORDER BY o % 4"),
    ("PARTITION BY p % 5, f", "ORDER BY q DESC, o"),
    ("", "ORDER BY o NULLS FIRST"),
    ("PARTITION BY u", "ORDER BY o"),
    ("PARTITION BY i", "ORDER BY c DESC"),
];

/// Borders of batches are borders of peers and of partitions, or inside them.
#[test]
fn values_do_not_depend_on_the_size_of_batches() {
    let runners = [1, 2, 3, 7, 64].map(|rows| Configuration::Batches(rows).runner());
    let run =
        |runner: &dyn Runner, sql: &str| runner.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    for runner in &runners {
        run(runner.as_ref(), &TABLES[0].replace("30000", "400"));
    }
    for (partition, order) in WINDOWS {
        for functions in FUNCTIONS {
            let sql = format!(
                "SELECT u, {functions} FROM many WINDOW w AS ({partition} {order}, u ROWS UNBOUNDED PRECEDING), \
                 r AS ({partition} {order}), \
                 a AS ({partition} {order} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY u"
            );
            let last = runners[4].as_ref();
            run(last, "SET running_windows = false");
            let expected = lines(&run(last, &sql));
            run(last, "SET running_windows = true");
            for runner in &runners {
                assert_eq!(lines(&run(runner.as_ref(), &sql)), expected, "{sql}");
            }
            let plan = text(&run(last, &format!("EXPLAIN {sql}")));
            assert!(plan.contains("RunningWindowExec") && !plan.contains("WindowAggExec"), "{plan}");
        }
    }
}

/// A total out of range ends the query with the line that row by row has.
#[test]
fn totals_out_of_range_are_errors() {
    let engine = engine(2);
    let large = "(SELECT 9223372036854775807 AS v, u, p FROM few)";
    let digits =
        "(SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) AS v, u, p FROM few)";
    for from in [large, digits] {
        for window in
            ["PARTITION BY p % 2", "ORDER BY u", "ORDER BY p % 2", "ORDER BY u ROWS UNBOUNDED PRECEDING"]
        {
            let sql = format!("SELECT sum(v) OVER ({window}) FROM {from}");
            let errors = [false, true].map(|is_on| {
                engine.sql(&format!("SET running_windows = {is_on}")).expect("a setting");
                engine.sql(&sql).expect_err(&sql).to_string()
            });
            assert_eq!(errors[0], errors[1], "{sql}");
        }
    }
}

/// Rows of one partition that do not fit go to disk.
#[test]
fn little_memory_changes_no_rows() {
    let table = "CREATE TABLE wide AS SELECT value % 3 AS p, value * 7919 % 120011 AS o, 'a text that is long enough to fill the memory ' || value % 30000 AS w \
                 FROM generate_series(1, 120000)";
    let sql = "SELECT count(*), sum(o), min(w), max(w), sum(a), max(b), sum(r), max(n) FROM (SELECT w, o, sum(o) OVER (PARTITION BY p) AS a, \
               max(w) OVER (PARTITION BY p) AS b, rank() OVER (PARTITION BY p ORDER BY o % 10) AS r, count(*) OVER () AS n FROM wide)";
    let whole = Engine::builder().threads(2).build().expect("an engine");
    whole.sql(table).expect("a table");
    let (_, expected) = answer(&whole, false, sql);
    // with two threads, the sort has too little below 24 MB, also under DataFusion's operators
    for (threads, limits) in [(1, [12, 24, 48]), (2, [32, 48, 64])] {
        for megabytes in limits {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(table).expect("a table");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let (plan, rows) = answer(&engine, true, sql);
            assert!(plan.contains("RunningWindowExec"), "{plan}");
            assert_eq!(rows, expected, "{threads} threads, {megabytes} MB");
            if (threads, megabytes) == (1, 12) {
                let report = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a report"));
                let windows = report.lines().filter(|line| line.contains("RunningWindowExec"));
                assert!(windows.clone().any(|line| !line.contains("spill_count=0")), "{report}");
            }
        }
    }
}
