//! Random aggregates with the codes of keys and with DataFusion's hash of each row: the rows are
//! the same.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, UInt8Array, UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use pelton::Engine;
use pelton_random::{Random, reduced};
use tempfile::TempDir;

use crate::support::{rows_in_any_order, text};

const QUERIES: usize = 320;

/// Divisor of the least number of queries that are changed, so that a rule without effect is
/// noticed.
const LEAST_CHANGED: usize = 3;

const KEYS: [&str; 15] = [
    "a",
    "b",
    "w",
    "i",
    "k",
    "d",
    "p",
    "u",
    "g",
    "upper(a)",
    "i % 10",
    "CASE WHEN p THEN a ELSE b END",
    "i > 3",
    "NULLIF(a, '')",
    "extract(year FROM d)",
];

const AGGREGATES: [&str; 30] = [
    "count(*)",
    "count(a)",
    "count(i)",
    "count(NULL)",
    "count(n)",
    "sum(n)",
    "sum(n)",
    "sum(n * (1 - n))",
    "sum(i)",
    "sum(u)",
    "sum(g)",
    "sum(v)",
    "sum(wide)",
    "sum(CAST(n AS DECIMAL(38, 2)))",
    "sum(f)",
    "avg(n)",
    "avg(n)",
    "avg(wide)",
    "avg(i)",
    "avg(f)",
    "min(a)",
    "max(b)",
    "min(d)",
    "max(n)",
    "min(f)",
    "bool_and(p)",
    "bit_xor(i)",
    "sum(n) FILTER (WHERE p)",
    "count(*) FILTER (WHERE i < 3)",
    "avg(n) FILTER (WHERE n > 100)",
];

/// Aggregates that keep DataFusion's operator.
const OTHERS: [&str; 4] = ["count(DISTINCT a)", "sum(DISTINCT i)", "median(i)", "array_length(array_agg(i))"];

/// Writes rows to a file. Its dictionaries have values in an order of their own, and those of more
/// than `limit` bytes end in the middle of the file.
fn write(path: &Path, seed: u64, rows: usize, limit: usize) {
    let mut random = Random::new(seed);
    let words = 3 + random.below(60);
    let texts = 1 + random.below(30);
    let few = ["", "A", "N", "R", "twelve bytes", "thirteen byte", "ü"];
    let first = random.below(few.len());
    let mut file = None;
    for _ in 0..rows.div_ceil(1000) {
        let rows = 1000;
        let optional = |share: f64, random: &mut Random| random.chance(share);
        let a: StringArray = (0..rows)
            .map(|_| optional(0.93, &mut random).then(|| few[(first + random.below(4)) % few.len()]))
            .collect();
        let b: StringArray =
            (0..rows).map(|_| Some(format!("a rather long text, number {}", random.below(texts)))).collect();
        let w: StringArray = (0..rows)
            .map(|_| optional(0.99, &mut random).then(|| format!("w{}", random.below(words * 400))))
            .collect();
        let i: Int32Array =
            (0..rows).map(|_| optional(0.9, &mut random).then(|| random.below(15) as i32 - 5)).collect();
        let k: Int64Array = (0..rows).map(|_| Some((random.below(3000) as i64 - 7) << 40)).collect();
        let d: Date32Array = (0..rows).map(|_| Some(9000 + random.below(900) as i32)).collect();
        let p: BooleanArray =
            (0..rows).map(|_| optional(0.8, &mut random).then(|| random.chance(0.5))).collect();
        let u: UInt8Array = (0..rows).map(|_| Some(random.below(256) as u8)).collect();
        let g: UInt64Array = (0..rows).map(|_| Some((1 << 63) - 4 + random.below(9) as u64)).collect();
        let n: Decimal128Array = (0..rows)
            .map(|_| optional(0.9, &mut random).then(|| random.below(40_000) as i128 - 9000))
            .collect();
        let n = n.with_precision_and_scale(15, 2).expect("a decimal");
        // some batches have values of more than 64 bits
        let magnitude = *random.pick(&[1i128, 1 << 40, 1 << 62, 1 << 70]);
        let wide: Decimal128Array = (0..rows)
            .map(|_| optional(0.9, &mut random).then(|| (random.below(99) as i128 - 50) * magnitude))
            .collect();
        let wide = wide.with_precision_and_scale(38, 3).expect("a decimal");
        let v: Int64Array = (0..rows)
            .map(|_| Some(if random.below(5000) == 0 { i64::MAX / 2 } else { random.below(100) as i64 }))
            .collect();
        // sums of quarters do not depend on the order of additions
        let f: Float64Array = (0..rows).map(|_| Some(random.below(4000) as f64 / 4.0)).collect();
        let columns: [(&str, ArrayRef); 13] = [
            ("a", Arc::new(a)),
            ("b", Arc::new(b)),
            ("w", Arc::new(w)),
            ("i", Arc::new(i)),
            ("k", Arc::new(k)),
            ("d", Arc::new(d)),
            ("p", Arc::new(p)),
            ("u", Arc::new(u)),
            ("g", Arc::new(g)),
            ("n", Arc::new(n)),
            ("wide", Arc::new(wide)),
            ("v", Arc::new(v)),
            ("f", Arc::new(f)),
        ];
        let batch =
            RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)));
        let batch = batch.expect("a batch");
        let writer = file.get_or_insert_with(|| {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_dictionary_page_size_limit(limit)
                .set_data_page_row_count_limit(2000)
                .set_write_batch_size(500)
                .set_max_row_group_row_count(Some(20_000))
                .build();
            let to = File::create(path).expect("a file");
            ArrowWriter::try_new(to, batch.schema(), Some(properties)).expect("a writer")
        });
        writer.write(&batch).expect("rows");
    }
    file.expect("rows").close().expect("a footer");
}

fn tables() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (number, limit) in [1 << 20, 1 << 20, 700, 20_000, 40].into_iter().enumerate() {
        let path = folder.path().join(format!("t{number}.parquet"));
        write(&path, number as u64 + 1, 18_000 + 8000 * number, limit);
    }
    folder
}

fn query(random: &mut Random, folder: &Path) -> String {
    let mut keys = KEYS.to_vec();
    let keys: Vec<&str> =
        (0..1 + random.below(3)).map(|_| keys.swap_remove(random.below(keys.len()))).collect();
    let mut values: Vec<String> = keys.iter().map(ToString::to_string).collect();
    values.extend((0..random.below(7)).map(|_| random.pick(&AGGREGATES).to_string()));
    if random.below(12) == 0 {
        values.push(random.pick(&OTHERS).to_string());
    }
    let values: Vec<_> = values.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    let all = format!("'{}/*.parquet'", folder.display());
    let one = format!("'{}/t{}.parquet'", folder.display(), random.below(5));
    let from = match random.below(9) {
        0 => format!("{one} AS t"),
        1 => format!("{one} AS t WHERE i = 2 AND a = 'N'"),
        2 => format!("{all} AS t WHERE p"),
        3 => format!("{all} AS t WHERE u < 0"),
        4 => format!("(SELECT * FROM {all} ORDER BY a, b, w, i, k, d, p, u, n LIMIT 9000) AS t"),
        5 => format!("(SELECT * FROM {one} UNION ALL SELECT * FROM {all}) AS t"),
        6 => format!("{all} AS t JOIN (SELECT DISTINCT u AS other FROM {one}) AS s ON u = other"),
        _ => format!("{all} AS t"),
    };
    format!("SELECT {} FROM {from} GROUP BY {}", values.join(", "), keys.join(", "))
}

/// Returns the plan, and the rows or the error, with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    engine.sql(&format!("SET dense_groups = {is_on}")).expect("a setting");
    let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let rows = match engine.sql(sql) {
        Ok(rows) => rows_in_any_order(&rows),
        Err(error) => vec![kind(&error.to_string())],
    };
    (text(&plan), rows)
}

/// Returns an error without the total, which is that of the group that comes first. The sum that is
/// too large first depends on the order of the rows, with several in a query.
fn kind(error: &str) -> String {
    let what = error.split(" is ").next().unwrap_or_default();
    if what.starts_with("sum(") { "sum".to_owned() } else { what.to_owned() }
}

#[test]
fn rows_do_not_depend_on_codes_of_keys() {
    let folder = tables();
    let mut random = Random::new(390);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for threads in 1..=8 {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for _ in 0..queries.div_ceil(8) {
            let sql = query(&mut random, folder.path());
            let [hashed, coded] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(hashed.1, coded.1, "{threads} threads: {sql}\n{}\n{}", hashed.0, coded.0);
            assert!(!hashed.0.contains("DenseAggregateExec"), "{}", hashed.0);
            changed += usize::from(coded.0.contains("DenseAggregateExec"));
        }
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} had codes");
}

/// Few groups stay with the operator; with many, it passes rows on.
#[test]
fn too_many_groups_are_passed_on() {
    let folder = tables();
    let table = format!("'{}/*.parquet'", folder.path().display());
    let cases = [
        ("a, p", true),
        ("a, i, p", true),
        ("d, p", true),
        ("u, i, a", true),
        ("w, d, u", false),
        ("k, p", false),
        ("w", false),
        ("b || CAST(u AS VARCHAR) || CAST(d AS VARCHAR)", false),
    ];
    for threads in [1, 2, 5] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for (keys, stay) in cases {
            let sql = format!("SELECT {keys}, count(*), sum(n), avg(n), min(w) FROM {table} GROUP BY {keys}");
            let [hashed, coded] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(hashed.1, coded.1, "{threads} threads: {sql}");
            let plan = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a plan"));
            assert!(plan.contains("rows_grouped_by_code="), "{plan}");
            assert_eq!(plan.contains("rows_passed_on=0"), stay, "{keys}: {plan}");
        }
    }
}

/// Numbers alone are grouped by DataFusion, which is as fast.
#[test]
fn single_numbers_are_left_to_datafusion() {
    let folder = tables();
    for threads in [1, 3] {
        let engine = Engine::builder().threads(threads).build().expect("an engine");
        for (keys, is_changed) in
            [("i", false), ("d", false), ("p", false), ("u % 3", false), ("i, p", true), ("a", true)]
        {
            let sql = format!(
                "SELECT {keys}, count(*), sum(n) FROM '{}/*.parquet' GROUP BY {keys}",
                folder.path().display()
            );
            let [hashed, coded] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(hashed.1, coded.1, "{threads} threads: {sql}");
            assert_eq!(coded.0.contains("DenseAggregateExec"), is_changed, "{keys}: {}", coded.0);
        }
    }
}

/// Megabytes with which no query of [`little_memory_changes_no_rows`] is refused.
const ENOUGH: usize = 96;

/// Groups that do not fit are emitted early, and the final aggregate goes to disk.
#[test]
fn little_memory_changes_no_rows() {
    let folder = tables();
    let table = format!("'{}/*.parquet'", folder.path().display());
    let sql = format!(
        "SELECT w, b, i, count(*), sum(n), max(wide), avg(n) FROM {table} GROUP BY w, b, i \
         UNION ALL SELECT w, a, NULL, count(*), sum(n), min(wide), avg(n) FROM {table} GROUP BY w, a"
    );
    let whole = Engine::builder().threads(2).build().expect("an engine");
    let (_, expected) = answer(&whole, false, &sql);
    for threads in [1, 2, 8] {
        for megabytes in [24, 32, 48, ENOUGH] {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            engine.sql("SET dense_groups = true").expect("a setting");
            let plan = text(&engine.sql(&format!("EXPLAIN {sql}")).expect("a plan"));
            assert!(plan.contains("DenseAggregateExec"), "{plan}");
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

/// A sum that needs more than 38 digits is refused with both; a total of 64 bits is exact.
#[test]
fn sums_overflow_with_the_same_errors() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    engine
        .sql(
            "CREATE TABLE t AS SELECT 'k' || value % 3 AS k, CAST('99999999999999999999999999999999999999' AS \
             DECIMAL(38, 0)) AS d, 9223372036854775807 - value % 2 AS i FROM generate_series(1, 400002)",
        )
        .expect("a table");
    for (sql, is_right) in [
        ("SELECT k, sum(d) FROM t GROUP BY k", false),
        ("SELECT k, avg(d) FROM t WHERE k = 'k9' GROUP BY k", true),
        ("SELECT k, sum(i) FROM t GROUP BY k", false),
        ("SELECT k, sum(CAST(i AS DECIMAL(38, 0))), sum(i - 9223372036854775800) FROM t GROUP BY k", true),
        ("SELECT k, sum(CASE WHEN i % 2 = 0 THEN i ELSE -i END) FROM t GROUP BY k", true),
    ] {
        let [hashed, coded] = [false, true].map(|is_on| {
            engine.sql(&format!("SET dense_groups = {is_on}")).expect("a setting");
            engine.sql(sql).map(|rows| rows_in_any_order(&rows)).map_err(|error| kind(&error.to_string()))
        });
        assert_eq!(hashed, coded, "{sql}");
        assert_eq!(coded.is_ok(), is_right, "{sql}: {coded:?}");
    }
}
