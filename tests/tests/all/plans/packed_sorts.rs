//! Random sorts, by packed keys and by compared rows: the rows are the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::engine_with;
use crate::sql::Configuration;
use crate::support::{lines, text};

/// `u` is unique; the other columns have NULL and equal values.
const TABLE: &str = "CREATE TABLE many AS SELECT value * 7919 % 30011 AS u, \
     CASE WHEN value % 13 > 0 THEN value * 31 % 500 END AS o, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.5 \
     WHEN 4 THEN 'Infinity'::DOUBLE ELSE value % 64 - 30 END AS f, \
     CASE WHEN value % 19 > 0 THEN CAST(value % 300 AS DECIMAL(9, 2)) / 4 END AS d, \
     CASE WHEN value % 23 > 0 THEN CAST(value % 100 - 50 AS TINYINT) END AS i, \
     CASE WHEN value % 29 > 0 THEN CAST(value AS UBIGINT) END AS n, \
     CASE WHEN value % 31 > 0 THEN value % 3 = 0 END AS b, \
     CASE WHEN value % 5 > 0 THEN DATE '2024-01-01' + CAST(value % 90 AS INTEGER) END AS c, \
     TIMESTAMP '2024-01-01 00:00:00' + to_days(CAST(value % 90 AS INTEGER)) AS t, \
     CASE WHEN value % 7 > 0 THEN 9223372036854775807 * (value % 3 - 1) END AS w, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN 'a text' ELSE 'a text that is longer than twelve bytes ' || value % 40 END AS s \
     FROM generate_series(1, 30000)";

/// Sorts by keys with more bits than a word has room for.
const WIDE: [&str; 3] =
    ["w, f, w + 1.5, u", "CAST(u AS DECIMAL(38, 0)) * 1000000000000000000000, f", "f, -f, w, u"];

const QUERIES: usize = 160;

fn order(random: &mut Random) -> String {
    let mut keys = Vec::new();
    for _ in 0..1 + random.below(3) {
        let key = random.pick(&[
            "o",
            "f",
            "d",
            "i",
            "n",
            "b",
            "c",
            "t",
            "w",
            "-o",
            "o % 7",
            "u",
            "s",
            "s",
            "upper(s)",
            "s || o",
            "left(s, 3) || i",
        ]);
        keys.push(format!("{key}{}", random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])));
    }
    format!("{}, u", keys.join(", "))
}

fn query(random: &mut Random) -> String {
    let from = random.pick(&["many", "many WHERE u < 20", "many WHERE u < 0", "many WHERE o % 2 = 0"]);
    format!("SELECT u, o, f, s, b, d FROM {from} ORDER BY {}", order(random))
}

/// Returns the plan and the rows, in their order, with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    engine.sql(&format!("SET packed_sorts = {is_on}")).expect("a setting");
    let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
    (text(&plan), lines(&engine.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))))
}

#[test]
fn rows_do_not_depend_on_the_operator() {
    let mut random = Random::new(45);
    for threads in [1, 2, 3, 8] {
        let engine = engine_with(threads, &[TABLE]);
        for at in 0..reduced(QUERIES).div_ceil(4) {
            let sql = match WIDE.get(at) {
                Some(order) => format!("SELECT u, s FROM many ORDER BY {order}"),
                None => query(&mut random),
            };
            let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert!(on.0.contains("PackedSortExec") && !off.0.contains("PackedSortExec"), "{}", on.0);
            assert_eq!(off.1, on.1, "{sql}");
        }
    }
}

/// Keys of all batches are in one word, and rows with equal keys stay in their order.
#[test]
fn equal_keys_keep_the_order_of_their_rows() {
    let mut expected = None;
    for rows in [1, 3, 64, 100_000] {
        let runner = Configuration::Batches(rows).runner();
        let run = |sql: &str| runner.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        run(&TABLE.replace("30000", "500"));
        let found = lines(&run("SELECT u, i, s FROM many ORDER BY i % 3, b DESC NULLS FIRST"));
        let expected = expected.get_or_insert_with(|| found.clone());
        assert_eq!(&found, expected, "batches of {rows} rows");
    }
}

/// Returns the lines of sorts in the report of a query.
fn sorts(engine: &Engine, sql: &str) -> String {
    let report = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a report"));
    report.lines().filter(|line| line.contains("PackedSortExec")).collect()
}

#[test]
fn rows_beyond_the_memory_and_wide_keys_go_to_the_other_operator() {
    let engine = engine_with(2, &[TABLE]);
    let sql = "SELECT * FROM many ORDER BY o, u";
    let expected = answer(&engine, false, sql).1;
    engine.sql("SET packed_sorts = true").expect("a setting");
    let report = sorts(&engine, sql);
    assert!(report.contains("rows_packed=30.00 K"), "{report}");
    for order in WIDE {
        let report = sorts(&engine, &format!("SELECT u FROM many ORDER BY {order}"));
        assert!(report.contains("rows_packed=0"), "{order}: {report}");
    }
    engine.sql("SET memory = '8MB'").expect("a setting");
    let report = sorts(&engine, sql);
    assert!(report.contains("rows_packed=0") && !report.contains("spill_count=0"), "{report}");
    assert_eq!(lines(&engine.sql(sql).expect("rows")), expected);
}
