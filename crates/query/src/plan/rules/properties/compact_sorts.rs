//! Sorts that emit batches with texts of their own.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use crate::compact::{compact, has_views};
use crate::tree::Tree;

/// Copies the texts of batches before and after a sort, under a memory limit.
///
/// Batches of a scan have views into the texts of a whole range of rows, and a sort counts these
/// for each of them: it would go to disk after a few batches, and find no memory to merge them.
///
/// A batch of a sort that went to disk has rows of all its runs, and its views keep the texts of a
/// batch of each. An operator that counts the memory of its input finds too little for one batch
/// (the merge of the sorts of several threads), and one that does not count holds several times the
/// limit.
#[derive(Debug, Clone)]
pub(in crate::plan) struct CompactSorts {
    /// There is a memory limit.
    pub is_on: bool,
}

impl PhysicalOptimizerRule for CompactSorts {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !self.is_on {
            return Ok(plan);
        }
        plan.transform_up(|node| {
            let sort = node.downcast_ref::<SortExec>().filter(|_| has_views(&node.schema()));
            let Some(sort) = sort else { return Ok(Transformed::no(node)) };
            let input = match sort.fetch() {
                // it copies the few rows that it keeps
                Some(_) => node,
                None => {
                    let compact = Arc::new(CompactExec { input: sort.input().clone() });
                    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
                    node.replace_children(vec![compact], options)?
                }
            };
            Ok(Transformed::yes(Arc::new(CompactExec { input }) as Arc<dyn ExecutionPlan>))
        })
        .data()
    }

    fn name(&self) -> &str {
        "compact_sorts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The rows of its input, each batch with texts of its own.
#[derive(Debug, Clone)]
struct CompactExec {
    input: Arc<dyn ExecutionPlan>,
}

impl CompactExec {
    fn over(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { input: children.pop().unwrap_or_else(|| self.input.clone()) })
    }
}

impl DisplayAs for CompactExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CompactExec")
    }
}

impl ExecutionPlan for CompactExec {
    fn name(&self) -> &str {
        "CompactExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.over(children))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.over(children))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batches = self.input.execute(partition, context)?;
        let batches = batches.map(|batch| Ok(compact(&batch?)?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }
}

#[cfg(test)]
mod tests;
