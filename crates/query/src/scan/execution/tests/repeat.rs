//! Queries whose scans are below an operator that runs its child more than once.

use std::fmt;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, PlanProperties};

use super::*;
use crate::error::Error;
use crate::plan::{Session, SessionOptions};

/// Runs its child so many times for each partition, and has the rows of the last one. Earlier ones
/// are dropped after their first batch, or run to their end, by turns.
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
