//! Operator that computes window functions in vectors.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, RecordBatch};
use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::OrderingRequirements;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput, SpillMetrics,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::{StreamExt, stream};

use super::functions::{Function, Running};
use super::groups::{Borders, Scope, Starts};
use super::held::{Column, Queue};

/// The rows of its input with the values of window functions, in the place of DataFusion's
/// operator.
#[derive(Debug, Clone)]
pub(super) struct RunningWindowExec {
    /// DataFusion's operator over the same input, which has the properties of this one.
    window: Arc<dyn ExecutionPlan>,
    functions: Arc<[Function]>,
    metrics: ExecutionPlanMetricsSet,
}

impl RunningWindowExec {
    /// Returns an operator in the place of another one that computes the same functions. All have
    /// the same keys, by which the rows are sorted.
    pub fn new(window: Arc<dyn ExecutionPlan>, functions: Arc<[Function]>) -> Self {
        Self { window, functions, metrics: ExecutionPlanMetricsSet::new() }
    }

    fn input(&self) -> &Arc<dyn ExecutionPlan> {
        self.window.children()[0]
    }
}

impl DisplayAs for RunningWindowExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.functions.iter().map(|function| function.window.name()).collect();
        write!(f, "RunningWindowExec: {}", names.join(", "))
    }
}

impl ExecutionPlan for RunningWindowExec {
    fn name(&self) -> &str {
        "RunningWindowExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.window.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.window.children()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.window.maintains_input_order()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.window.required_input_ordering()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        self.input_distribution_requirements().into_per_child()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.window.input_distribution_requirements()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.window.apply_expressions(visit)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let window = self.window.clone().replace_children(children, options)?;
        Ok(Arc::new(Self::new(window, self.functions.clone())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Some(first) = self.functions.first() else { return self.input().execute(partition, context) };
        let has_peers = self.functions.iter().any(|function| function.has_peers);
        let order = super::order(&first.window).filter(|_| has_peers).map(|key| key.expr.clone());
        let name = format!("RunningWindowExec[{partition}]");
        let spills = SpillMetrics::new(&self.metrics, partition);
        let windows = Windows {
            borders: Borders::new(first.window.partition_by().to_vec(), order.collect()),
            functions: self.functions.iter().map(|function| (function.clone(), (function.make)())).collect(),
            held: Queue::new(self.schema(), name.clone(), &context, spills),
            memory: MemoryConsumer::new(name).register(context.memory_pool()),
            input: Some(self.input().execute(partition, context)?),
            metrics: BaselineMetrics::new(&self.metrics, partition),
            partitions: MetricBuilder::new(&self.metrics).counter("window_partitions", partition),
        };
        let batches = stream::try_unfold(windows, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.window.child_stats_requests(partition)
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.window.statistics_from_inputs(inputs, args)
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}

/// A running [`RunningWindowExec`].
struct Windows {
    /// `None` after its end.
    input: Option<SendableRecordBatchStream>,
    borders: Borders,
    functions: Vec<(Function, Box<dyn Running>)>,
    held: Queue,
    /// The account of rows that functions hold for later values.
    memory: MemoryReservation,
    metrics: BaselineMetrics,
    partitions: Count,
}

impl Windows {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.held.next().await? {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            let Some(input) = &mut self.input else { return Ok(None) };
            let batch = input.next().await.transpose()?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => self.add(batch)?,
                None => {
                    let schema = input.schema();
                    self.input = None;
                    if self.borders.has_rows() {
                        self.end(&RecordBatch::new_empty(schema))?;
                    }
                }
            }
        }
    }

    fn add(&mut self, batch: RecordBatch) -> Result<()> {
        let starts = self.borders.next(&batch)?;
        self.partitions.add(starts.partitions.len());
        let mut columns = Vec::with_capacity(self.functions.len());
        let mut late = Vec::new();
        for (number, (function, running)) in self.functions.iter_mut().enumerate() {
            let arguments = function.arguments(&batch)?;
            let values = running.add(&arguments, &starts, function.scope)?;
            match function.scope {
                Scope::Row => {
                    columns.push(Column::Rows(values));
                    continue;
                }
                Scope::Frame => {
                    columns.push(Column::Late(Vec::new()));
                    late.push((number, values));
                    continue;
                }
                Scope::Peers | Scope::Partition => {}
            }
            let mut groups = starts.groups(function.scope).to_vec();
            let ends_earlier = starts.follows && !values.is_empty();
            if ends_earlier {
                self.held.close(number, &values.slice(0, 1))?;
            }
            // a group from the batch before goes on in this one, unless it starts with a border
            let skipped = usize::from(ends_earlier && groups[0] == 0);
            let values = values.slice(skipped, values.len() - skipped);
            if groups.first() != Some(&0) {
                groups.insert(0, 0);
            }
            columns.push(Column::Open { ended: (!values.is_empty()).then_some(values), starts: groups });
        }
        self.held.push(batch, columns)?;
        late.iter().try_for_each(|(number, values)| self.held.fill(*number, values))?;
        let bytes = self.functions.iter().map(|(_, running)| running.size()).sum();
        if self.memory.try_resize(bytes).is_ok() {
            return Ok(());
        }
        self.held.go_to_disk()?;
        self.memory.try_resize(bytes)
    }

    /// Adds the border behind the last row.
    fn end(&mut self, no_rows: &RecordBatch) -> Result<()> {
        for (number, (function, running)) in self.functions.iter_mut().enumerate() {
            if function.scope == Scope::Row {
                continue;
            }
            let arguments = function.arguments(no_rows)?;
            let values = running.add(&arguments, &Starts::end(), function.scope)?;
            match function.scope {
                Scope::Frame => self.held.fill(number, &values)?,
                _ => self.held.close(number, &values)?,
            }
        }
        Ok(())
    }
}
