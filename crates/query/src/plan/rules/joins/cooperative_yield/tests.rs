use std::future::poll_fn;

use arrow::datatypes::Schema;
use datafusion::physical_plan::collect;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;

use super::*;

#[tokio::test]
async fn more_levels_than_the_budget_has_units_end() {
    let source = Arc::new(PlaceholderRowExec::new(Arc::new(Schema::empty())));
    let mut plan: Arc<dyn ExecutionPlan> = Arc::new(CooperativeExec::new(source));
    for _ in 0..500 {
        plan = Arc::new(YieldExec::new(plan));
    }
    let rows = collect(plan, Arc::new(TaskContext::default())).await.expect("a row");
    assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
}

#[tokio::test]
async fn a_consumer_that_never_stops_asking_yields() {
    let schema = Arc::new(Schema::empty());
    let batch = RecordBatch::new_empty(schema.clone());
    let batches = stream::repeat_with(move || Ok(batch.clone()));
    let input = Box::pin(RecordBatchStreamAdapter::new(schema, batches));
    let mut stream = Yielding { input };
    let asked = poll_fn(|context| {
        let ready = (0..10_000).take_while(|_| stream.poll_next_unpin(context).is_ready());
        Poll::Ready(ready.count())
    });
    let taken = asked.await;
    assert!((1..10_000).contains(&taken), "{taken} batches without a pause");
    assert!(stream.next().await.is_some(), "it goes on afterwards");
}
