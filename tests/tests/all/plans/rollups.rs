//! Random grouping sets, computed from the finest groups and from the rows: the results are the
//! same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::plan_and_rows;

/// Statements that make the tables: many rows, so that several threads read them, rows with nulls
/// and few keys, one row, and none.
const TABLES: [&str; 4] = [
    "CREATE TABLE many AS SELECT CASE WHEN value % 7 > 0 THEN value % 5 END AS a, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'w' || value % 4 END AS b, \
     DATE '2024-01-01' + CAST(value % 11 AS INTEGER) AS c, value * 7919 % 30011 AS u, \
     CASE WHEN value % 13 > 0 THEN CAST(value % 1000 AS DECIMAL(12, 2)) / 4 END AS d, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 ELSE value % 64 END AS f, \
     CASE WHEN value % 19 > 0 THEN value - 15000 END AS i, value % 3 = 0 AS p \
     FROM generate_series(1, 30000)",
    "CREATE TABLE few AS SELECT * FROM many WHERE u < 40",
    "CREATE TABLE single AS SELECT * FROM many WHERE u = 77",
    "CREATE TABLE nothing AS SELECT * FROM many WHERE u < 0",
];

const QUERIES: usize = 240;

/// Divisor of the least number of queries that are rolled up, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

/// Aggregates that are rolled up, but for those of floats on one thread.
const MERGED: [&str; 20] = [
    "count(*)",
    "count(a)",
    "count(f)",
    "sum(i)",
    "sum(d)",
    "sum(u + i)",
    "avg(d)",
    "avg(i)",
    "min(b)",
    "max(b)",
    "min(c)",
    "max(f)",
    "min(f)",
    "min(d)",
    "bool_and(p)",
    "bool_or(p)",
    "bit_xor(u)",
    "sum(i) FILTER (WHERE p)",
    "count(*) FILTER (WHERE u < 9)",
    "max(u) FILTER (WHERE i < 0)",
];

/// Aggregates that are computed from the rows.
const DIRECT: [&str; 5] =
    ["count(DISTINCT b)", "sum(DISTINCT i)", "median(u)", "first_value(u ORDER BY u)", "count(DISTINCT p)"];

fn query(random: &mut Random) -> String {
    let mut keys = vec!["a", "b", "c", "p", "f", "i % 10", "d", "'x'", "u"];
    let count = 1 + random.below(4);
    let keys: Vec<&str> = (0..count).map(|_| keys.swap_remove(random.below(keys.len()))).collect();
    let all = keys.join(", ");
    let sets = match random.below(4) {
        0 | 1 => format!("ROLLUP ({all})"),
        2 if count < 4 => format!("CUBE ({all})"),
        _ => {
            let mut sets = vec![format!("({all})")];
            for _ in 0..1 + random.below(4) {
                let set: Vec<&str> = keys.iter().filter(|_| random.chance(0.5)).copied().collect();
                sets.insert(random.below(sets.len() + 1), format!("({})", set.join(", ")));
            }
            format!("GROUPING SETS ({})", sets.join(", "))
        }
    };
    let mut values: Vec<String> = keys.iter().map(ToString::to_string).collect();
    values.extend((0..random.below(5)).map(|_| random.pick(&MERGED).to_string()));
    if random.below(12) == 0 {
        values.push(random.pick(&DIRECT).to_string());
    }
    if random.chance(0.4) {
        values.push(format!("grouping({})", random.pick(&keys)));
    }
    let values: Vec<_> = values.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let from = match random.below(8) {
        0 => "nothing",
        1 => "single",
        2 => "few",
        3 => "many WHERE u < 900",
        4 => "(SELECT * FROM many ORDER BY a, b) AS many",
        _ => "many",
    };
    let having = *random.pick(&["", "", "", " HAVING count(*) > 1", " HAVING sum(i) > 0 OR min(b) IS NULL"]);
    format!("SELECT {} FROM {from} GROUP BY {sets}{having}", values.join(", "))
}

fn engine(threads: usize) -> Engine {
    let engine = Engine::builder().threads(threads).build().expect("an engine");
    for table in TABLES {
        engine.sql(table).expect("a table");
    }
    engine
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, rollups: &str, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("rollups = '{rollups}'"), sql)
}

#[test]
fn rows_do_not_depend_on_the_source_of_grouping_sets() {
    let mut random = Random::new(39);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=4 {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [direct, finest] = ["direct", "finest"].map(|rollups| answer(&engine, rollups, &sql));
            assert_eq!(direct.1, finest.1, "{sql}\n{}\n{}", direct.0, finest.0);
            assert!(!direct.0.contains("RollUpExec"), "{}", direct.0);
            changed += usize::from(finest.0.contains("RollUpExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were rolled up");
}

/// Sets of nearly as many groups as rows, which are passed on, and of few groups.
#[test]
fn sets_of_many_groups_have_the_same_rows() {
    let sql = "SELECT value % 170001 AS a, value * 7 % 180001 AS b, value % 9 AS c, count(*) AS n, sum(value) AS s, \
               min('k' || value % 7) AS m FROM generate_series(1, 230000) GROUP BY CUBE (a, b, c)";
    let sql = format!(
        "SELECT grouping(a), count(*), sum(n), sum(s % 1000), min(m), max(m) FROM ({sql}) GROUP BY 1"
    );
    let sql = sql.replace("SELECT grouping(a), ", "SELECT a IS NULL, b IS NULL, c IS NULL, ");
    let sql = sql.replace("GROUP BY 1", "GROUP BY 1, 2, 3");
    for threads in [1, 3] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        let [direct, finest] = ["direct", "finest"].map(|rollups| answer(&engine, rollups, &sql));
        assert_eq!(direct.1, finest.1, "{}", finest.0);
        assert!(finest.0.contains("RollUpExec"), "{}", finest.0);
    }
}

/// Groups that do not fit are emitted early, and the final aggregate goes to disk.
#[test]
fn little_memory_changes_no_rows() {
    let table = "CREATE TABLE wide AS SELECT value % 50000 AS a, value % 5000 AS b, value % 4 AS c, value AS v, \
                 'text number ' || value % 30000 AS w FROM generate_series(1, 120000)";
    let sql = "SELECT count(*), sum(n), sum(s), min(m), max(m), sum(a), sum(b) FROM \
               (SELECT a, b, c, count(*) AS n, sum(v) AS s, min(w) AS m FROM wide GROUP BY ROLLUP (a, b, c))";
    let whole = Engine::builder().threads(2).build().expect("an engine");
    whole.sql(table).expect("a table");
    let (_, expected) = answer(&whole, "direct", sql);
    for threads in [1, 2] {
        for megabytes in [12, 16, 24, 48] {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(table).expect("a table");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let (plan, rows) = answer(&engine, "finest", sql);
            assert!(plan.contains("RollUpExec"), "{plan}");
            assert_eq!(rows, expected, "{threads} threads, {megabytes} MB");
        }
    }
}
