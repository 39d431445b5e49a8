use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringViewArray};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::displayable;
use futures::TryStreamExt;
use pelton_job::Router;

use crate::plan::{Session, SessionOptions};
use crate::scan::ScanContext;

const QUERY: &str = "SELECT arrow_cast(concat('a text of more than twelve bytes ', value), 'Utf8View') AS s FROM range(9000) ORDER BY s";

fn session(memory_limit: Option<usize>) -> Session {
    let scan = ScanContext::in_tests(Router::builder().build());
    let session = Session::new(SessionOptions { threads: 2, memory_limit, scan, accelerator: None });
    session.expect("a session")
}

async fn shown(session: &Session, sql: &str) -> String {
    displayable(session.sql(sql).await.expect("it is planned").as_ref()).indent(true).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn sorted_texts_are_copied_under_a_limit() {
    let (limited, unlimited) = (session(Some(64 << 20)), session(None));
    assert!(!shown(&unlimited, QUERY).await.contains("CompactExec"));
    let plan = shown(&limited, QUERY).await;
    assert!(plan.contains("CompactExec\n") && plan.contains("SortExec"), "{plan}");
    let numbers = shown(&limited, "SELECT value FROM range(9000) ORDER BY -value").await;
    assert!(!numbers.contains("CompactExec"), "{numbers}");
    let mut all = Vec::new();
    for session in [&limited, &unlimited] {
        let plan = session.sql(QUERY).await.expect("it is planned");
        let rows: Vec<_> = session.run(plan).expect("it starts").try_collect().await.expect("rows");
        all.push(arrow::util::pretty::pretty_format_batches(&rows).expect("text").to_string());
    }
    assert_eq!(all[0], all[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_that_share_their_texts_are_sorted_in_less_memory_than_each_keeps() {
    const ROWS: usize = 200_000;
    let texts = (0..ROWS).map(|row| format!("{:06} and more than twelve bytes", row * 7_919 % ROWS));
    let all: ArrayRef = Arc::new(StringViewArray::from_iter_values(texts));
    let all = RecordBatch::try_from_iter([("s", all)]).expect("a column");
    let limit = all.get_array_memory_size() * 3 / 4;
    let pieces: Vec<_> = (0..ROWS).step_by(8_000).map(|first| all.slice(first, 8_000)).collect();
    let partitions: Vec<_> = pieces.chunks(13).map(<[RecordBatch]>::to_vec).collect();
    let table = MemTable::try_new(all.schema(), partitions).expect("a table");
    let session = session(Some(limit));
    session.context.register_table("t", Arc::new(table)).expect("a new name");
    let plan = session.sql("SELECT s FROM t ORDER BY s").await.expect("it is planned");
    let sorted: Vec<_> = session.run(plan).expect("it starts").try_collect().await.expect("rows");
    let texts = sorted.iter().flat_map(|batch| batch.column(0).as_string_view().iter().flatten());
    assert!(texts.clone().is_sorted());
    assert_eq!(texts.count(), ROWS);
}
