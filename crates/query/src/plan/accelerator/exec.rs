//! Operator for an accelerated part of a plan.

use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr::{EquivalenceProperties, LexOrdering, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions, SchedulingType, reset_plan_states,
};
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::StreamExt;
use pelton_pages::ScanCounters;

use super::cpu_fallback::{self, Replaceable};
use super::report::Notes;
use crate::floats::canonical_batch;
use crate::plan::accelerator::{AcceleratedNode, AcceleratedPlan, Accelerator};

/// Runs the accelerator's plan, and the CPU's if that fails. Neither is a child: the rules have
/// optimised both, and rules for the surrounding plan would change one without the other.
#[derive(Debug)]
pub(in crate::plan) struct AcceleratedExec {
    accelerator: String,
    title: String,
    /// The accelerator's plan of the node, or the reason why there is none.
    device: Result<AcceleratedPlan, String>,
    /// With one partition, and in order if the subtree sorts.
    cpu: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    notes: Notes,
}

impl AcceleratedExec {
    pub fn new(
        accelerator: &Arc<dyn Accelerator>,
        node: &AcceleratedNode,
        cpu: Arc<dyn ExecutionPlan>,
    ) -> Self {
        let device = accelerator.physical(node, &cpu).map_err(|error| cpu_fallback::reason(&error));
        let ordering = cpu.output_ordering().filter(|_| sorts(&node.cpu)).cloned();
        let schema = cpu.schema();
        let equivalences = match &ordering {
            Some(ordering) => EquivalenceProperties::new_with_orderings(schema, [ordering.clone()]),
            None => EquivalenceProperties::new(schema),
        };
        let cpu: Arc<dyn ExecutionPlan> = match (cpu.output_partitioning().partition_count(), ordering) {
            (1, _) => cpu,
            (_, Some(ordering)) => Arc::new(SortPreservingMergeExec::new(ordering, cpu)),
            (_, None) => Arc::new(CoalescePartitionsExec::new(cpu)),
        };
        let partitioning = Partitioning::UnknownPartitioning(1);
        let (emission, bounded) = (EmissionType::Final, Boundedness::Bounded);
        let properties = PlanProperties::new(equivalences, partitioning, emission, bounded)
            .with_scheduling_type(SchedulingType::Cooperative);
        Self {
            accelerator: node.accelerator.clone(),
            title: node.title.clone(),
            device,
            cpu,
            properties: Arc::new(properties),
            notes: Notes::default(),
        }
    }

    /// Returns the order of the rows that the query asks for.
    pub fn ordering(&self) -> Option<&LexOrdering> {
        self.properties.output_ordering()
    }

    /// Returns the plan that runs if the accelerator fails.
    pub fn cpu(&self) -> &Arc<dyn ExecutionPlan> {
        &self.cpu
    }

    /// Returns the counters of the accelerator's own scans.
    pub fn counters(&self) -> &[Arc<ScanCounters>] {
        self.device.as_ref().map_or(&[], |device| &device.counters)
    }

    pub fn notes(&self) -> &Notes {
        &self.notes
    }
}

/// Returns whether the query asks for an order of a subtree's rows.
fn sorts(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Sort(_) => true,
        LogicalPlan::Projection(projection) => sorts(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => sorts(&alias.input),
        LogicalPlan::Limit(limit) => sorts(&limit.input),
        _ => false,
    }
}

impl DisplayAs for AcceleratedExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match form {
            DisplayFormatType::TreeRender => writeln!(f, "{}", self.title)?,
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "AcceleratedExec: {}, {}", self.accelerator, self.title)?;
            }
        }
        match &self.device {
            Ok(_) => Ok(()),
            Err(why) => write!(f, ", on the CPU: {why}"),
        }
    }
}

impl ExecutionPlan for AcceleratedExec {
    fn name(&self) -> &str {
        "AcceleratedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        if partition != 0 {
            let what = format!("an accelerated part has one partition, and {partition} was asked for");
            return Err(DataFusionError::Internal(what));
        }
        let device = self.device.as_ref().map(|device| device.plan.clone()).map_err(Clone::clone);
        let parts = Replaceable {
            accelerator: self.accelerator.clone(),
            device,
            cpu: self.cpu.clone(),
            notes: self.notes.clone(),
        };
        // file columns may hold NaNs of any bit pattern
        let rows = parts.run(context);
        let canonical = rows.map(|batch| Ok(canonical_batch(&batch?)?));
        Ok(make_cooperative(Box::pin(RecordBatchStreamAdapter::new(self.schema(), canonical))))
    }

    /// Neither plan is a child, so DataFusion resets neither.
    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let device = match &self.device {
            Ok(device) => Ok(AcceleratedPlan {
                plan: reset_plan_states(device.plan.clone())?,
                counters: device.counters.clone(),
            }),
            Err(why) => Err(why.clone()),
        };
        Ok(Arc::new(Self {
            accelerator: self.accelerator.clone(),
            title: self.title.clone(),
            device,
            cpu: reset_plan_states(self.cpu.clone())?,
            properties: self.properties.clone(),
            notes: self.notes.clone(),
        }))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.device.as_ref().ok().and_then(|device| device.plan.metrics())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        StatisticsContext::new().compute(self.cpu.as_ref(), &StatisticsArgs::new())
    }
}
