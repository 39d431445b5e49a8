//! Random aggregates over rows with keys in runs, with the runs added up first and without:
//! the rows are the same.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use parquet::arrow::ArrowWriter;
use pelton::Engine;
use pelton_random::{Random, reduced};
use tempfile::TempDir;

use crate::plans::plan_and_rows;
use crate::support::{rows_in_any_order, text};

const QUERIES: usize = 240;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

const KEYS: [&str; 11] =
    ["o", "o", "o", "s", "d", "f", "p", "o % 1000", "i", "upper(s)", "CASE WHEN p THEN o ELSE i END"];

pub(super) const AGGREGATES: [&str; 22] = [
    "count(*)",
    "count(s)",
    "count(NULL)",
    "sum(n)",
    "sum(n)",
    "sum(n * (1 - n))",
    "sum(i)",
    "sum(f)",
    "avg(n)",
    "avg(i)",
    "avg(f)",
    "min(s)",
    "max(s)",
    "min(d)",
    "max(n)",
    "min(f)",
    "bool_or(p)",
    "bit_xor(i)",
    "sum(n) FILTER (WHERE p)",
    "count(*) FILTER (WHERE i < 3)",
    "count(DISTINCT i)",
    "median(i)",
];

/// Number of the aggregates in front, which are merged; the others are left to DataFusion.
pub(super) const MERGED: usize = AGGREGATES.len() - 2;

/// Writes rows in runs of up to `longest` rows.
fn write(path: &Path, seed: u64, rows: usize, longest: usize) {
    let mut random = Random::new(seed);
    let mut file = None;
    let mut order = 0;
    for _ in 0..rows.div_ceil(1000) {
        let mut starts = Vec::new();
        while starts.len() < 1000 {
            // some keys come again later
            order = if random.chance(0.02) { random.below(order + 1) } else { order + random.below(3) };
            let length = 1 + random.below(longest);
            starts.resize((starts.len() + length).min(1000), order);
        }
        let number = |order: &usize, from: usize| (*order * 2_654_435_761) % from;
        let o: Int64Array = starts.iter().map(|o| (number(o, 50) > 0).then_some(*o as i64)).collect();
        let s: StringArray = starts
            .iter()
            .map(|o| (number(o, 31) > 0).then(|| format!("a text of order {}", number(o, 5000))))
            .collect();
        let d: Date32Array = starts.iter().map(|o| Some(9000 + (*o / 40) as i32)).collect();
        // zeros of both signs are one group
        let f: Float64Array = starts
            .iter()
            .map(|o| {
                let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
                Some(if number(o, 9) == 0 { 0.0 * sign } else { number(o, 400) as f64 / 4.0 })
            })
            .collect();
        let p: BooleanArray = (0..1000).map(|_| random.chance(0.8).then(|| random.chance(0.5))).collect();
        let i: Int32Array =
            (0..1000).map(|_| random.chance(0.9).then(|| random.below(15) as i32 - 5)).collect();
        let n: Decimal128Array =
            (0..1000).map(|_| random.chance(0.9).then(|| random.below(40_000) as i128 - 9000)).collect();
        let n = n.with_precision_and_scale(15, 2).expect("a decimal");
        let columns: [(&str, ArrayRef); 7] = [
            ("o", Arc::new(o)),
            ("s", Arc::new(s)),
            ("d", Arc::new(d)),
            ("f", Arc::new(f)),
            ("p", Arc::new(p)),
            ("i", Arc::new(i)),
            ("n", Arc::new(n)),
        ];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)));
        let batch = batch.expect("a batch");
        let writer = file.get_or_insert_with(|| {
            let to = File::create(path).expect("a file");
            ArrowWriter::try_new(to, batch.schema(), None).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    file.expect("rows").close().expect("a footer");
}

/// Files with long runs, with short ones, and with both.
fn tables() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, longest) in [12, 5, 1, 40].into_iter().enumerate() {
        let path = folder.path().join(format!("t{number}.parquet"));
        write(&path, number as u64 + 7, 40_000 + 30_000 * number, longest);
    }
    folder
}

fn query(random: &mut Random, folder: &Path) -> String {
    let mut keys = KEYS.to_vec();
    let keys: Vec<&str> =
        (0..1 + random.below(3)).map(|_| keys.swap_remove(random.below(keys.len()))).collect();
    let mut values: Vec<String> = keys.iter().map(ToString::to_string).collect();
    let known = if random.chance(0.9) { MERGED } else { AGGREGATES.len() };
    values.extend((0..random.below(6)).map(|_| AGGREGATES[random.below(known)].to_owned()));
    let values: Vec<_> = values.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let all = format!("'{}/*.parquet'", folder.display());
    let one = format!("'{}/t{}.parquet'", folder.display(), random.below(4));
    let from = match random.below(8) {
        0 | 1 => format!("{one} AS t"),
        2 => format!("{all} AS t WHERE i > 0"),
        3 => format!("{all} AS t WHERE o < 0"),
        4 => format!("(SELECT * FROM {one} UNION ALL SELECT * FROM {all}) AS t"),
        5 => format!("{all} AS t JOIN (SELECT DISTINCT d AS other FROM {one}) AS u ON d = other"),
        _ => format!("{all} AS t"),
    };
    format!("SELECT {} FROM {from} GROUP BY {}", values.join(", "), keys.join(", "))
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("clustered_groups = {is_on}"), sql)
}

#[test]
fn rows_do_not_depend_on_runs() {
    let folder = tables();
    let mut random = Random::new(4000);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=8 {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for _ in 0..queries.div_ceil(8) {
            let sql = query(&mut random, folder.path());
            engine.sql(&format!("SET dense_groups = {}", random.chance(0.7))).expect("a setting");
            let [hashed, clustered] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(hashed.1, clustered.1, "{threads} threads: {sql}\n{}", clustered.0);
            assert!(!hashed.0.contains("ClusteredAggregateExec"), "{}", hashed.0);
            changed += usize::from(clustered.0.contains("ClusteredAggregateExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were changed");
}

/// Long runs stay with the operator; short ones are passed on by the first rows or by later ones.
#[test]
fn short_runs_are_passed_on() {
    let folder = tables();
    let engine = Engine::builder().threads(2).build().expect("an engine");
    for (table, stays) in [("t0", true), ("t3", true), ("t2", false), ("*", false)] {
        let sql = format!(
            "SELECT o, count(*), sum(n), min(s) FROM '{}/{table}.parquet' GROUP BY o",
            folder.path().display()
        );
        let [hashed, clustered] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
        assert_eq!(hashed.1, clustered.1, "{table}");
        let plan = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a plan"));
        assert_eq!(plan.contains("rows_of_short_runs=0"), stays, "{table}: {plan}");
        assert_eq!(plan.contains("rows_in_runs=0"), table == "t2", "{table}: {plan}");
    }
}

/// Megabytes with which no query of [`little_memory_changes_no_rows`] is refused.
const ENOUGH: usize = 64;

/// Groups that do not fit are emitted early, and the final aggregate goes to disk.
#[test]
fn little_memory_changes_no_rows() {
    let folder = tables();
    let table = format!("'{}/t[013].parquet'", folder.path().display());
    let sql = format!("SELECT o, s, count(*), sum(n), max(s), avg(n) FROM {table} GROUP BY o, s");
    let whole = Engine::builder().threads(2).build().expect("an engine");
    let (_, expected) = answer(&whole, false, &sql);
    for threads in [2, 3, 8] {
        for megabytes in [12, 16, 32, ENOUGH] {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let plan = text(&engine.sql(&format!("EXPLAIN {sql}")).expect("a plan"));
            assert!(plan.contains("ClusteredAggregateExec"), "{plan}");
            match engine.sql(&sql) {
                Ok(rows) => {
                    assert_eq!(rows_in_any_order(&rows), expected, "{threads} threads, {megabytes} MB")
                }
                Err(error) => {
                    assert!(megabytes < ENOUGH, "{threads} threads, {megabytes} MB: {error}");
                    assert!(error.to_string().contains("out of memory"), "{error}");
                }
            }
        }
    }
}

/// Rows with too many texts for codes go to the operator for runs, which counts them.
#[test]
fn rows_without_codes_are_added_up_in_runs() {
    let folder = tables();
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let sql =
        format!("SELECT o, s, count(*), sum(n) FROM '{}/t3.parquet' GROUP BY o, s", folder.path().display());
    let plan = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a plan"));
    assert!(plan.contains("DenseAggregateExec"), "{plan}");
    assert!(plan.contains("next=ClusteredAggregateExec"), "{plan}");
    assert!(plan.contains("rows_of_short_runs=0") && !plan.contains("rows_in_runs=0"), "{plan}");
    engine.sql("SET clustered_groups = false").expect("a setting");
    let plan = text(&engine.sql(&format!("EXPLAIN {sql}")).expect("a plan"));
    assert!(!plan.contains("ClusteredAggregateExec"), "{plan}");
}

/// Under a limit, plans and metrics of DataFusion's aggregates are those of a session without one.
#[test]
fn a_limit_does_not_change_what_is_shown() {
    let folder = tables();
    let engine = Engine::builder().threads(4).build().expect("an engine");
    engine.sql("SET clustered_groups = false").expect("a setting");
    engine.sql("SET rollups = 'direct'").expect("a setting");
    let table = format!("'{}/t2.parquet'", folder.path().display());
    let explain = format!("EXPLAIN SELECT o AS k, median(i) FROM {table} GROUP BY ROLLUP(o, p)");
    let analyze = format!("EXPLAIN ANALYZE SELECT o, median(i) FROM {table} GROUP BY o");
    let shown = |engine: &Engine| {
        let plan = text(&engine.sql(&analyze).expect("a plan"));
        let counters = plan.lines().filter(|line| line.contains("AggregateExec: mode=")).map(|line| {
            let names = line.split(", ").filter_map(|counter| counter.split_once('='));
            let mut names: Vec<_> = names.map(|(name, _)| name.trim_start().to_owned()).collect();
            names.sort();
            names
        });
        (text(&engine.sql(&explain).expect("a plan")), counters.collect::<Vec<_>>())
    };
    let without = shown(&engine);
    engine.sql("SET memory = '200MB'").expect("a setting");
    assert_eq!(shown(&engine), without);
    assert_eq!(without.1.len(), 2);
}
