use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use futures::TryStreamExt;
use pelton_job::Router;

use crate::plan::{Session, SessionOptions};
use crate::scan::ScanContext;

fn session() -> Session {
    let router = Router::builder().build();
    let scan = ScanContext::in_tests(router);
    Session::new(SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None })
        .expect("a session")
}

fn batch(values: Vec<i64>) -> RecordBatch {
    RecordBatch::try_from_iter([("x", Arc::new(Int64Array::from(values)) as _)]).expect("a batch")
}

fn register(session: &Session, name: &str, values: Vec<i64>) {
    let batch = batch(values);
    session.register_batches(name, batch.schema(), vec![batch]).expect("a table");
}

async fn sum(session: &Session, table: &str) -> Result<i64, String> {
    let plan = session.sql(&format!("SELECT sum(x) FROM {table}")).await.map_err(|e| e.to_string())?;
    let batches: Vec<_> = session.run(plan).expect("it starts").try_collect().await.expect("rows");
    let column: &Int64Array = batches[0].column(0).as_any().downcast_ref().expect("a sum");
    Ok(column.value(0))
}

#[tokio::test]
async fn rows_in_memory_are_a_table_until_they_are_forgotten() {
    let session = session();
    register(&session, "t", vec![1, 2, 3]);
    assert_eq!(sum(&session, "t").await, Ok(6));
    register(&session, "t", vec![5]);
    assert_eq!((sum(&session, "t").await, session.tables()), (Ok(5), vec!["t".to_owned()]));
    assert!(session.deregister("t").expect("it can"));
    assert!(!session.deregister("t").expect("it can"));
    assert!(sum(&session, "t").await.expect_err("no table").contains("no table t"));
}

#[tokio::test]
async fn a_branch_has_the_tables_of_then() {
    let first = session();
    register(&first, "before", vec![1]);
    let second = first.branch().await.expect("a branch");
    register(&first, "t", vec![2]);
    register(&second, "t", vec![3]);
    assert_eq!((sum(&first, "t").await, sum(&second, "t").await), (Ok(2), Ok(3)));
    assert_eq!(sum(&second, "before").await, Ok(1));
    assert!(first.deregister("before").expect("it can"));
    assert_eq!(second.tables(), ["before", "t"]);
}

#[test]
fn columns_of_one_name_and_other_columns_are_errors() {
    let session = session();
    let field = || Field::new("x", DataType::Int64, true);
    let twice = Arc::new(Schema::new(vec![field(), field()]));
    let error = session.register_batches("t", twice, vec![]).expect_err("twice");
    assert!(error.to_string().contains("two columns named x"), "{error}");
    let other = Arc::new(Schema::new(vec![Field::new("y", DataType::Utf8, true)]));
    assert!(session.register_batches("t", other, vec![batch(vec![1])]).is_err());
}
