//! Plans of Substrait of any bytes, as protobuf and as JSON: planned, and run if they plan.
//!
//! An answer is rows or an error of one line. A panic of a library comes as an internal error,
//! which is a failure here.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arrow::array::{ArrayRef, Date32Array, Float64Array, Int64Array, StringArray};
use arrow::record_batch::RecordBatch;
use pelton::{Engine, SubstraitOptions};

use crate::allocator::limited;

/// Memory that planning and running may take. The engine's threads have theirs before.
const MEMORY: usize = 256 << 20;

/// Batches that are taken of a plan's rows: joins of fuzzed plans have many.
const BATCHES: usize = 4;

/// Longest wait for rows of a plan.
const PATIENCE: Duration = Duration::from_secs(2);

/// Queries whose plans are the seeds.
const QUERIES: [&str; 15] = [
    "SELECT a, b || 'x', c * 2 FROM t WHERE a > 1 AND b LIKE 'x%' ORDER BY c DESC NULLS LAST LIMIT 3",
    "SELECT b, count(*), sum(c), avg(a) FROM t GROUP BY b HAVING count(*) > 0",
    "SELECT a, b, sum(c) FROM t GROUP BY GROUPING SETS ((a), (b, a), ())",
    "SELECT t.a, u.b FROM t JOIN t u ON t.a = u.a AND t.c < u.c LEFT JOIN t v ON v.a = u.a",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.a = t.a) AND a IN (SELECT a FROM t)",
    "SELECT a, (SELECT max(c) FROM t u WHERE u.a = t.a) FROM t",
    "SELECT a, row_number() OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "SELECT a FROM t UNION ALL SELECT 7 EXCEPT SELECT 1",
    "SELECT CASE WHEN a IN (1, 2, 3) THEN CAST(a AS DECIMAL(10, 2)) ELSE 1.5 END, d + INTERVAL '1 day' FROM t",
    "SELECT [1, 2], [a], TIMESTAMP '2024-01-01 00:00:00', TIME '01:02:03', 'x'::BLOB, NULL::DATE FROM t",
    "VALUES (1, 'a'), (2, NULL)",
    "SELECT a FROM t WHERE a NOT IN (SELECT a FROM t WHERE c > 1) OR EXISTS (SELECT 1 FROM t WHERE a = 9)",
    "SELECT d, string_agg(b, ',' ORDER BY c, a), first_value(a ORDER BY c DESC) FROM t GROUP BY d",
    "SELECT {'x': a, 'y': b} AS s, rank() OVER (ORDER BY c), sum(a) OVER (ORDER BY c), nullif(c, 0) FROM t",
    "SELECT x.a FROM (SELECT DISTINCT a, d FROM t) x CROSS JOIN (SELECT 1 AS one) y",
];

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::builder().threads(1).memory_limit(MEMORY / 4).build().expect("an engine");
        let columns: [(&str, ArrayRef); 4] = [
            ("a", Arc::new(Int64Array::from(vec![Some(1), Some(2), None, Some(4)]))),
            ("b", Arc::new(StringArray::from(vec![Some("x"), None, Some("xyz"), Some("")]))),
            ("c", Arc::new(Float64Array::from(vec![1.5, -0.0, f64::NAN, 1e300]))),
            ("d", Arc::new(Date32Array::from(vec![Some(0), Some(19_000), None, Some(-1)]))),
        ];
        let rows = RecordBatch::try_from_iter(columns).expect("a batch");
        engine.register_batches("t", rows.schema(), vec![rows]).expect("a table");
        engine
    })
}

/// Plans in both forms.
pub fn seeds() -> Vec<Vec<u8>> {
    let plans = QUERIES.iter().flat_map(|query| {
        let plan = engine().to_substrait(query).expect("a plan");
        let json = engine().to_substrait_json(query).expect("a plan");
        // the mutations of short inputs reach more of them
        let json: String = json.lines().map(str::trim).collect();
        [plan, json.into_bytes()]
    });
    plans.chain([expressions()]).collect()
}

/// Expressions over the table: its schema, one call and a constant.
fn expressions() -> Vec<u8> {
    br#"{"extensions":[{"extensionFunction":{"extensionUrnReference":1,"functionAnchor":3,"name":"add:i64_i64"}}],
"referredExpr":[{"expression":{"scalarFunction":{"functionReference":3,"outputType":{"i64":{}},"arguments":[
{"value":{"selection":{"directReference":{"structField":{}},"rootReference":{}}}},{"value":{"literal":{"i64":"1"}}}]}},
"outputNames":["x"]}],"baseSchema":{"names":["a"],"struct":{"types":[{"i64":{}}]}},"version":{"minorNumber":75}}"#
        .to_vec()
}

/// Runs the input as a plan, and as expressions over the table.
pub fn run(input: &[u8]) {
    let engine = engine();
    for over in [None, Some("t")] {
        let options = SubstraitOptions { over, explain: false };
        let message = limited(MEMORY, || first_rows(engine, input, options));
        if let Err(message) = message {
            assert!(!message.contains('\n'), "several lines: {message}");
            assert!(!message.contains("internal error"), "{message}");
        }
    }
}

fn first_rows(engine: &Engine, input: &[u8], options: SubstraitOptions<'_>) -> Result<(), String> {
    let mut query = engine.substrait_with(input, options).map_err(|error| error.to_string())?;
    for _ in 0..BATCHES {
        match query.next_within(PATIENCE) {
            std::task::Poll::Ready(Some(rows)) => _ = rows.map_err(|error| error.to_string())?,
            std::task::Poll::Ready(None) | std::task::Poll::Pending => return Ok(()),
        }
    }
    Ok(())
}
