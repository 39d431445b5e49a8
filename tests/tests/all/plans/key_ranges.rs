//! Random aggregates over files with row groups in ranges of a key, with ranges grouped one by one
//! and without: the rows are the same.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt32Array,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use pelton::Engine;
use pelton_random::{Random, reduced};
use tempfile::TempDir;

use crate::plans::plan_and_rows;
use crate::support::{rows_in_any_order, text};

const QUERIES: usize = 60;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

/// Rows of a file.
const ROWS: usize = 140_000;

const KEYS: [&str; 9] = ["k", "k", "k", "w", "d", "t", "u", "s", "n"];

const AGGREGATES: [&str; 10] = [
    "count(*)",
    "sum(n)",
    "avg(n)",
    "min(s)",
    "max(t)",
    "count(DISTINCT s)",
    "median(w)",
    "sum(w) FILTER (WHERE s > 'm')",
    "bool_or(s = 'text 3')",
    "count(w)",
];

/// The order of the keys in a file.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// In runs of up to three rows, over the ends of row groups too.
    Runs,
    /// Row groups share no value.
    Ranges,
    /// As before, shuffled within a row group.
    Shuffled,
    /// A tenth of the row groups have values of others.
    Mixed,
    /// As `Ranges`, with NULLs in some row groups.
    Nulls,
}

/// Writes a file with the key in columns of several types.
fn write(path: &Path, seed: u64, order: Order, first: i64, has_statistics: bool) -> i64 {
    let mut random = Random::new(seed);
    let statistics = if has_statistics { EnabledStatistics::Chunk } else { EnabledStatistics::None };
    let properties = WriterProperties::builder().set_statistics_enabled(statistics).build();
    let (mut writer, mut key, mut written) = (None, first, 0);
    while written < ROWS {
        let rows = 1000 + random.below(12_000);
        let mut keys: Vec<i64> = Vec::with_capacity(rows);
        if order != Order::Runs {
            key += 1;
        }
        while keys.len() < rows {
            keys.push(key);
            if random.chance(0.6) {
                key += 1 + random.below(4) as i64;
            }
        }
        if order == Order::Shuffled {
            (1..rows).for_each(|at| keys.swap(at, random.below(at + 1)));
        }
        if order == Order::Mixed && random.chance(0.1) {
            keys[rows / 2] = first + random.below(5000) as i64;
        }
        let has_nulls = order == Order::Nulls && random.chance(0.2);
        let keys: Vec<Option<i64>> =
            keys.into_iter().map(|key| (!has_nulls || random.chance(0.9)).then_some(key)).collect();
        let each = |of: fn(i64) -> i64| keys.iter().map(move |key| key.map(of));
        let s: StringArray = (0..rows).map(|_| Some(format!("text {}", random.below(6)))).collect();
        let n: Decimal128Array = (0..rows).map(|_| Some(random.below(30_000) as i128 - 9000)).collect();
        let columns: [(&str, ArrayRef); 7] = [
            ("k", Arc::new(each(|key| key - 70_000).collect::<Int64Array>())),
            ("w", Arc::new(each(|key| key).map(|key| key.map(|key| key as i32)).collect::<Int32Array>())),
            ("u", Arc::new(each(|key| key).map(|key| key.map(|key| key as u32)).collect::<UInt32Array>())),
            (
                "d",
                Arc::new(each(|key| key / 2).map(|day| day.map(|day| day as i32)).collect::<Date32Array>()),
            ),
            ("t", Arc::new(each(|key| key * 1_000_003).collect::<TimestampMicrosecondArray>())),
            ("s", Arc::new(s)),
            ("n", Arc::new(n.with_precision_and_scale(15, 2).expect("a decimal"))),
        ];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)));
        let batch = batch.expect("a batch");
        let writer = writer.get_or_insert_with(|| {
            let to = File::create(path).expect("a file");
            ArrowWriter::try_new(to, batch.schema(), Some(properties.clone())).expect("a writer")
        });
        writer.write(&batch).expect("rows");
        writer.flush().expect("a row group");
        written += rows;
    }
    writer.expect("rows").close().expect("a footer");
    key
}

/// Files in each order, and one without statistics. The keys of the first three go on from file to
/// file, against the order of their names.
fn tables() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(format!("{name}.parquet"));
    let mut first = 0;
    for (seed, (name, order)) in
        [("c_runs", Order::Runs), ("b_ranges", Order::Ranges), ("a_shuffled", Order::Shuffled)]
            .iter()
            .enumerate()
    {
        first = write(&path(name), seed as u64 + 1, *order, first, true);
    }
    write(&path("mixed"), 11, Order::Mixed, 0, true);
    write(&path("nulls"), 12, Order::Nulls, 0, true);
    write(&path("without"), 13, Order::Ranges, 0, false);
    folder
}

fn query(random: &mut Random, folder: &Path) -> String {
    let table = |name: &str| format!("'{}/{name}.parquet'", folder.display());
    let names = ["c_runs", "b_ranges", "b_ranges", "a_shuffled", "?_*", "?_*", "mixed", "nulls"];
    let from = table(names[random.below(names.len())]);
    let mut keys = KEYS.to_vec();
    let keys: Vec<&str> =
        (0..1 + random.below(2)).map(|_| keys.swap_remove(random.below(keys.len()))).collect();
    let values = (0..random.below(4)).map(|_| AGGREGATES[random.below(AGGREGATES.len())]);
    let values: Vec<_> =
        keys.iter().copied().chain(values).enumerate().map(|(at, v)| format!("{v} AS v{at}")).collect();
    let condition = ["", "", " WHERE n > 0", " WHERE s <> 'text 1'", " WHERE k > 40000"][random.below(5)];
    let having = ["", "", " HAVING count(*) > 1", " HAVING sum(n) > 150"][random.below(4)];
    let groups = format!(
        "SELECT {} FROM {from} AS t{condition} GROUP BY {}{having}",
        values.join(", "),
        keys.join(", ")
    );
    let key = keys[0];
    let again = format!("SELECT {key} AS k0, count(*) AS c FROM {from} GROUP BY {key}");
    match random.below(8) {
        // joins want rows of equal keys in one partition
        0 => {
            format!("SELECT count(*) FROM {from} WHERE {key} IN (SELECT k0 FROM ({again}) AS x WHERE c > 2)")
        }
        1 => format!("SELECT a.*, b.c FROM ({groups}) AS a JOIN ({again}) AS b ON a.v0 = b.k0"),
        2 => format!("SELECT count(*) FROM (SELECT DISTINCT {} FROM {from}) AS x", keys.join(", ")),
        3 => format!("SELECT v0, count(*) FROM ({groups} UNION ALL {groups}) AS x GROUP BY v0"),
        4 => format!("SELECT v0, count(*) OVER (PARTITION BY v0) FROM ({groups}) AS x"),
        5 => format!(
            "SELECT c, x.v0 FROM ({groups}) AS x, (SELECT max(c) AS c FROM ({again}) AS y) AS z \
             ORDER BY 2 LIMIT 20"
        ),
        _ => groups,
    }
}

#[test]
fn rows_do_not_depend_on_ranges() {
    let folder = tables();
    let mut random = Random::new(4700);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in [2, 3, 4, 8] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random, folder.path());
            engine.sql(&format!("SET clustered_groups = {}", random.chance(0.7))).expect("a setting");
            let [hashed, by_range] =
                [false, true].map(|is_on| plan_and_rows(&engine, &format!("key_ranges = {is_on}"), &sql));
            assert!(hashed.1 == by_range.1, "{threads} threads: {sql}\n{}", by_range.0);
            assert!(!hashed.0.contains("KeyRangesExec"), "{}", hashed.0);
            changed += usize::from(by_range.0.contains("KeyRangesExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} were changed");
}

/// Returns the plan of a grouping by a key with two threads.
fn plan(folder: &TempDir, table: &str, key: &str) -> String {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let sql = format!(
        "EXPLAIN ANALYZE SELECT {key}, count(*) FROM '{}/{table}.parquet' GROUP BY {key}",
        folder.path().display()
    );
    text(&engine.sql(&sql).expect("a plan"))
}

/// The statistics decide: ranges are taken where row groups have no value in common, or few of
/// them have, whatever the order within a row group.
#[test]
fn statistics_decide() {
    let folder = tables();
    for (table, key, is_by_range) in [
        ("c_runs", "k", true),
        ("b_ranges", "k", true),
        ("b_ranges", "w", true),
        ("b_ranges", "u", true),
        ("b_ranges", "d", true),
        ("b_ranges", "t", true),
        ("b_ranges", "s, k", true),
        ("a_shuffled", "k", true),
        ("?_*", "k", true),
        ("b_ranges", "s", false),
        ("b_ranges", "k / 10", false),
        ("mixed", "k", false),
        ("nulls", "k", false),
        ("without", "k", false),
        ("*", "k", false),
    ] {
        let plan = plan(&folder, table, key);
        assert_eq!(plan.contains("KeyRangesExec"), is_by_range, "{table} by {key}: {plan}");
        assert!(!is_by_range || !plan.contains("RepartitionExec"), "{table} by {key}: {plan}");
    }
}

/// Megabytes with which no query of [`little_memory_changes_no_rows`] is refused.
const ENOUGH: usize = 64;

#[test]
fn little_memory_changes_no_rows() {
    let folder = tables();
    let table = format!("'{}/?_*.parquet'", folder.path().display());
    let sql = format!("SELECT k, s, count(*), sum(n), max(t) FROM {table} GROUP BY k, s");
    let whole = Engine::builder().threads(2).build().expect("an engine");
    let (_, expected) = plan_and_rows(&whole, "key_ranges = false", &sql);
    for (threads, megabytes) in [(2, 12), (2, 24), (2, ENOUGH), (4, 16), (4, ENOUGH)] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
        let plan = text(&engine.sql(&format!("EXPLAIN {sql}")).expect("a plan"));
        assert!(plan.contains("KeyRangesExec"), "{plan}");
        match engine.sql(&sql) {
            Ok(rows) => {
                assert!(rows_in_any_order(&rows) == expected, "{threads} threads, {megabytes} MB")
            }
            Err(error) => {
                assert!(megabytes < ENOUGH, "{threads} threads, {megabytes} MB: {error}");
                assert!(error.to_string().contains("out of memory"), "{error}");
            }
        }
    }
}
