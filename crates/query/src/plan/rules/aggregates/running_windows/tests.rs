use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;

use crate::plan::{Session, SessionOptions};
use crate::scan::ScanContext;

/// Rows with NULL, equal keys, one large partition and many small ones.
const TABLE: &str = "CREATE TABLE t AS SELECT CASE WHEN value % 5 = 0 THEN 0 WHEN value % 11 > 0 THEN value % 9 END AS p, \
     CASE WHEN value % 7 > 0 THEN value % 4 END AS o, value AS u, CASE WHEN value % 3 > 0 THEN value - 60 END AS i, \
     CASE WHEN value % 8 > 0 THEN CAST(value % 50 AS DECIMAL(9, 2)) / 4 END AS d, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'w' || value % 20 END AS s, \
     CASE value % 9 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 ELSE value % 16 - 7 END AS f \
     FROM generate_series(1, 150)";

/// Lists of functions over one window each.
const FUNCTIONS: [&str; 6] = [
    "row_number() OVER w, rank() OVER w, dense_rank() OVER w",
    "sum(i) OVER w, count(*) OVER w, avg(d) OVER w, max(s) OVER w, min(f) OVER w",
    "sum(d) OVER r, max(f) OVER r, count(s) OVER r, avg(f) OVER r, min(s) OVER r, rank() OVER r",
    "sum(d) OVER a, avg(i) OVER a, count(i) OVER a, max(s) OVER a, sum(f) OVER a, row_number() OVER a",
    "sum(i) OVER a, sum(i) OVER w, sum(i) OVER r, rank() OVER w, max(u) OVER w",
    "count(*) OVER a",
];

const WINDOWS: [(&str, &str); 5] = [
    ("PARTITION BY p", "ORDER BY o"),
    ("PARTITION BY p, f", "ORDER BY s DESC, o"),
    ("", "ORDER BY o NULLS FIRST"),
    ("PARTITION BY u", "ORDER BY o"),
    ("PARTITION BY p", ""),
];

fn session(batch_size: usize, memory_limit: Option<usize>) -> Session {
    let router = Router::builder().device(CpuDevice::builder().threads(1).build()).build();
    let scan = ScanContext::in_tests(router);
    let options = SessionOptions { threads: 1, memory_limit, scan, accelerator: None };
    let session = Session::new(options).expect("a session");
    session.context.state_ref().write().config_mut().options_mut().execution.batch_size = batch_size;
    session
}

async fn rows(session: &Session, sql: &str) -> Vec<String> {
    let plan = session.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batches = session.run(plan).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batches: Vec<RecordBatch> =
        batches.try_collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut rows = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| array_value_to_string(column, row));
            rows.push(values.collect::<Result<Vec<_>, _>>().expect("values").join(", "));
        }
    }
    rows
}

fn queries() -> impl Iterator<Item = String> {
    WINDOWS.iter().flat_map(|(partition, order)| {
        FUNCTIONS.iter().map(move |functions| {
            let rows = if order.is_empty() { format!("{partition} ORDER BY u") } else { format!("{partition} {order}, u") };
            format!(
                "SELECT u, {functions} FROM t WINDOW w AS ({rows} ROWS UNBOUNDED PRECEDING), r AS ({partition} {order}), \
                 a AS ({partition} {order} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY u"
            )
        })
    })
}

/// Borders of batches are borders of peers and partitions, or inside them.
#[tokio::test]
async fn values_do_not_depend_on_the_size_of_batches() {
    let (whole, mut replaced) = (session(8192, None), 0);
    rows(&whole, TABLE).await;
    let small = [1, 2, 3, 7, 64].map(|size| session(size, None));
    for session in &small {
        rows(session, TABLE).await;
    }
    for sql in queries() {
        rows(&whole, "SET running_windows = false").await;
        let expected = rows(&whole, &sql).await;
        rows(&whole, "SET running_windows = true").await;
        for session in small.iter().chain([&whole]) {
            assert_eq!(rows(session, &sql).await, expected, "{sql}");
        }
        let plan = rows(&whole, &format!("EXPLAIN {sql}")).await.join("\n");
        replaced += usize::from(plan.contains("RunningWindowExec") && !plan.contains("WindowAggExec"));
    }
    assert_eq!(replaced, WINDOWS.len() * FUNCTIONS.len());
}

/// A window's rows go to disk, and come back in order.
#[tokio::test]
async fn rows_of_a_partition_go_to_disk() {
    let table = "CREATE TABLE t AS SELECT value % 2 AS p, value % 5000 AS o, value AS u, value AS i, 'text ' || value AS s \
                 FROM generate_series(1, 60000)";
    let sql = "SELECT u, s, sum(i) OVER (PARTITION BY p), max(s) OVER (PARTITION BY p), count(*) OVER () FROM t ORDER BY u";
    let free = session(512, None);
    rows(&free, table).await;
    let expected = rows(&free, sql).await;
    let tight = session(512, Some(12 << 20));
    rows(&tight, table).await;
    assert_eq!(rows(&tight, sql).await, expected);
    let report = rows(&tight, &format!("EXPLAIN ANALYZE {sql}")).await.join("\n");
    let spilled =
        report.lines().filter(|line| line.contains("RunningWindowExec") && !line.contains("spill_count=0"));
    assert!(spilled.count() > 0, "{report}");
}
