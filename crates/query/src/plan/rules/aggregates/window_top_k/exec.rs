//! Operator that leaves out rows that have too many better ones in their partition.

use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};

use super::Top;
use super::ranks::{Held, Ranks};
use crate::plan::rules::aggregates::output::Output;

/// Rows between two looks at the held rows for those that better ones came after.
const ROWS_BETWEEN: usize = 1 << 16;

/// Least rows of a held batch, so that those of few rows become one.
const MERGED_ROWS: usize = 1 << 13;

/// Rows after which the operator is judged by the share that it held of them.
const PROBED_ROWS: usize = 1 << 20;

/// Share of held rows above which the operator passes all further rows on.
const MOST_HELD: f64 = 0.95;

/// Divisor of a memory limit for what the operators of all partitions hold. The sort needs the rest
/// for the same rows.
const MEMORY_SHARE: usize = 16;

/// The rows of its input without those that cannot be among the first of their partition.
///
/// Rows are held until the input ends, so that later ones can exclude them. If memory is short,
/// the held rows are emitted early. If the keys alone are too large, all further rows are.
#[derive(Debug, Clone)]
pub(super) struct WindowTopKExec {
    input: Arc<dyn ExecutionPlan>,
    top: Top,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl WindowTopKExec {
    /// Returns an operator over rows that a window will number.
    pub fn new(input: Arc<dyn ExecutionPlan>, top: Top) -> Self {
        let properties = PlanProperties::clone(input.properties()).with_emission_type(EmissionType::Final);
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Self { input, top, properties, metrics }
    }

    fn partitions(&self) -> usize {
        self.input.output_partitioning().partition_count().max(1)
    }
}

impl DisplayAs for WindowTopKExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WindowTopKExec: {}", self.top)
    }
}

impl ExecutionPlan for WindowTopKExec {
    fn name(&self) -> &str {
        "WindowTopKExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        let order = self.top.order.iter().map(|key| &key.expr);
        for key in self.top.partition.iter().chain(order) {
            if visit(key)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self::new(input, self.top.clone())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let memory = MemoryConsumer::new(format!("WindowTopKExec[{partition}]")).with_can_spill(true);
        let most_bytes = match context.memory_pool().memory_limit() {
            MemoryLimit::Finite(limit) => limit / MEMORY_SHARE / self.partitions(),
            MemoryLimit::Infinite | MemoryLimit::Unknown => usize::MAX,
        };
        let filter = Filter {
            input: self.input.execute(partition, context.clone())?,
            ranks: Some(Ranks::new(&self.top, &self.schema())?),
            held: Vec::new(),
            held_rows: 0,
            held_bytes: 0,
            output: Output::new(context.session_config().batch_size()),
            seen_rows: 0,
            judged_rows: 0,
            memory: Some(memory.register(context.memory_pool())),
            most_bytes,
            metrics: BaselineMetrics::new(&self.metrics, partition),
            left_out: MetricBuilder::new(&self.metrics).counter("rows_left_out", partition),
        };
        let batches = stream::try_unfold(filter, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::LowerEqual
    }
}

/// A running [`WindowTopKExec`].
struct Filter {
    input: SendableRecordBatchStream,
    /// `None` if all further rows are passed on.
    ranks: Option<Ranks>,
    held: Vec<Held>,
    held_rows: usize,
    held_bytes: usize,
    /// Rows that are no longer held.
    output: Output,
    seen_rows: usize,
    /// Count of seen rows at the last look at the held ones.
    judged_rows: usize,
    /// `None` after the end of the input: the sort above accounts for the rows that it gets.
    memory: Option<MemoryReservation>,
    /// Most bytes to reserve.
    most_bytes: usize,
    metrics: BaselineMetrics,
    left_out: Count,
}

impl Filter {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            let Some(memory) = &self.memory else { return Ok(None) };
            memory.shrink(memory.size().saturating_sub(self.size()));
            let batch = self.input.next().await.transpose()?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) if self.ranks.is_none() => self.output.push(batch),
                Some(batch) => self.admit(batch)?,
                None => {
                    self.reduce()?;
                    self.emit();
                    (self.ranks, self.memory) = (None, None);
                }
            }
        }
    }

    /// Holds the rows of a batch that may be among the first.
    fn admit(&mut self, batch: RecordBatch) -> Result<()> {
        let Some(ranks) = &mut self.ranks else { return Ok(()) };
        let (rows, held_before) = (batch.num_rows(), self.held_rows);
        let admitted = ranks.admitted(batch)?;
        if let Some(admitted) = admitted {
            self.hold(admitted);
        }
        self.seen_rows += rows;
        self.left_out.add(rows - (self.held_rows - held_before));
        if self.seen_rows - self.judged_rows >= ROWS_BETWEEN.max(self.held_rows) {
            self.reduce()?;
            let share = self.held_rows as f64 / self.seen_rows as f64;
            if self.seen_rows >= PROBED_ROWS && share > MOST_HELD {
                self.ranks = None;
                self.emit();
            }
        }
        self.reserve()
    }

    fn hold(&mut self, held: Held) {
        self.held_rows += held.batch.num_rows();
        self.held_bytes += held.size();
        self.held.push(held);
    }

    /// Hands the held rows on.
    fn emit(&mut self) {
        (self.held_rows, self.held_bytes) = (0, 0);
        self.held.drain(..).for_each(|held| self.output.push(held.batch));
    }

    /// Reserves memory for rows and keys. If there is too little, the rows are emitted. What they
    /// took stays reserved until then.
    fn reserve(&mut self) -> Result<()> {
        if self.fits() {
            return Ok(());
        }
        self.reduce()?;
        if !self.fits() {
            if self.held.is_empty() {
                self.ranks = None;
            }
            self.emit();
        }
        Ok(())
    }

    fn fits(&self) -> bool {
        let size = self.size();
        let reserve = |memory: &MemoryReservation| memory.try_resize(size.max(memory.size())).is_ok();
        size <= self.most_bytes && self.memory.as_ref().is_none_or(reserve)
    }

    /// Drops held rows that better ones came after.
    fn reduce(&mut self) -> Result<()> {
        self.judged_rows = self.seen_rows;
        let Some(ranks) = self.ranks.take() else { return Ok(()) };
        let before = std::mem::take(&mut self.held_rows);
        self.held_bytes = 0;
        let (mut small, mut small_rows) = (Vec::new(), 0);
        for held in std::mem::take(&mut self.held) {
            let Some(held) = ranks.reduced(held)? else { continue };
            small_rows += held.batch.num_rows();
            small.push(held);
            if small_rows >= MERGED_ROWS {
                ranks.merged(std::mem::take(&mut small))?.into_iter().for_each(|held| self.hold(held));
                small_rows = 0;
            }
        }
        ranks.merged(small)?.into_iter().for_each(|held| self.hold(held));
        self.left_out.add(before - self.held_rows);
        self.ranks = Some(ranks);
        Ok(())
    }

    fn size(&self) -> usize {
        self.held_bytes + self.ranks.as_ref().map_or(0, Ranks::size)
    }
}
