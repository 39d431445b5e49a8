//! Operator that runs the ranges of its input one after the other in each of its partitions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};
use parking_lot::Mutex;

/// The rows of an input with many partitions, in one partition for each thread.
///
/// A thread takes the next partition of the input when it has read the one before. A partition that
/// is executed again reads the same ones.
#[derive(Debug)]
pub(super) struct KeyRangesExec {
    input: Arc<dyn ExecutionPlan>,
    given: Arc<Mutex<Given>>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// Partitions of the input that were given away.
#[derive(Debug, Default)]
struct Given {
    /// The first one that was not.
    next: usize,
    /// Those of each partition, in order.
    log: BTreeMap<usize, Vec<usize>>,
}

impl Given {
    /// Returns the partition of the input that stands at `position` in the log of a partition. A
    /// new one of `all` is given to it at the end of the log.
    fn at(&mut self, partition: usize, position: usize, all: usize) -> Option<usize> {
        let log = self.log.entry(partition).or_default();
        if position == log.len() && self.next < all {
            log.push(self.next);
            self.next += 1;
        }
        log.get(position).copied()
    }
}

impl KeyRangesExec {
    /// Returns an operator that reads all partitions of `input`, in `partitions` of its own.
    pub fn new(input: Arc<dyn ExecutionPlan>, partitions: usize) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(partitions),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        let (given, properties) = (Arc::default(), Arc::new(properties));
        Self { input, given, properties, metrics: ExecutionPlanMetricsSet::new() }
    }

    fn ranges(&self) -> usize {
        self.input.output_partitioning().partition_count()
    }
}

impl DisplayAs for KeyRangesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRangesExec: ranges={}", self.ranges())
    }
}

impl ExecutionPlan for KeyRangesExec {
    fn name(&self) -> &str {
        "KeyRangesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
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
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self::new(input, self.properties.output_partitioning().partition_count())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let running = Running {
            input: self.input.clone(),
            given: self.given.clone(),
            partition,
            position: 0,
            all: self.ranges(),
            current: None,
            context,
            metrics: BaselineMetrics::new(&self.metrics, partition),
            ranges: MetricBuilder::new(&self.metrics).counter("ranges", partition),
        };
        let batches = stream::try_unfold(running, |mut running| async move {
            loop {
                if let Some(current) = &mut running.current {
                    if let Some(batch) = current.next().await.transpose()? {
                        return Ok(Some((batch.record_output(&running.metrics), running)));
                    }
                    running.current = None;
                }
                if !running.start()? {
                    return Ok(None);
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        match partition {
            None => vec![ChildStats::At(None)],
            // which ones it reads is decided while it runs
            Some(_) => vec![ChildStats::Skip],
        }
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        Ok(match (args.partition(), inputs) {
            (None, [all]) => all.clone(),
            _ => Arc::new(Statistics::new_unknown(&self.schema())),
        })
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}

/// State of a partition.
struct Running {
    input: Arc<dyn ExecutionPlan>,
    given: Arc<Mutex<Given>>,
    partition: usize,
    /// Ranges that were started.
    position: usize,
    /// Ranges of all partitions together.
    all: usize,
    current: Option<SendableRecordBatchStream>,
    context: Arc<TaskContext>,
    metrics: BaselineMetrics,
    ranges: Count,
}

impl Running {
    /// Starts the next range. Returns false at the end.
    fn start(&mut self) -> Result<bool> {
        let next = self.given.lock().at(self.partition, self.position, self.all);
        let Some(range) = next else { return Ok(false) };
        self.position += 1;
        self.ranges.add(1);
        self.current = Some(self.input.execute(range, self.context.clone())?);
        Ok(true)
    }
}
