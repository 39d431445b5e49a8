//! Concatenation of partitions in their order; several run at a time.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{JoinType, Statistics};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::Partitioning;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, EvaluationType, ReplaceChildrenOptions, SchedulingType,
};
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::plan::memory::bytes_of_rows;

/// Gives the rows of its input's first partition, then those of the second, and so on.
///
/// Up to `ahead` partitions run at a time. The first of them emits its rows at once. The others
/// keep theirs in a buffer of `buffer_bytes` each, and wait when the buffer or the memory pool is
/// full. So the operator needs small partitions of about equal size: a scan in order has one for
/// each window.
#[derive(Debug, Clone)]
pub(in crate::plan) struct ConcatenateExec {
    input: Arc<dyn ExecutionPlan>,
    /// Rows after which the output ends; `None`: after the last row.
    fetch: Option<usize>,
    ahead: usize,
    buffer_bytes: usize,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ConcatenateExec {
    /// Returns the rows of `input`, at most `fetch` of them, with `ahead` partitions at a time.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        fetch: Option<usize>,
        ahead: usize,
        buffer_bytes: usize,
    ) -> Self {
        let mut equivalences = input.equivalence_properties().clone();
        equivalences.clear_orderings();
        equivalences.clear_per_partition_constants();
        let properties = PlanProperties::new(
            equivalences,
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        )
        .with_evaluation_type(EvaluationType::Eager)
        .with_scheduling_type(SchedulingType::Cooperative);
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Self { input, fetch, ahead: ahead.max(1), buffer_bytes, properties, metrics }
    }
}

impl DisplayAs for ConcatenateExec {
    fn fmt_as(&self, form: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match form {
            DisplayFormatType::TreeRender => {}
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "ConcatenateExec")?;
                if let Some(fetch) = self.fetch {
                    write!(f, ": fetch={fetch}")?;
                }
            }
        }
        Ok(())
    }
}

impl ExecutionPlan for ConcatenateExec {
    fn name(&self) -> &str {
        "ConcatenateExec"
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
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(Self::new(input, self.fetch, self.ahead, self.buffer_bytes)))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        if partition != 0 {
            let what = format!("ConcatenateExec has one partition, and {partition} was asked for");
            return Err(DataFusionError::Internal(what));
        }
        let (turn, _) = watch::channel(0);
        // a query for few rows often gets them from its first partition
        let ahead = if self.fetch.is_some() { 1 } else { self.ahead };
        let concatenation = Concatenation {
            input: self.input.clone(),
            context,
            repeats: repeats(&self.input),
            partitions: self.input.output_partitioning().partition_count(),
            started: 0,
            running: VecDeque::new(),
            turn,
            ahead,
            most_ahead: self.ahead,
            buffer_bytes: self.buffer_bytes,
            missing: self.fetch.unwrap_or(usize::MAX),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let batches = stream::try_unfold(concatenation, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, _: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(None)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> DataFusionResult<Arc<Statistics>> {
        let all = inputs.first().map(|all| all.as_ref().clone()).unwrap_or_default();
        Ok(Arc::new(all.with_fetch(self.fetch, 0, 1)?))
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }
}

/// A running [`ConcatenateExec`].
struct Concatenation {
    input: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    /// True if a partition can be executed again.
    repeats: bool,
    partitions: usize,
    started: usize,
    /// Partitions that have started and are not read to their end, in their order.
    running: VecDeque<Running>,
    /// The number of the partition that may emit rows.
    turn: watch::Sender<usize>,
    ahead: usize,
    most_ahead: usize,
    buffer_bytes: usize,
    /// Rows that are missing to the limit.
    missing: usize,
    metrics: BaselineMetrics,
}

/// A partition that a task runs.
struct Running {
    batches: mpsc::UnboundedReceiver<Buffered>,
    task: SpawnedTask<DataFusionResult<()>>,
}

/// A batch with the part of the buffer and of the memory pool that it takes.
struct Buffered {
    batch: RecordBatch,
    _permit: OwnedSemaphorePermit,
    _memory: MemoryReservation,
}

impl Concatenation {
    async fn next(&mut self) -> DataFusionResult<Option<RecordBatch>> {
        loop {
            if self.missing == 0 {
                self.running.clear();
                return Ok(None);
            }
            while self.running.len() < self.ahead && self.started < self.partitions {
                let running = self.start(self.started);
                self.running.push_back(running);
                self.started += 1;
            }
            let Some(first) = self.running.front_mut() else { return Ok(None) };
            if let Some(Buffered { batch, .. }) = first.batches.recv().await {
                let _timer = self.metrics.elapsed_compute().timer();
                let rows = batch.num_rows().min(self.missing);
                self.missing -= rows;
                self.metrics.record_output(rows);
                return Ok(Some(if rows < batch.num_rows() { batch.slice(0, rows) } else { batch }));
            }
            if let Some(Running { task, .. }) = self.running.pop_front() {
                task.join_unwind().await.map_err(|e| DataFusionError::External(Box::new(e)))??;
            }
            self.turn.send_modify(|turn| *turn += 1);
            self.ahead = (self.ahead * 2).min(self.most_ahead);
        }
    }

    fn start(&self, partition: usize) -> Running {
        let (sender, batches) = mpsc::unbounded_channel();
        let name = format!("rows in order ({partition})");
        let producer = Producer {
            input: self.input.clone(),
            context: self.context.clone(),
            partition,
            repeats: self.repeats,
            turn: self.turn.subscribe(),
            buffer: Arc::new(Semaphore::new(kib(self.buffer_bytes) as usize)),
            most: kib(self.buffer_bytes),
            pool: MemoryConsumer::new(name).register(self.context.memory_pool()),
            sender,
        };
        Running { batches, task: SpawnedTask::spawn(producer.run()) }
    }
}

/// The task's side of a partition.
struct Producer {
    input: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    partition: usize,
    repeats: bool,
    turn: watch::Receiver<usize>,
    /// Free buffer for batches, in KiB.
    buffer: Arc<Semaphore>,
    most: u32,
    pool: MemoryReservation,
    sender: mpsc::UnboundedSender<Buffered>,
}

impl Producer {
    async fn run(mut self) -> DataFusionResult<()> {
        match self.produce().await {
            // earlier partitions may hold the memory; this one has emitted no row, so it can run
            // again
            Err((error, 0)) if self.repeats && is_out_of_memory(&error) && !self.is_due() => {
                self.await_turn().await;
                self.produce().await.map_err(|(error, _)| error)
            }
            other => other.map_err(|(error, _)| error),
        }
    }

    /// Sends the partition's batches. An error comes with the number of batches sent before it.
    async fn produce(&mut self) -> Result<(), (DataFusionError, usize)> {
        let opened = self.input.execute(self.partition, self.context.clone());
        let mut batches = opened.map_err(|error| (error, 0))?;
        let mut sent = 0;
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(|error| (error, sent))?;
            if batch.num_rows() == 0 {
                continue;
            }
            let bytes = bytes_of_rows(&batch);
            let wanted = kib(bytes).clamp(1, self.most);
            let Ok(permit) = self.buffer.clone().acquire_many_owned(wanted).await else { break };
            let memory = self.pool.new_empty();
            if !self.is_due() && memory.try_grow(bytes).is_err() {
                self.await_turn().await;
            }
            if self.sender.send(Buffered { batch, _permit: permit, _memory: memory }).is_err() {
                break;
            }
            sent += 1;
        }
        Ok(())
    }

    fn is_due(&self) -> bool {
        *self.turn.borrow() >= self.partition
    }

    async fn await_turn(&mut self) {
        let partition = self.partition;
        // an error means that the query has ended
        let _ = self.turn.wait_for(|turn| *turn >= partition).await;
    }
}

/// Operators that keep no state of an execution of a partition. The others do: a repartition has
/// handed its channels out, and the filter of a sort with a limit or of an aggregate leaves out the
/// rows that the first execution has seen.
const REPEATING: [&str; 13] = [
    "ClosedExec",
    "CooperativeExec",
    "DataSourceExec",
    "EmptyExec",
    "FilterExec",
    "GateExec",
    "GlobalLimitExec",
    "LocalLimitExec",
    "PlaceholderRowExec",
    "ProjectionExec",
    "UnclaimedExec",
    "UnionExec",
    "YieldExec",
];

/// Returns whether each partition of a plan can be executed again. A join's build side is read once
/// for all executions; a join that reports its unmatched rows counts the executions.
fn repeats(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let is_probe = matches!(
            join.join_type(),
            JoinType::Inner
                | JoinType::Right
                | JoinType::RightSemi
                | JoinType::RightAnti
                | JoinType::RightMark
        );
        return is_probe && *join.partition_mode() == PartitionMode::CollectLeft && repeats(join.right());
    }
    REPEATING.contains(&plan.name()) && plan.children().into_iter().all(repeats)
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX).clamp(1, Semaphore::MAX_PERMITS as u32)
}

fn is_out_of_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

#[cfg(test)]
mod tests;
