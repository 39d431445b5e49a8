//! Operator of semi and anti joins by a set of keys.

use std::fmt;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::BatchCoalescer;
use datafusion::common::JoinType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt, stream};

use super::super::{BuildSide, BuiltKeys, KeyedJoin};
use crate::scan::NO_KEY;

/// Name of the operator.
const NAME: &str = "SetJoinExec";

/// Rows of a join that are kept: of one side, with or without a match on the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    of_build_side: bool,
    with_match: bool,
}

impl Kept {
    /// Returns the rows that a semi or anti join keeps; `None` for other joins.
    pub fn of(join_type: JoinType) -> Option<Self> {
        let (of_build_side, with_match) = match join_type {
            JoinType::LeftSemi => (true, true),
            JoinType::LeftAnti => (true, false),
            JoinType::RightSemi => (false, true),
            JoinType::RightAnti => (false, false),
            _ => return None,
        };
        Some(Self { of_build_side, with_match })
    }
}

/// Rows of one side of a join that have, or have not, a key of the other side.
pub(super) struct SetJoinExec {
    join: KeyedJoin,
    kept: Kept,
    /// Columns of the rows that are kept.
    columns: Vec<usize>,
    build_side: BuildSide,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl SetJoinExec {
    /// Returns the operator for a join with these columns of the rows that are kept.
    pub fn new(join: KeyedJoin, kept: Kept, columns: Vec<usize>, properties: Arc<PlanProperties>) -> Self {
        let (build_side, metrics) = (BuildSide::default(), ExecutionPlanMetricsSet::new());
        Self { join, kept, columns, build_side, properties, metrics }
    }

    /// Returns the operator over another join.
    fn over(&self, join: KeyedJoin) -> Self {
        Self::new(join, self.kept, self.columns.clone(), self.properties.clone())
    }
}

impl fmt::Debug for SetJoinExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(NAME).field("join", &self.join).finish_non_exhaustive()
    }
}

impl DisplayAs for SetJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, (build, probe)) = (self.join.join_type, &self.join.on);
        match form {
            DisplayFormatType::TreeRender => write!(f, "join_type={kind}\non={build} = {probe}"),
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "{NAME}: join_type={kind}, on=[({build}, {probe})]")
            }
        }
    }
}

impl ExecutionPlan for SetJoinExec {
    fn name(&self) -> &str {
        NAME
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.join.children()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition, Distribution::UnspecifiedDistribution]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false, false]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false, !self.kept.of_build_side]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        f(&self.join.on.0)?.visit_sibling(|| f(&self.join.on.1))
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(self.join.with_children(children))))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.over(self.join.again())))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Kept { of_build_side, with_match } = self.kept;
        let fields = self.join.left.schema();
        let column =
            |&at: &usize| Arc::new(Column::new(fields.field(at).name(), at)) as Arc<dyn PhysicalExpr>;
        let columns = if of_build_side { self.columns.iter().map(column).collect() } else { Vec::new() };
        let built = self.build_side.collected(&self.join, columns, of_build_side, &self.metrics, &context)?;
        let lookups = Lookups {
            rows: self.join.right.execute(partition, context.clone())?,
            key: self.join.on.1.clone(),
            found: Vec::new(),
            looked_up: MetricBuilder::new(&self.metrics).counter("rows_looked_up", partition),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let (schema, columns) = (self.schema(), self.columns.clone());
        let batch_size = context.session_config().batch_size().max(1);
        let batches = async move {
            let built = built.await.map_err(|error| DataFusionError::from(&error))?;
            Ok::<_, DataFusionError>(match of_build_side {
                true => {
                    let metrics = lookups.metrics.clone();
                    let rows = lookups.build_rows(&built, with_match).await?;
                    let batches: Vec<Vec<u32>> = rows.chunks(batch_size).map(<[u32]>::to_vec).collect();
                    let batches = batches.into_iter().map(move |rows| {
                        let _timer = metrics.elapsed_compute().timer();
                        let batch = built.rows(rows, &schema)?;
                        Ok(batch.record_output(&metrics))
                    });
                    stream::iter(batches).boxed()
                }
                false => {
                    let coalescer = BatchCoalescer::new(schema, batch_size);
                    lookups.probe_rows(built, with_match, columns, coalescer).boxed()
                }
            })
        };
        let batches = stream::once(batches).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The rows of a partition of the probe side, as they are looked up.
struct Lookups {
    rows: SendableRecordBatchStream,
    key: Arc<dyn PhysicalExpr>,
    /// Numbers of the keys of a batch.
    found: Vec<u32>,
    looked_up: Count,
    metrics: BaselineMetrics,
}

impl Lookups {
    /// Looks the rows of a batch up.
    fn find(&mut self, batch: &RecordBatch, built: &BuiltKeys) -> Result<()> {
        self.looked_up.add(batch.num_rows());
        let keys = self.key.evaluate(batch)?.into_array(batch.num_rows())?;
        built.table.find(&keys, &mut self.found)
    }

    /// Returns the rows of the build side that are kept, on the last partition.
    async fn build_rows(mut self, built: &BuiltKeys, with_match: bool) -> Result<Vec<u32>> {
        let mut seen = built.no_keys();
        while let Some(batch) = self.rows.try_next().await? {
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            self.find(&batch, built)?;
            self.found.iter().filter(|&&key| key != NO_KEY).for_each(|&key| seen.insert(key));
        }
        Ok(built.matches.as_ref().map(|matches| matches.end(&seen, with_match)).unwrap_or_default())
    }

    /// Returns the rows of the probe side that are kept.
    fn probe_rows(
        self,
        built: Arc<BuiltKeys>,
        with_match: bool,
        columns: Vec<usize>,
        coalescer: BatchCoalescer,
    ) -> impl stream::Stream<Item = Result<RecordBatch>> {
        stream::try_unfold((self, coalescer, false), move |(mut lookups, mut coalescer, mut has_ended)| {
            let (built, columns) = (built.clone(), columns.clone());
            async move {
                loop {
                    if let Some(batch) = coalescer.next_completed_batch() {
                        let batch = batch.record_output(&lookups.metrics);
                        return Ok(Some((batch, (lookups, coalescer, has_ended))));
                    }
                    if has_ended {
                        return Ok(None);
                    }
                    let batch = lookups.rows.try_next().await?;
                    let compute = lookups.metrics.elapsed_compute().clone();
                    let _timer = compute.timer();
                    match batch {
                        Some(batch) => {
                            lookups.find(&batch, &built)?;
                            let found = lookups.found.iter();
                            let kept: BooleanArray =
                                found.map(|&key| Some((key != NO_KEY) == with_match)).collect();
                            coalescer.push_batch_with_filter(batch.project(&columns)?, &kept)?;
                        }
                        None => {
                            has_ended = true;
                            coalescer.finish_buffered_batch()?;
                        }
                    }
                }
            }
        })
    }
}
