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
