//! Left side of a nested loop join, with control over its second execution.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

use crate::error::wrap;
use crate::plan::fresh::fresh;
use crate::plan::memory;

/// Answer to the second execution, which a join starts when its left side does not fit in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Executes a fresh copy of the plan.
    Fresh,
    /// Fails, since the join would return wrong rows.
    Refused,
}

/// Passes the rows of a plan on in the first execution, and handles the second by [`Again`].
#[derive(Debug)]
pub(super) struct BuildSideExec {
    input: Arc<dyn ExecutionPlan>,
    again: Again,
    begun: AtomicBool,
    refused: AtomicBool,
}

impl BuildSideExec {
    pub fn new(input: Arc<dyn ExecutionPlan>, again: Again) -> Self {
        Self { input, again, begun: AtomicBool::new(false), refused: AtomicBool::new(false) }
    }

    pub fn input(&self) -> &Arc<dyn ExecutionPlan> {
        &self.input
    }

    /// Returns whether a second execution, for a join from disk, was refused.
    pub fn is_refused(&self) -> bool {
        self.refused.load(SeqCst)
    }
}

impl DisplayAs for BuildSideExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match form {
            DisplayFormatType::TreeRender => Ok(()),
            DisplayFormatType::Default | DisplayFormatType::Verbose => write!(f, "BuildSideExec"),
        }
    }
}

impl ExecutionPlan for BuildSideExec {
    fn name(&self) -> &str {
        "BuildSideExec"
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

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children.remove(0), self.again)))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(children.remove(0), self.again)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        if !self.begun.swap(true, SeqCst) {
            return self.input.execute(partition, context);
        }
        match self.again {
            Again::Fresh => fresh(&self.input)?.execute(partition, context),
            Again::Refused => {
                self.refused.store(true, SeqCst);
                Err(wrap(memory::does_not_fit(
                    "the left side of a join without equal keys",
                    context.memory_pool(),
                )))
            }
        }
    }
}
