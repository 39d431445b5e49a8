//! Random conditions on the rank of rows, with the other rows left out before the sort and after:
//! the results are the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::plan_and_rows;

/// Statements that make the tables: `u` is unique, the others have nulls and equal values.
const TABLES: [&str; 3] = [
    "CREATE TABLE many AS SELECT CASE WHEN value % 7 > 0 THEN value % 50 END AS p, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'w' || value % 40 END AS q, \
     value * 7919 % 30011 AS u, CASE WHEN value % 13 > 0 THEN value * 31 % 500 END AS o, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 WHEN 3 THEN 0.0 \
     WHEN 4 THEN 'Infinity'::DOUBLE ELSE value % 64 - 30 END AS f, \
     CAST(value % 300 AS DECIMAL(9, 2)) / 4 AS d, \
     TIMESTAMP '2024-01-01 00:00:00' + to_days(CAST(value % 90 AS INTEGER)) AS t FROM generate_series(1, 30000)",
    "CREATE TABLE few AS SELECT * FROM many WHERE u < 30",
    "CREATE TABLE nothing AS SELECT * FROM many WHERE u < 0",
];

const QUERIES: usize = 240;

/// Divisor of the least number of changed plans, so that a rule without effect is noticed.
const LEAST_CHANGED: usize = 4;

fn query(random: &mut Random) -> String {
    let count = random.below(3);
    let keys: Vec<&str> = (0..count).map(|_| *random.pick(&["p", "q", "f", "p % 3", "o"])).collect();
    let partition = match keys.is_empty() {
        true => String::new(),
        false => format!("PARTITION BY {} ", keys.join(", ")),
    };
    let mut order: Vec<String> = Vec::new();
    for _ in 0..1 + random.below(2) {
        let key = random.pick(&["o", "f", "q", "d", "t", "-o", "u"]);
        order.push(format!("{key}{}", random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])));
    }
    let function = *random.pick(&["row_number", "row_number", "rank", "dense_rank"]);
    if function == "row_number" {
        // which of equal rows is numbered first is not defined
        order.push("u".to_owned());
    }
    let window = format!("({partition}ORDER BY {})", order.join(", "));
    let other = match random.below(7) {
        0 => format!(", rank() OVER {window} AS x"),
        1 => format!(", lead(u, 1) OVER ({partition}ORDER BY {}, u) AS x", order.join(", ")),
        2 => format!(", count(*) OVER ({partition}) AS x"),
        3 => format!(", sum(u) OVER {window} AS x"),
        _ => String::new(),
    };
    let most = *random.pick(&[0, 1, 1, 2, 3, 10, 100]);
    let condition = match random.below(7) {
        0 => format!("r < {most}"),
        1 => format!("r = {most}"),
        2 => format!("{most} >= r"),
        3 => format!("r BETWEEN 1 AND {most}"),
        4 => format!("r <= {most} AND o > 30"),
        5 => format!("o IS NOT NULL AND {most} > r"),
        _ => format!("r <= {most}"),
    };
    let from = match random.below(8) {
        0 => "nothing",
        1 => "few",
        2 => "many WHERE u % 3 = 0",
        3 => "(SELECT * FROM many ORDER BY p, o) AS many",
        _ => "many",
    };
    format!(
        "SELECT * FROM (SELECT q, {function}() OVER {window} AS r, p, u, o{other} FROM {from}) WHERE {condition}"
    )
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("window_top_k = {is_on}"), sql)
}

#[test]
fn rows_do_not_depend_on_the_place_of_the_limit() {
    let mut random = Random::new(40);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=4 {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for table in TABLES {
            engine.sql(table).expect("a table");
        }
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(off.1, on.1, "{sql}\n{}\n{}", off.0, on.0);
            assert!(!off.0.contains("WindowTopKExec"), "{}", off.0);
            changed += usize::from(on.0.contains("WindowTopKExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} plans changed");
}

/// Any of several equal rows may be numbered first, but no other row may be kept.
#[test]
fn equal_rows_fill_their_partition() {
    let engine = Engine::builder().threads(3).build().expect("an engine");
    engine.sql(TABLES[0]).expect("a table");
    let sql = "SELECT q, o, count(*) FROM (SELECT q, o, row_number() OVER (PARTITION BY q ORDER BY o) AS r FROM many) \
               WHERE r <= 7 GROUP BY q, o";
    let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, sql));
    assert_eq!(off.1, on.1);
    assert!(on.0.contains("WindowTopKExec"), "{}", on.0);
}

/// Rows that get better until the end, of few partitions and of as many as rows.
#[test]
fn held_rows_are_dropped_when_better_ones_come() {
    let few = "SELECT count(*), min(v), max(v), sum(r) FROM (SELECT v, row_number() OVER (PARTITION BY v % 10 \
               ORDER BY v DESC) AS r FROM long) WHERE r <= 3";
    let each = "SELECT count(*), min(v), max(v), sum(r) FROM (SELECT v, rank() OVER (PARTITION BY v \
                ORDER BY v % 7) AS r FROM long) WHERE r = 1";
    let engine = Engine::builder().threads(1).build().expect("an engine");
    engine.sql("CREATE TABLE long AS SELECT value AS v FROM generate_series(1, 1200000)").expect("a table");
    for sql in [few, each] {
        let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, sql));
        assert_eq!(off.1, on.1);
        assert!(on.0.contains("WindowTopKExec"), "{}", on.0);
    }
}

/// Rows and keys that do not fit are passed on to the sort, which goes to disk.
#[test]
fn little_memory_changes_no_rows() {
    let table = "CREATE TABLE wide AS SELECT value % 40000 AS p, value * 7919 % 120011 AS o, 'text ' || value % 30000 AS w \
                 FROM generate_series(1, 120000)";
    let sql = "SELECT count(*), sum(o), min(w), max(w), sum(r) FROM (SELECT w, o, row_number() OVER (PARTITION BY p ORDER BY o DESC, w) \
               AS r FROM wide) WHERE r <= 2";
    let whole = Engine::builder().threads(2).build().expect("an engine");
    whole.sql(table).expect("a table");
    let (_, expected) = answer(&whole, false, sql);
    for threads in [1, 2] {
        for megabytes in [8, 12, 24, 48] {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(table).expect("a table");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let (plan, rows) = answer(&engine, true, sql);
            assert!(plan.contains("WindowTopKExec"), "{plan}");
            assert_eq!(rows, expected, "{threads} threads, {megabytes} MB");
        }
    }
}
