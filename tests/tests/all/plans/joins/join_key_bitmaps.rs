//! Random joins of files, with the keys in bitmaps and in the hash tables alone: the rows are the
//! same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::support::{Scratch, rows_in_any_order, text};

/// Columns of the tables: numbers with nulls, duplicates and negative ones, those at the ends of
/// their types, dates, and types without bitmaps.
const COLUMNS: &str = "CASE WHEN value % 11 > 0 THEN CAST(value * 7919 % 4001 - 1500 AS INTEGER) END AS k, \
     CASE value % 97 WHEN 0 THEN NULL WHEN 1 THEN 9223372036854775807 WHEN 2 THEN -9223372036854775808 \
     ELSE value * 31 % 3000 * 1000003 END AS w, \
     CAST(value % 200 - 100 AS TINYINT) AS b, \
     CAST(9223372036854775708 AS UBIGINT) + CAST(value % 700 AS UBIGINT) AS u, \
     DATE '1969-06-01' + CAST(value % 500 AS INTEGER) AS d, \
     CASE WHEN value % 7 > 0 THEN CAST(value % 900 AS DECIMAL(9, 2)) / 4 END AS m, \
     'w' || value % 600 AS t, value AS v";

const KEYS: [&str; 8] = ["k", "k", "w", "b", "u", "d", "m", "t"];

const QUERIES: usize = 160;

/// Divisor of the least number of queries that look keys up in bitmaps.
const LEAST_CHANGED: usize = 5;

fn make_tables(engine: &Engine, scratch: &Scratch) {
    for (name, from, to) in [("large", 1, 40_000), ("mid", 30_000, 36_000), ("small", 500, 560)] {
        let path = scratch.name(&format!("{name}.parquet"));
        if !scratch.path(&format!("{name}.parquet")).exists() {
            let rows = format!("SELECT {COLUMNS} FROM generate_series({from}, {to})");
            engine.sql(&format!("COPY ({rows}) TO '{path}'")).expect("a file");
        }
        engine.sql(&format!("CREATE VIEW {name} AS SELECT * FROM '{path}'")).expect("a view");
    }
}

fn query(random: &mut Random) -> String {
    let keys: Vec<&str> = (0..1 + random.below(5) / 3).map(|_| *random.pick(&KEYS)).collect();
    let condition = match random.below(6) {
        0 => "false".to_owned(),
        1 => format!("b % {} = 0", 2 + random.below(30)),
        2 => "v % 3 = 0 AND k > 0".to_owned(),
        3 => format!("d < DATE '1969-07-01' + {}", random.below(400)),
        _ => format!("v % {} < 2", 1 + random.below(60)),
    };
    let table = *random.pick(&["mid", "mid", "small", "large"]);
    let build = match random.below(4) {
        0 => format!("(SELECT DISTINCT k, w, b, u, d, m, t, v % 10 AS v FROM {table} WHERE {condition})"),
        1 => format!(
            "(SELECT f.* FROM {table} AS f JOIN (SELECT * FROM small WHERE {condition}) AS s ON f.b = s.b \
             WHERE f.v % 3 = 0)"
        ),
        _ => format!("(SELECT * FROM {table} WHERE {condition})"),
    };
    let equal = *random.pick(&["=", "=", "=", "IS NOT DISTINCT FROM"]);
    let mut on: Vec<String> = keys.iter().map(|key| format!("l.{key} {equal} r.{key}")).collect();
    if random.below(5) == 0 {
        on.push("l.v <> r.v".to_owned());
    }
    let on = on.join(" AND ");
    let probe = *random.pick(&["large", "large", "(SELECT * FROM large WHERE m > 20)"]);
    let key = keys[0];
    match random.below(10) {
        0 => format!(
            "SELECT count(*), sum(l.v) FROM {probe} AS l WHERE EXISTS (SELECT 1 FROM {build} AS r WHERE {on})"
        ),
        1 => {
            format!(
                "SELECT count(*), sum(l.v) FROM {probe} AS l WHERE NOT EXISTS (SELECT 1 FROM {build} AS r WHERE {on})"
            )
        }
        2 => format!(
            "SELECT count(*), sum(l.v) FROM {build} AS l WHERE EXISTS (SELECT 1 FROM {probe} AS r WHERE {on})"
        ),
        3 => {
            format!(
                "SELECT count(*), sum(l.v) FROM {build} AS l WHERE NOT EXISTS (SELECT 1 FROM {probe} AS r WHERE {on})"
            )
        }
        4 => format!(
            "SELECT count(*), sum(l.v) FROM {probe} AS l WHERE l.{key} IN (SELECT {key} FROM {build})"
        ),
        5 => format!(
            "SELECT count(*), sum(l.v) FROM {build} AS l WHERE l.{key} NOT IN (SELECT {key} FROM {probe})"
        ),
        6 => {
            let side = random.pick(&["LEFT", "RIGHT", "FULL"]);
            format!(
                "SELECT count(*), sum(l.v), sum(r.v), min(r.{key}) FROM {probe} AS l {side} JOIN {build} AS r ON {on}"
            )
        }
        7 => format!(
            "SELECT l.{key}, r.v FROM {probe} AS l JOIN {build} AS r ON {on} ORDER BY l.v, r.v LIMIT 20"
        ),
        _ => format!(
            "SELECT count(*), sum(l.v), sum(r.v), max(l.t) FROM {probe} AS l JOIN {build} AS r ON {on}"
        ),
    }
}

/// Returns the rows with a value of the setting, and the keys that were looked up in bitmaps.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (Vec<String>, u64) {
    engine.sql(&format!("SET join_key_bitmaps = {is_on}")).expect("a setting");
    let rows = engine.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let analyzed = engine.sql(&format!("EXPLAIN ANALYZE {sql}"));
    let analyzed = text(&analyzed.unwrap_or_else(|error| panic!("{sql}: {error}")));
    assert!(is_on || !analyzed.contains("JoinKeysExec"), "{analyzed}");
    let tested = analyzed.split("keys_tested_in_bitmap=").skip(1);
    let tested = tested.map(|rest| u64::from(!rest.starts_with("0,") && !rest.starts_with("0]")));
    (rows_in_any_order(&rows), tested.sum())
}

#[test]
fn rows_do_not_depend_on_the_place_of_the_keys() {
    let scratch = Scratch::new();
    let mut random = Random::new(35);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in [1, 2, 3, 8] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        make_tables(&engine, &scratch);
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(off.0, on.0, "{sql}");
            changed += usize::from(on.1 > 0);
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} queries looked keys up");
}

/// Bitmaps that the memory limit refuses are left out; the queries succeed.
#[test]
fn little_memory_changes_no_rows() {
    let scratch = Scratch::new();
    let whole = Engine::builder().threads(2).build().expect("an engine");
    make_tables(&whole, &scratch);
    let narrow = "SELECT count(*), sum(l.v), sum(r.v) FROM large AS l JOIN mid AS r ON l.k = r.k";
    let wide = "SELECT count(*), sum(l.v), sum(r.v) FROM large AS l JOIN (SELECT k * 100 AS x, v FROM mid) AS r ON l.v = r.x";
    let expected = [narrow, wide].map(|sql| answer(&whole, true, sql));
    assert!(expected.iter().all(|(_, tested)| *tested > 0));
    for megabytes in [6, 24] {
        let engine = Engine::builder().threads(2).build().expect("an engine");
        make_tables(&engine, &scratch);
        engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
        for (sql, (rows, _)) in [narrow, wide].iter().zip(&expected) {
            assert_eq!(&answer(&engine, true, sql).0, rows, "{megabytes} MB: {sql}");
        }
    }
}
