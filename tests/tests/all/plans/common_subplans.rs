//! Random queries over common table expressions, run once and for each mention: the rows are the
//! same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::support::{rows_in_any_order, text};

/// Statements that make the tables: rows with nulls and duplicates of keys, one table without rows,
/// and one that is too large for little memory.
const TABLES: [&str; 4] = [
    "CREATE TABLE small AS SELECT value % 5 AS k, value AS j, 'w' || value % 3 AS s, value * 3 AS v FROM generate_series(1, 7)",
    "CREATE TABLE mid AS SELECT CASE WHEN value % 9 > 0 THEN value % 40 END AS k, value % 30 AS j, 'w' || value % 4 AS s, value AS v \
     FROM generate_series(1, 600)",
    "CREATE TABLE large AS SELECT CASE WHEN value % 11 > 0 THEN value % 9000 END AS k, value AS j, 'w' || value % 50 AS s, -value AS v \
     FROM generate_series(1, 60000)",
    "CREATE TABLE nothing AS SELECT * FROM mid WHERE v < 0",
];

const QUERIES: usize = 160;

/// Divisor of the least number of queries with a part that is run once, so that a rule without
/// effect is noticed.
const LEAST_SHARED: usize = 2;

/// Memory that does not keep the rows of the large table.
const LITTLE_MEMORY: usize = 4 << 20;

fn table(random: &mut Random) -> &'static str {
    let tables = ["small", "mid", "mid", "large", "large", "nothing"];
    tables[random.below(tables.len())]
}

/// Returns a part with the columns k, j, s and v, of tables and of the parts before it.
fn part(random: &mut Random, parts: usize) -> String {
    let from = match parts {
        0 => table(random).to_owned(),
        _ if random.below(2) == 0 => format!("t{}", random.below(parts)),
        _ => table(random).to_owned(),
    };
    let condition = match random.below(4) {
        0 => format!(" WHERE v > {}", random.below(300)),
        1 => format!(" WHERE k < {} OR k IS NULL", random.below(60)),
        _ => String::new(),
    };
    match random.below(7) {
        0 => format!("SELECT k, count(*) AS j, min(s) AS s, sum(v) AS v FROM {from}{condition} GROUP BY k"),
        1 => format!("SELECT k, j % 7 AS j, s, sum(v) AS v FROM {from}{condition} GROUP BY k, j % 7, s"),
        2 => format!("SELECT DISTINCT k, j, s, v % 5 AS v FROM {from}{condition}"),
        3 => format!("SELECT a.k, b.j, a.s, a.v + b.v AS v FROM {from} a JOIN small b ON a.k = b.k"),
        4 => format!("SELECT k, j, s, sum(v) OVER (PARTITION BY k) AS v FROM {from}{condition}"),
        5 => format!(
            "SELECT k, max(j) AS j, 'a' AS s, sum(v) AS v FROM {from} GROUP BY k UNION ALL \
             SELECT k, min(j), 'b', 6000 // CASE WHEN k > 0 THEN k END FROM mid GROUP BY k"
        ),
        _ => format!(
            "SELECT k, count(*) AS j, max(s) AS s, CAST(1000 // (j + 1) AS BIGINT) AS v FROM {from} GROUP BY k, j"
        ),
    }
}

/// Returns a query that mentions a part several times.
fn query(random: &mut Random) -> String {
    let parts = 1 + random.below(3);
    let mut with = Vec::new();
    for index in 0..parts {
        with.push(format!("t{index} AS ({})", part(random, index)));
    }
    let name = format!("t{}", parts - 1);
    let condition = |random: &mut Random, of: &str| match random.below(6) {
        0 => format!("{of}k = {}", random.below(40)),
        1 => format!("{of}v > {}", random.below(100)),
        2 => format!("{of}s = 'a'"),
        3 => format!("{of}k < {} AND {of}s <> 'w1'", random.below(100)),
        _ => "true".to_owned(),
    };
    let selects: Vec<String> = (0..2 + random.below(3))
        .map(|_| {
            let (a, b) = (condition(random, "a."), condition(random, "b."));
            let other = format!("t{}", random.below(parts));
            match random.below(7) {
                0 => format!(
                    "SELECT count(*), sum(a.v), min(b.s) FROM {name} a JOIN {other} b ON a.k = b.k AND a.j = b.j WHERE {a} AND {b}"
                ),
                1 => format!("SELECT count(*), sum(a.v), max(a.s) FROM {name} a WHERE {a}"),
                2 => format!(
                    "SELECT count(*), (SELECT max(v) FROM {other}), min(a.s) FROM {name} a \
                     WHERE a.v >= (SELECT min(v) FROM {other} b WHERE {b}) AND {a}"
                ),
                3 => format!("SELECT count(*), sum(a.j), NULL FROM {name} a WHERE a.k IN (SELECT k FROM {other} b WHERE {b})"),
                4 => format!("SELECT count(*), NULL, NULL FROM (SELECT k FROM {name} LIMIT {}) a", random.below(9)),
                5 => format!(
                    "SELECT count(*), sum(a.v), NULL FROM {name} a WHERE NOT EXISTS (SELECT 1 FROM {other} b WHERE b.k = a.k AND {b})"
                ),
                _ => format!(
                    "SELECT count(*), sum(b.v), min(a.s) FROM {name} a LEFT JOIN {other} b ON a.k = b.j + 1 AND {b}"
                ),
            }
        })
        .collect();
    format!("WITH {} {}", with.join(", "), selects.join(" UNION ALL "))
}

/// Returns the number of queries with a shared part.
fn compare(engine: &Engine, seed: u64, queries: usize) -> usize {
    for table in TABLES {
        engine.sql(table).expect("a table");
    }
    let mut random = Random::new(seed);
    let mut shared = 0;
    for _ in 0..queries {
        let sql = query(&mut random);
        let [apart, once] = ["false", "true"].map(|value| {
            engine.sql(&format!("SET common_subplans = {value}")).expect("a setting");
            let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
            let rows =
                engine.sql(&sql).map(|rows| rows_in_any_order(&rows)).map_err(|error| error.to_string());
            (text(&plan), rows)
        });
        assert!(!apart.0.contains("SharedExec"), "{sql}\n{}", apart.0);
        match (&apart.1, &once.1) {
            (Ok(apart), Ok(once)) => assert_eq!(apart, once, "{sql}"),
            // either may need more memory than there is
            (Err(error), _) | (_, Err(error)) => {
                assert!(error.contains("memory") || error.contains("does not fit"), "{sql}: {error}");
            }
        }
        shared += usize::from(once.0.contains("SharedExec"));
    }
    shared
}

#[test]
fn rows_do_not_depend_on_whether_a_part_is_run_once() {
    for threads in 1..=4 {
        let queries = reduced(QUERIES / 4);
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        let shared = compare(&engine, 39 + threads as u64, queries);
        assert!(shared * LEAST_SHARED >= queries, "{shared} of {queries} queries have a shared part");
    }
}

#[test]
fn rows_do_not_depend_on_it_when_parts_spill() {
    for threads in [1, 3] {
        let engine = Engine::builder().threads(threads).memory_limit(LITTLE_MEMORY).build();
        let queries = reduced(QUERIES / 4);
        let shared = compare(&engine.expect("an engine"), 390 + threads as u64, queries);
        assert!(shared * LEAST_SHARED >= queries, "{shared} of {queries} queries have a shared part");
    }
}
