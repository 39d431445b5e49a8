//! Scans that execute a partition more than once.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow::array::{AsArray, Int64Array, RecordBatch};
use arrow::datatypes::Int64Type;
use datafusion::common::Statistics;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{DynamicFilterPhysicalExpr, binary, col, lit};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::future::join_all;
use futures::{FutureExt, StreamExt, TryStreamExt};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use pelton_bitpack::Kernels;
use pelton_job::Router;
use tempfile::TempDir;

use crate::error::Error;
use crate::plan::{Session, SessionOptions};
use crate::scan::{PeltonSource, ScanContext};
use crate::table::{PeltonTable, TableFiles};

const PARTITIONS: usize = 4;

/// Writes two files of these rows, in row groups of a hundred.
const ROWS: i64 = 4_000;

fn context() -> ScanContext {
    let (router, kernels) = (Router::builder().build(), Some(Kernels::detect()));
    ScanContext { kernels, ..ScanContext::in_tests(router) }
}

/// Returns a column `x` that counts from 0.
struct Table {
    _folder: TempDir,
    files: Arc<TableFiles>,
}

impl Table {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut names = Vec::new();
        for number in 0..2 {
            let path = folder.path().join(format!("{number}.parquet"));
            let values = Int64Array::from_iter_values(number * ROWS / 2..(number + 1) * ROWS / 2);
            let batch = RecordBatch::try_from_iter([("x", Arc::new(values) as _)]).expect("a column");
            let file = std::fs::File::create(&path).expect("a new file");
            let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
            writer.write(&batch).expect("it is written");
            writer.close().expect("it is written");
            names.push(path.to_str().expect("a plain name").to_owned());
        }
        let table = PeltonTable::open(&names, context()).await.expect("two good files");
        Self { _folder: folder, files: table.files().clone() }
    }

    fn source(&self) -> PeltonSource {
        let unknown = Statistics::new_unknown(&self.files.schema);
        PeltonSource::new(self.files.clone(), unknown, context(), vec![0], PARTITIONS).expect("a scan")
    }

    fn scan(&self) -> Arc<dyn ExecutionPlan> {
        DataSourceExec::from_data_source(self.source())
    }

    /// Returns a scan with a dynamic filter that passes all rows so far.
    fn filtered(&self) -> (PeltonSource, Arc<DynamicFilterPhysicalExpr>) {
        let x = col("x", &self.files.schema).expect("it is there");
        let filter = Arc::new(DynamicFilterPhysicalExpr::new(vec![x], lit(true)));
        (self.source().with_predicates(vec![filter.clone()]), filter)
    }

    fn below(&self, bound: i64) -> Arc<dyn PhysicalExpr> {
        let x = col("x", &self.files.schema).expect("it is there");
        binary(x, Operator::Lt, lit(bound), &self.files.schema).expect("numbers compare")
    }
}

fn open(plan: &Arc<dyn ExecutionPlan>, partition: usize) -> SendableRecordBatchStream {
    plan.execute(partition, Arc::new(TaskContext::default())).expect("it starts")
}

fn values(batch: &RecordBatch) -> Vec<i64> {
    batch.column(0).as_primitive::<Int64Type>().values().to_vec()
}

async fn drain(stream: SendableRecordBatchStream) -> Vec<i64> {
    let batches: Vec<RecordBatch> = stream.try_collect().await.expect("good files");
    batches.iter().flat_map(values).collect()
}

/// The rows of each partition, in the order that they come in.
async fn run(plan: &Arc<dyn ExecutionPlan>) -> Vec<Vec<i64>> {
    join_all((0..PARTITIONS).map(|partition| drain(open(plan, partition)))).await
}

/// Checks that every row is in exactly one partition.
fn check(partitions: &[Vec<i64>]) {
    let mut all = partitions.concat();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..ROWS), "{} rows", all.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_partitions_have_the_same_rows_each_time() {
    let table = Table::new().await;
    let plan = table.scan();
    let first = run(&plan).await;
    check(&first);
    for _ in 0..2 {
        assert_eq!(run(&plan).await, first);
    }
    // another plan's scan has a queue of its own
    let reset = plan.clone().reset_state().expect("a scan has no children");
    check(&run(&reset).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_partition_may_run_again_before_the_others_run_at_all() {
    let table = Table::new().await;
    let plan = table.scan();
    // the first partition to ask takes a few windows, and is dropped
    let mut begun = open(&plan, 2);
    let some = values(&begun.next().await.expect("rows").expect("good files"));
    drop(begun);
    let again = drain(open(&plan, 2)).await;
    assert!(again.starts_with(&some) && again.len() > some.len());
    assert_eq!(again, drain(open(&plan, 2)).await);
    let others = join_all([0, 1, 3].map(|partition| drain(open(&plan, partition)))).await;
    check(&[again, others.concat()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn executions_of_one_partition_may_take_turns() {
    let table = Table::new().await;
    let plan = table.scan();
    let mut streams = [open(&plan, 0), open(&plan, 1), open(&plan, 0), open(&plan, 0)];
    let mut rows = [const { Vec::new() }; 4];
    let mut ended = HashSet::new();
    for turn in 0.. {
        // the last is behind, and begins again when it has had some rows
        let number = [0, 1, 2, 0, 3, 2, 1][turn % 7];
        if turn == 40 {
            (streams[3], rows[3]) = (open(&plan, 0), Vec::new());
        }
        match streams[number].next().await {
            Some(batch) => rows[number].extend(values(&batch.expect("good files"))),
            None => _ = ended.insert(number),
        }
        if ended.len() == streams.len() {
            break;
        }
    }
    check(&rows[..2]);
    assert_eq!((&rows[0], &rows[0]), (&rows[2], &rows[3]));
}

#[tokio::test(flavor = "multi_thread")]
async fn executions_that_were_dropped_take_no_rows_away() {
    let table = Table::new().await;
    let plan = table.scan();
    for _ in 0..3 {
        let mut streams: Vec<_> = (0..PARTITIONS).map(|partition| open(&plan, partition)).collect();
        for stream in &mut streams {
            stream.next().await.expect("rows").expect("good files");
        }
    }
    let all = run(&plan).await;
    check(&all);
    assert_eq!(run(&plan).await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_execution_learnt_does_not_filter_the_next() {
    let table = Table::new().await;
    let (source, filter) = table.filtered();
    let plan: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(source);
    // a row group in the middle of the second file is cut by the bound
    filter.update(table.below(3_050)).expect("a bound");
    let mut first = run(&plan).await.concat();
    first.sort_unstable();
    assert!(first.iter().copied().eq(0..3_050));
    let second = run(&plan).await;
    check(&second);
    // nothing passes any more, except in executions without the filter
    filter.update(lit(false)).expect("a condition");
    assert_eq!(run(&plan).await, second);
}

#[tokio::test(flavor = "multi_thread")]
async fn lasting_conditions_hold_in_every_execution() {
    let table = Table::new().await;
    let (source, filter) = table.filtered();
    let plan = source.with_predicates(vec![table.below(2_345)]);
    let plan: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(plan);
    filter.update(table.below(1_000)).expect("a bound");
    for bound in [1_000, 2_345, 2_345] {
        let mut rows = run(&plan).await.concat();
        rows.sort_unstable();
        assert!(rows.iter().copied().eq(0..bound), "{bound}: {} rows", rows.len());
    }
}

/// The filter's join was dropped with the first execution.
#[tokio::test(flavor = "multi_thread")]
async fn later_executions_wait_for_no_join() {
    let table = Table::new().await;
    let (source, filter) = table.filtered();
    let ids = filter.expression_id().into_iter().collect();
    let plan: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(source.awaiting(&ids));
    let mut waiting = open(&plan, 0);
    assert!(waiting.next().now_or_never().is_none(), "nobody has said what the filter is");
    drop(waiting);
    check(&[drain(open(&plan, 0)).await]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_has_the_same_rows_each_time() {
    let table = Table::new().await;
    let plan: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(table.source().with_limit(Some(250)));
    let first = run(&plan).await;
    assert!(first.iter().all(|rows| rows.len() <= 250) && first.concat().len() >= 250);
    assert_eq!(run(&plan).await, first);
}

/// Runs its child several times for each partition and returns the rows of the last run. Earlier
/// runs are dropped after their first batch, or run to their end, in turn.
#[derive(Debug)]
struct Repeat {
    input: Arc<dyn ExecutionPlan>,
    times: usize,
}

impl DisplayAs for Repeat {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Repeat: {}", self.times)
    }
}

impl ExecutionPlan for Repeat {
    fn name(&self) -> &str {
        "Repeat"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { input: children.remove(0), times: self.times }))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { input: children.remove(0), times: self.times }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let (input, times, schema) = (self.input.clone(), self.times, self.input.schema());
        let last = async move {
            for time in 1..times {
                let mut rows = input.execute(partition, context.clone())?;
                while let Some(batch) = rows.next().await.transpose()? {
                    if time % 2 == 1 && batch.num_rows() > 0 {
                        break;
                    }
                }
            }
            input.execute(partition, context)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, last.into_stream().try_flatten())))
    }
}

fn repeated(plan: Arc<dyn ExecutionPlan>, times: usize) -> Arc<dyn ExecutionPlan> {
    let above = |node: Arc<dyn ExecutionPlan>| {
        Ok(match node.downcast_ref::<DataSourceExec>() {
            Some(_) => Transformed::yes(Arc::new(Repeat { input: node, times }) as Arc<dyn ExecutionPlan>),
            None => Transformed::no(node),
        })
    };
    plan.transform_up(above).expect("nodes take new children").data
}

const QUERIES: [&str; 12] = [
    "SELECT count(*), sum(x), min(x), max(x) FROM t",
    "SELECT count(*), sum(x) FROM t WHERE x % 3 = 0 AND x > 1234",
    "SELECT x FROM t ORDER BY x DESC LIMIT 7",
    "SELECT x % 7 AS k, count(*) FROM t GROUP BY k ORDER BY k",
    "SELECT count(*) FROM t a JOIN t b ON a.x = b.x + 1 WHERE a.x < 3000 AND b.x > 20",
    "SELECT count(*), count(b.x) FROM t a LEFT JOIN t b ON a.x = 2 * b.x",
    "SELECT count(*) FROM t a JOIN t b ON a.x < b.x - 3980",
    "SELECT count(*) FROM t a WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.x > a.x + 10)",
    "SELECT count(*) FROM t a CROSS JOIN t b WHERE a.x < 3 AND b.x < 5",
    "SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY x % 5 ORDER BY x) AS r FROM t)",
    "SELECT count(*) FROM (SELECT x FROM t UNION ALL SELECT x + 1 FROM t)",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT r.n + 1 FROM r JOIN t ON t.x = r.n WHERE r.n < 40) \
     SELECT count(*), sum(n) FROM r",
];

#[tokio::test(flavor = "multi_thread")]
async fn queries_have_the_same_rows_however_often_scans_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.parquet");
    let values = Int64Array::from_iter_values(0..ROWS);
    let batch = RecordBatch::try_from_iter([("x", Arc::new(values) as _)]).expect("a column");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(100)).build();
    let file = std::fs::File::create(&path).expect("a new file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("it is written");
    writer.close().expect("it is written");
    for threads in [1, 4] {
        let options = SessionOptions { threads, memory_limit: None, scan: context(), accelerator: None };
        let session = Session::new(options).expect("a session");
        session.register("t", &[path.to_str().expect("a plain name")]).await.expect("a good file");
        for sql in QUERIES {
            let mut answers = Vec::new();
            for times in 1..=3 {
                let plan = session.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
                let rows = session.run(repeated(plan, times)).expect("it starts");
                let batches: Result<Vec<RecordBatch>, Error> = rows.map_err(Error::from).try_collect().await;
                let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}"));
                let answer = arrow::util::pretty::pretty_format_batches(&batches).expect("text");
                answers.push(answer.to_string());
            }
            assert!(answers.iter().all(|answer| answer == &answers[0]), "{sql}, {threads}: {answers:?}");
        }
    }
}
