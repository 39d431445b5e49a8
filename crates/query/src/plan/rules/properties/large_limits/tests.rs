use datafusion::physical_plan::displayable;
use futures::TryStreamExt;
use pelton_job::Router;

use crate::plan::{Session, SessionOptions};
use crate::scan::ScanContext;

/// Rows, and the number of the one that the query asks for.
const QUERY: &str = "SELECT value, value::TEXT AS s FROM range(200000) ORDER BY s LIMIT 1 OFFSET 100000";

async fn planned(memory_limit: Option<usize>) -> (String, Vec<String>) {
    let scan = ScanContext::in_tests(Router::builder().build());
    let session = Session::new(SessionOptions { threads: 2, memory_limit, scan, accelerator: None });
    let session = session.expect("a session");
    let plan = session.sql(QUERY).await.expect("it is planned");
    let shown = displayable(plan.as_ref()).indent(true).to_string();
    let batches: Vec<_> = session.run(plan).expect("it starts").try_collect().await.expect("it fits");
    let column = |batch: &arrow::array::RecordBatch| format!("{:?}", batch.column(0));
    (shown, batches.iter().filter(|batch| batch.num_rows() > 0).map(column).collect())
}

/// The rows of a heap with 100,001 rows take some 10 MB.
#[tokio::test(flavor = "multi_thread")]
async fn a_heap_that_does_not_fit_becomes_a_full_sort() {
    let (unlimited, rows) = planned(None).await;
    assert!(unlimited.contains("TopK(fetch=100001)"), "{unlimited}");
    let (large, same) = planned(Some(256 << 20)).await;
    assert!(large.contains("TopK(fetch=100001)"), "{large}");
    assert_eq!(same, rows);
    let (small, same) = planned(Some(16 << 20)).await;
    assert!(!small.contains("TopK"), "{small}");
    assert!(small.contains("LocalLimitExec: fetch=100001"), "{small}");
    assert_eq!(same, rows);
}
