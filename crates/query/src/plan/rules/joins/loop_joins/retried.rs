//! Retry of a nested loop join in another form when memory runs out.

use std::fmt;
use std::sync::Arc;

use datafusion::common::JoinType;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::joins::NestedLoopJoinExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, TryStreamExt, stream};

use super::build_side::{Again, BuildSideExec};
use super::with_sides;
use crate::plan::fresh::fresh;

/// Runs a join that fails if its left side does not fit in memory, and then, in its first
/// partition, a join of the same rows that may spill. The other partitions have no rows then. The
/// failure comes before the first row.
#[derive(Debug)]
pub(super) struct RetriedJoinExec {
    join: Arc<dyn ExecutionPlan>,
}

impl RetriedJoinExec {
    /// # Errors
    /// The plan is no nested loop join with a [`BuildSideExec`] on its left side.
    pub fn new(join: Arc<dyn ExecutionPlan>) -> DataFusionResult<Self> {
        sides(&join)?;
        Ok(Self { join })
    }
}

/// Returns the join, and its left side.
fn sides(join: &Arc<dyn ExecutionPlan>) -> DataFusionResult<(&NestedLoopJoinExec, &BuildSideExec)> {
    let join = join.downcast_ref::<NestedLoopJoinExec>();
    let sides = join.and_then(|join| Some((join, join.left().downcast_ref::<BuildSideExec>()?)));
    sides.ok_or_else(|| DataFusionError::Internal("a rule changed a join that may be retried".to_owned()))
}

/// Returns a join with the same rows in one partition, for which DataFusion's result is right if it
/// does not fit in memory.
fn in_one_partition(
    join: &NestedLoopJoinExec,
    left: &BuildSideExec,
) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
    let left = fresh(left.input())?;
    let mut right = fresh(join.right())?;
    if right.output_partitioning().partition_count() > 1 {
        right = Arc::new(CoalescePartitionsExec::new(right));
    }
    let build_side = |input| Arc::new(BuildSideExec::new(input, Again::Fresh));
    match join.join_type() {
        JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
            with_sides(join, left, build_side(right))?.swap_inputs()
        }
        _ => Ok(Arc::new(with_sides(join, build_side(left), right)?)),
    }
}

impl DisplayAs for RetriedJoinExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match form {
            DisplayFormatType::TreeRender => Ok(()),
            DisplayFormatType::Default | DisplayFormatType::Verbose => write!(f, "RetriedJoinExec"),
        }
    }
}

impl ExecutionPlan for RetriedJoinExec {
    fn name(&self) -> &str {
        "RetriedJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.join.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.join]
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
        Ok(Arc::new(Self::new(children.remove(0))?))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children.remove(0))?))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let join = self.join.clone();
        let schema = self.schema();
        let mut rows = join.execute(partition, context.clone())?;
        let start = async move {
            let first = rows.next().await;
            let (plan, left) = sides(&join)?;
            if matches!(first, Some(Err(_))) && left.is_refused() {
                drop(rows);
                return match partition {
                    0 => in_one_partition(plan, left)?.execute(0, context),
                    _ => Ok(Box::pin(RecordBatchStreamAdapter::new(plan.schema(), stream::empty()))
                        as SendableRecordBatchStream),
                };
            }
            let schema = rows.schema();
            let rows = stream::iter(first).chain(rows);
            Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)) as SendableRecordBatchStream)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::once(start).try_flatten())))
    }
}
