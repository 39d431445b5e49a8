use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::{AsArray, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryPool, UnboundedMemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::channel::mpsc;
use futures::stream::{BoxStream, StreamExt};
use futures::{FutureExt, TryStreamExt, poll, stream};
use parking_lot::Mutex;

use super::{SharedExec, SharedPlan};

const ROWS: i64 = 100;

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
}

fn batch(first: i64) -> RecordBatch {
    let values = Int64Array::from_iter_values(first..first + ROWS);
    RecordBatch::try_new(schema(), vec![Arc::new(values)]).expect("a batch")
}

/// A partition of given batches.
struct Partition {
    batches: Mutex<Option<BoxStream<'static, Result<RecordBatch>>>>,
    schema: SchemaRef,
    executed: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Partition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Partition")
    }
}

impl PartitionStream for Partition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        self.executed.fetch_add(1, Ordering::SeqCst);
        let batches = self.batches.lock().take();
        // a second execution has one batch
        let batches = batches.unwrap_or_else(|| stream::iter([Ok(batch(0))]).boxed());
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

struct Setup {
    readers: Vec<Arc<SharedExec>>,
    context: Arc<TaskContext>,
    pool: Arc<dyn MemoryPool>,
    executed: Arc<AtomicUsize>,
}

/// Returns readers of one plan of one partition.
fn setup(
    readers: usize,
    pool: Arc<dyn MemoryPool>,
    batches: impl futures::Stream<Item = Result<RecordBatch>> + Send + 'static,
) -> Setup {
    let executed = Arc::new(AtomicUsize::new(0));
    let partition = Partition {
        batches: Mutex::new(Some(batches.boxed())),
        schema: schema(),
        executed: executed.clone(),
    };
    let source = StreamingTableExec::try_new(schema(), vec![Arc::new(partition)], None, [], false, None);
    let shared = Arc::new(SharedPlan::new(1, Arc::new(source.expect("a plan"))).expect("statistics"));
    let readers = (0..readers).map(|_| Arc::new(SharedExec::new(shared.clone()))).collect();
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool.clone()).build_arc().expect("a runtime");
    let context = Arc::new(TaskContext::default().with_runtime(runtime));
    Setup { readers, context, pool, executed }
}

fn unlimited() -> Arc<dyn MemoryPool> {
    Arc::new(UnboundedMemoryPool::default())
}

fn numbers(count: i64) -> impl futures::Stream<Item = Result<RecordBatch>> + Send + 'static {
    stream::iter((0..count).map(|index| Ok(batch(index * ROWS))))
}

impl Setup {
    fn open(&self, reader: usize) -> SendableRecordBatchStream {
        self.readers[reader].execute(0, self.context.clone()).expect("a stream")
    }
}

fn values(batches: &[RecordBatch]) -> Vec<i64> {
    let of = |batch: &RecordBatch| batch.column(0).as_primitive::<Int64Type>().values().to_vec();
    batches.iter().flat_map(of).collect()
}

async fn all(rows: SendableRecordBatchStream) -> Vec<i64> {
    values(&rows.try_collect::<Vec<_>>().await.expect("rows"))
}

#[tokio::test]
async fn readers_in_step_keep_one_batch() {
    let setup = setup(3, unlimited(), numbers(50));
    let mut readers: Vec<_> = (0..3).map(|reader| setup.open(reader)).collect();
    for index in 0..50 {
        for reader in &mut readers {
            let batch = reader.next().await.expect("a batch").expect("no error");
            assert_eq!(values(&[batch])[0], index * ROWS);
        }
        assert_eq!(setup.pool.reserved(), 0, "every reader has passed batch {index}");
    }
    for reader in &mut readers {
        assert!(reader.next().await.is_none());
    }
    assert_eq!(setup.executed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_reader_may_end_before_another_starts() {
    let setup = setup(2, unlimited(), numbers(20));
    let first = all(setup.open(1)).await;
    assert!(setup.pool.reserved() > 0, "the other reader needs the rows");
    assert_eq!(all(setup.open(0)).await, first);
    assert_eq!(first, (0..20 * ROWS).collect::<Vec<_>>());
    assert_eq!((setup.pool.reserved(), setup.executed.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn rows_beyond_the_memory_go_to_disk() {
    for readers in [2, 3] {
        for lag in [0, 1, 7, 200] {
            let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(4 * 100 * 8));
            let setup = setup(readers, pool, numbers(200));
            let mut leader = setup.open(0);
            let mut followers: Vec<_> = (1..readers).map(|reader| (setup.open(reader), Vec::new())).collect();
            let mut led = Vec::new();
            while let Some(batch) = leader.next().await {
                led.push(batch.expect("no error"));
                for (follower, found) in &mut followers {
                    while led.len().saturating_sub(found.len()) > lag {
                        found.push(follower.next().await.expect("a batch").expect("no error"));
                    }
                }
            }
            for (follower, mut found) in followers {
                found.extend(follower.try_collect::<Vec<_>>().await.expect("rows"));
                assert_eq!(values(&found), values(&led), "a lag of {lag}");
            }
            assert_eq!(values(&led), (0..200 * ROWS).collect::<Vec<_>>());
            assert_eq!(setup.pool.reserved(), 0);
            let exec = setup.readers[0].showing_input().expect("nobody shows the input");
            let spilled = exec.metrics().and_then(|metrics| metrics.spilled_rows()).unwrap_or_default();
            assert_eq!(spilled > 0, lag > 4, "{spilled} rows for a lag of {lag}");
        }
    }
}

#[tokio::test]
async fn dropped_readers_need_no_rows() {
    let setup = setup(3, unlimited(), numbers(30));
    let mut first = setup.open(0);
    let mut second = setup.open(1);
    for _ in 0..10 {
        first.next().await.expect("a batch").expect("no error");
    }
    second.next().await.expect("a batch").expect("no error");
    let held = setup.pool.reserved();
    drop(second);
    assert_eq!(setup.pool.reserved(), held, "the third reader has not started");
    let Setup { mut readers, pool, executed, .. } = setup;
    drop(readers.pop());
    assert_eq!(pool.reserved(), 0, "the third reader never will");
    assert_eq!(values(&first.try_collect::<Vec<_>>().await.expect("rows")).len(), 20 * ROWS as usize);
    assert_eq!((pool.reserved(), executed.load(Ordering::SeqCst)), (0, 1));
}

#[tokio::test]
async fn all_readers_get_an_error_behind_the_rows_before_it() {
    let failing = numbers(3).chain(stream::iter([Err(exec_datafusion_err!("no more"))]));
    let setup = setup(2, unlimited(), failing);
    for reader in 0..2 {
        let found: Vec<Result<RecordBatch>> = setup.open(reader).collect().await;
        assert_eq!(found.iter().filter(|batch| batch.is_ok()).count(), 3);
        let error = found.into_iter().find_map(Result::err).expect("an error");
        assert!(matches!(error.find_root(), DataFusionError::Execution(what) if what == "no more"));
    }
}

#[tokio::test]
async fn a_reader_waits_though_the_one_that_asked_is_gone() {
    let (sender, batches) = mpsc::unbounded();
    let setup = setup(2, unlimited(), batches);
    let mut first = setup.open(0);
    let mut second = setup.open(1);
    assert!(poll!(first.next()).is_pending());
    let waiting = tokio::spawn(async move { second.next().await });
    tokio::task::yield_now().await;
    drop(first);
    sender.unbounded_send(Ok(batch(7))).expect("the plan listens");
    let found = waiting.await.expect("no panic").expect("a batch").expect("no error");
    assert_eq!(values(&[found])[0], 7);
}

#[tokio::test]
async fn a_reader_that_does_not_ask_again_holds_up_no_other() {
    let (sender, batches) = mpsc::unbounded();
    let setup = setup(2, unlimited(), batches);
    let mut idle = setup.open(0);
    let mut second = setup.open(1);
    let waiting = tokio::spawn(async move { second.next().await });
    tokio::task::yield_now().await;
    // the plan saw this one last
    assert!(poll!(idle.next()).is_pending());
    sender.unbounded_send(Ok(batch(7))).expect("the plan listens");
    waiting.await.expect("no panic").expect("a batch").expect("no error");
}

#[tokio::test]
async fn a_panic_of_the_plan_is_an_error_for_the_others() {
    let panics = stream::iter([0]).map(|_| -> Result<RecordBatch> { panic!("as this test wants") });
    let setup = setup(2, unlimited(), panics);
    let mut first = setup.open(0);
    let caught = std::panic::AssertUnwindSafe(first.next()).catch_unwind().await;
    assert!(caught.is_err());
    let error = setup.open(1).next().await.expect("an answer").expect_err("an error");
    assert!(error.to_string().contains("panicked"), "{error}");
}

#[tokio::test]
async fn a_plan_runs_again_for_itself() {
    let setup = setup(2, unlimited(), numbers(3));
    assert_eq!(all(setup.open(0)).await.len(), 3 * ROWS as usize);
    // the source has one batch in further executions
    assert_eq!(all(setup.open(0)).await.len(), ROWS as usize);
    let reset = setup.readers[0].clone().reset_state().expect("a plan");
    let rows = reset.execute(0, setup.context.clone()).expect("a stream");
    assert_eq!(all(rows).await.len(), ROWS as usize);
    assert_eq!(all(setup.open(1)).await.len(), 3 * ROWS as usize);
    assert_eq!(setup.executed.load(Ordering::SeqCst), 3);
}
