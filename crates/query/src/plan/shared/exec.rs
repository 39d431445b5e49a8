//! Operator that reads the rows of a shared plan.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

use super::plan::{Place, SharedPlan};
use super::reader::Reader;
use crate::plan::fresh::fresh;

/// Reads the rows of a [`SharedPlan`].
///
/// It has no input while a plan is optimised, so that no rule moves conditions or sorts of one
/// reader into the plan of all. The finished plan shows the input at one of the readers.
#[derive(Debug, Clone)]
pub(in crate::plan) struct SharedExec {
    place: Arc<Place>,
    shows_input: bool,
    metrics: ExecutionPlanMetricsSet,
}

impl SharedExec {
    /// Returns a further reader of a plan.
    pub fn new(shared: Arc<SharedPlan>) -> Self {
        Self { place: shared.with_reader(), shows_input: false, metrics: ExecutionPlanMetricsSet::new() }
    }

    /// Returns the operator with its input, if no other one shows it.
    pub(super) fn showing_input(&self) -> Option<Self> {
        self.shared().show().then(|| Self { shows_input: true, ..self.clone() })
    }

    fn shared(&self) -> &SharedPlan {
        &self.place.shared
    }

    /// Returns the only reader of another plan.
    fn alone(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let alone = Self::new(Arc::new(SharedPlan::new(self.shared().number, plan)?));
        Ok(Arc::new(Self { shows_input: self.shows_input, ..alone }))
    }
}

impl DisplayAs for SharedExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.shared().number;
        match form {
            DisplayFormatType::TreeRender => write!(f, "subplan={number}"),
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                let (reader, readers) = (self.place.number() + 1, self.shared().readers());
                write!(f, "SharedExec: subplan={number}, reader={reader} of {readers}")
            }
        }
    }
}

impl ExecutionPlan for SharedExec {
    fn name(&self) -> &str {
        "SharedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.shared().properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        if self.shows_input { vec![&self.shared().plan] } else { Vec::new() }
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(other) if !Arc::ptr_eq(&other, &self.shared().plan) => self.alone(other),
            _ => Ok(self),
        }
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    /// Returns a reader that shares nothing: only one of them may run again.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.shared().plan.clone();
        match self.shows_input {
            // reset already
            true => self.alone(plan),
            false => self.alone(fresh(&plan)?),
        }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let shared = self.shared();
        let Some(channel) = shared.open(self.place.number(), partition, &context)? else {
            // the same partition again
            return fresh(&shared.plan)?.execute(partition, context);
        };
        shared.count("reads", partition).add(1);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        Ok(Box::pin(Reader::new(channel, self.place.clone(), self.schema(), metrics)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut metrics = self.metrics.clone_inner();
        if self.shows_input {
            self.shared().metrics().iter().for_each(|metric| metrics.push(metric.clone()));
        }
        Some(metrics)
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        arguments: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(match arguments.partition() {
            Some(_) => Arc::new(Statistics::new_unknown(&self.schema())),
            None => self.shared().statistics.clone(),
        })
    }
}
