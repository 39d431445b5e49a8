//! Random joins over outer joins, and over tables that hold the rows of these: the rows are the
//! same, also where keys above let an outer join become an inner one.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::engine_with;
use crate::support::{rows_in_any_order, text};

/// Tables with NULLs and duplicates of keys, and one without rows.
const TABLES: [&str; 4] = [
    "CREATE TABLE a AS SELECT CASE WHEN n % 7 > 0 THEN n % 20 END AS k, n % 11 AS j, 'w' || n % 3 AS s \
     FROM range(60) AS t(n)",
    "CREATE TABLE b AS SELECT CASE WHEN n % 5 > 0 THEN n % 30 END AS k, n % 9 AS j, 'w' || n % 4 AS s \
     FROM range(50) AS t(n)",
    "CREATE TABLE c AS SELECT CASE WHEN n % 9 > 0 THEN n % 25 END AS k, CAST(n % 8 AS int) AS j, 'w' || n % 5 AS s \
     FROM range(40) AS t(n)",
    "CREATE TABLE d AS SELECT * FROM a WHERE k > 1000",
];

const QUERIES: usize = 300;

const OUTER: [&str; 3] = ["LEFT", "RIGHT", "FULL"];

/// Columns of the outer joins below.
const COLUMNS: [&str; 4] = ["k1", "j1", "k2", "j2"];

/// An outer join with columns of both sides, behind none or more operators.
fn padded(random: &mut Random) -> String {
    let tables = ["a", "b", "c", "d"];
    let (left, right) = (random.pick(&tables), random.pick(&tables));
    let (l, r) = (random.pick(&["k", "j"]), random.pick(&["k", "j"]));
    let more = ["", " AND l.j > 3", " AND r.s <> 'w1'", " AND l.j < r.k"][random.below(4)];
    let join = format!(
        "SELECT l.k AS k1, l.j AS j1, l.s AS s1, r.k AS k2, r.j AS j2, r.s AS s2 FROM {left} AS l {} JOIN {right} AS r \
         ON l.{l} = r.{r}{more}",
        random.pick(&OUTER)
    );
    match random.below(6) {
        0 => format!("SELECT k1 + 0 AS k1, j1, s1, k2, coalesce(j2, 3) AS j2, s2 FROM ({join}) AS p"),
        1 => format!("SELECT * FROM ({join}) AS p WHERE s1 IS NULL OR s1 <> 'w2'"),
        2 => format!(
            "SELECT k2 AS k1, j1, s2 AS s1, k1 AS k2, j2, s1 AS s2 FROM ({join}) AS p ORDER BY 1 LIMIT 500"
        ),
        3 => format!("SELECT DISTINCT * FROM ({join}) AS p"),
        _ => join,
    }
}

/// A query over `x`, and over `y` at times.
fn query(random: &mut Random) -> String {
    let (one, two) = (random.pick(&COLUMNS), random.pick(&COLUMNS));
    let other = random.pick(&["a", "b", "c", "d"]);
    let key = random.pick(&["k", "j"]);
    match random.below(10) {
        0 => format!("SELECT x.* FROM x WHERE {one} IN (SELECT {key} FROM {other})"),
        1 => format!("SELECT x.* FROM x WHERE {one} NOT IN (SELECT {key} FROM {other} WHERE {key} > 5)"),
        2 => {
            format!("SELECT x.* FROM x WHERE NOT EXISTS (SELECT 1 FROM {other} AS o WHERE o.{key} = x.{one})")
        }
        3 => format!("SELECT o.*, x.* FROM {other} AS o LEFT JOIN x ON o.{key} = x.{one}"),
        4 => format!("SELECT o.*, x.* FROM {other} AS o FULL JOIN x ON o.{key} = x.{one}"),
        5 => format!("SELECT o.*, x.* FROM {other} AS o JOIN x ON o.{key} IS NOT DISTINCT FROM x.{one}"),
        6 => format!("SELECT x.*, y.* FROM x JOIN y ON x.{one} = y.{two}"),
        7 => format!(
            "SELECT x.*, y.* FROM x LEFT JOIN y ON x.{one} = y.{two} JOIN {other} AS o ON o.{key} = y.j2"
        ),
        8 => format!("SELECT x.*, o.* FROM x, {other} AS o WHERE x.{one} = o.{key} AND o.s <> 'w0'"),
        _ => format!(
            "SELECT x.*, o.* FROM x JOIN {other} AS o ON x.{one} = CAST(o.{key} AS bigint) AND x.s1 = o.s"
        ),
    }
}

fn rows(engine: &Engine, sql: &str) -> Vec<String> {
    rows_in_any_order(&engine.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}")))
}

#[test]
fn rows_do_not_depend_on_outer_joins_below() {
    let mut random = Random::new(4800);
    let engine = engine_with(2, &TABLES);
    for _ in 0..reduced(QUERIES) {
        let (x, y) = (padded(&mut random), padded(&mut random));
        for (name, of) in [("x", &x), ("y", &y)] {
            engine.sql(&format!("CREATE OR REPLACE TABLE {name} AS {of}")).expect("a table");
        }
        let sql = query(&mut random);
        let within = format!("WITH x AS ({x}), y AS ({y}) {sql}");
        assert!(rows(&engine, &sql) == rows(&engine, &within), "{within}");
    }
}

/// Keys that leave padded rows out, and others.
#[test]
fn keys_decide_whether_rows_are_padded() {
    let engine = engine_with(2, &TABLES);
    let left = "(SELECT a.k AS k1, b.j AS j2, b.s AS s2 FROM a LEFT JOIN b ON a.k = b.k) AS x";
    let full = "(SELECT a.j AS j1, b.j AS j2, b.s AS s2 FROM a FULL JOIN b ON a.k = b.k) AS x";
    for (from, is_padded) in [
        (format!("{left} JOIN c ON j2 = c.j"), false),
        (format!("{left}, c WHERE j2 = c.j AND c.s <> 'w1'"), false),
        (format!("{left} WHERE j2 IN (SELECT j FROM c)"), false),
        (format!("{left} JOIN c ON k1 = c.k"), true),
        (format!("{left} JOIN c ON j2 IS NOT DISTINCT FROM c.j"), true),
        (format!("{left} WHERE j2 NOT IN (SELECT j FROM c)"), true),
        (format!("{full} JOIN c ON j2 = c.j AND j1 = c.j"), false),
        (format!("{full} JOIN c ON j2 = c.j"), true),
    ] {
        let plan = text(&engine.sql(&format!("EXPLAIN SELECT count(*) FROM {from}")).expect("a plan"));
        let kinds = ["Left,", "Right,", "Full,"].map(|kind| format!("join_type={kind}"));
        let outer: usize = kinds.iter().map(|kind| plan.matches(kind.as_str()).count()).sum();
        assert_eq!(outer > 0, is_padded, "{from}: {plan}");
    }
}
