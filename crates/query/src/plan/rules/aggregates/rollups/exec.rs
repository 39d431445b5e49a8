//! Operator that merges the groups of the finest grouping set into those of all others.

use std::fmt;
use std::sync::Arc;

use arrow::array::{RecordBatch, new_null_array};
use arrow::datatypes::SchemaRef;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};

use super::level::{Columns, Level};
use super::sets::Set;
use crate::plan::rules::aggregates::output::Output;

/// The groups of all grouping sets with their partial results, as a partial aggregate emits them.
///
/// Its input has the groups of the finest set. Groups may come several times, as from any partial
/// aggregate.
#[derive(Debug, Clone)]
pub(super) struct RollUpExec {
    input: Arc<dyn ExecutionPlan>,
    sets: Arc<[Set]>,
    aggregates: Arc<[Arc<AggregateFunctionExpr>]>,
    /// Columns that the aggregates' arguments are over.
    rows: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl RollUpExec {
    /// Returns an operator with a schema of keys, the grouping ID, and partial results. Arguments
    /// of the aggregates are over `rows`.
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        sets: Vec<Set>,
        aggregates: Vec<Arc<AggregateFunctionExpr>>,
        rows: SchemaRef,
        schema: SchemaRef,
    ) -> Self {
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Both,
            input.boundedness(),
        );
        let (properties, metrics) = (Arc::new(properties), ExecutionPlanMetricsSet::new());
        Self { input, sets: sets.into(), aggregates: aggregates.into(), rows, properties, metrics }
    }
}

impl DisplayAs for RollUpExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        f.write_str("RollUpExec: ")?;
        for (number, set) in self.sets.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{}", set.shown(&names))?;
            if let Some(from) = set.from {
                write!(f, " from {}", self.sets[from].shown(&names))?;
            }
        }
        Ok(())
    }
}

impl ExecutionPlan for RollUpExec {
    fn name(&self) -> &str {
        "RollUpExec"
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
        let (sets, aggregates) = (self.sets.to_vec(), self.aggregates.to_vec());
        Ok(Arc::new(Self::new(input, sets, aggregates, self.rows.clone(), self.schema())))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let passed_on = MetricBuilder::new(&self.metrics).counter("groups_not_merged", partition);
        let input = self.input.execute(partition, context.clone())?;
        let memory = MemoryConsumer::new(format!("RollUpExec[{partition}]")).with_can_spill(true);
        let memory = memory.register(context.memory_pool());
        let nodes = self.nodes(&input.schema())?;
        let schema = self.schema();
        let roll_up = RollUp {
            input,
            schema,
            nodes,
            finished: 1,
            output: Output::new(context.session_config().batch_size()),
            memory,
            metrics,
            passed_on,
        };
        let batches = stream::try_unfold(roll_up, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

impl RollUpExec {
    fn nodes(&self, schema: &SchemaRef) -> Result<Vec<Node>> {
        let nodes = self.sets.iter().enumerate().map(|(index, set)| {
            let coarser = self.sets.iter().enumerate().filter(|(_, coarser)| coarser.from == Some(index));
            let coarser = coarser.map(|(index, _)| index).collect();
            let level =
                set.from.map(|_| Level::new(set, &self.aggregates, schema, &self.rows)).transpose()?;
            Ok(Node { set: set.clone(), level, coarser })
        });
        nodes.collect()
    }
}

/// A running [`RollUpExec`].
struct RollUp {
    input: SendableRecordBatchStream,
    schema: SchemaRef,
    /// The finest set first, and each one behind the set that it is computed from.
    nodes: Vec<Node>,
    /// Count of nodes that will get no more groups. The input has the groups of the first one.
    finished: usize,
    /// Groups to emit, with the grouping ID.
    output: Output,
    memory: MemoryReservation,
    metrics: BaselineMetrics,
    /// Groups that came to a set which no longer merges.
    passed_on: Count,
}

/// A grouping set with its groups.
struct Node {
    set: Set,
    /// Merges groups; `None` if each group is passed on as it comes: in the finest set, and if
    /// merging is in vain.
    level: Option<Level>,
    /// Indexes of the sets that are computed from this one.
    coarser: Vec<usize>,
}

impl RollUp {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            if self.finished == self.nodes.len() {
                return Ok(None);
            }
            let batch = if self.finished == 1 { self.input.next().await } else { None };
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            self.release();
            match batch {
                Some(batch) => self.merge(batch?)?,
                None => self.finish_one()?,
            }
        }
    }

    /// Merges groups of the finest set into all others.
    fn merge(&mut self, batch: RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        self.add(0, batch.columns().to_vec(), batch.num_rows())?;
        self.reserve()
    }

    /// Emits the groups of the next set, which all groups of finer sets were merged into.
    fn finish_one(&mut self) -> Result<()> {
        let at = self.finished;
        let groups = self.nodes[at].level.take().map(|mut level| level.finish()).transpose()?;
        self.finished += 1;
        self.add_taken(at, groups.flatten())?;
        self.reserve()
    }

    /// Reserves memory for all groups. If there is too little, emits those of the finest sets until
    /// half of it is free: the groups of coarser sets are few, and merge many. What the groups took
    /// stays reserved until they are emitted.
    fn reserve(&mut self) -> Result<()> {
        let size = self.size();
        if size <= self.memory.size() || self.memory.try_resize(size).is_ok() {
            return Ok(());
        }
        for at in self.finished..self.nodes.len() {
            if self.size() <= self.memory.size() / 2 {
                break;
            }
            let groups = self.nodes[at].level.as_mut().map(Level::take).transpose()?;
            self.add_taken(at, groups.flatten())?;
        }
        Ok(())
    }

    /// Returns memory that the groups no longer take.
    fn release(&mut self) {
        let size = self.size();
        if size < self.memory.size() {
            self.memory.shrink(self.memory.size() - size);
        }
    }

    fn add_taken(&mut self, at: usize, groups: Option<Columns>) -> Result<()> {
        match groups {
            Some(columns) => {
                let rows = columns.first().map_or(0, |column| column.len());
                self.add(at, columns, rows)
            }
            None => Ok(()),
        }
    }

    /// Emits groups of a set, and merges them into the sets that are computed from it.
    fn add(&mut self, at: usize, columns: Columns, rows: usize) -> Result<()> {
        self.emit(at, &columns, rows)?;
        for coarser in self.nodes[at].coarser.clone() {
            let Some(level) = &mut self.nodes[coarser].level else {
                self.passed_on.add(rows);
                let columns = without_omitted(&self.nodes[coarser].set, &columns, rows);
                self.add(coarser, columns, rows)?;
                continue;
            };
            level.merge(&columns, rows)?;
            if level.is_in_vain() {
                let groups = level.take()?;
                self.nodes[coarser].level = None;
                self.add_taken(coarser, groups)?;
            }
        }
        Ok(())
    }

    /// Emits groups once for each time that their set is written.
    fn emit(&mut self, at: usize, columns: &Columns, rows: usize) -> Result<()> {
        let set = &self.nodes[at].set;
        let place = set.omits.len();
        for id in &set.ids {
            let id = ScalarValue::UInt64(Some(*id)).cast_to(self.schema.field(place).data_type())?;
            let mut columns = columns.clone();
            columns.insert(place, id.to_array_of_size(rows)?);
            self.output.push(RecordBatch::try_new(self.schema.clone(), columns)?);
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.nodes.iter().filter_map(|node| node.level.as_ref()).map(Level::size).sum()
    }
}

/// Returns groups with NULL for the keys that a set leaves out.
fn without_omitted(set: &Set, columns: &Columns, rows: usize) -> Columns {
    let mut columns = columns.clone();
    for (column, is_omitted) in columns.iter_mut().zip(&set.omits) {
        if *is_omitted {
            *column = new_null_array(column.data_type(), rows);
        }
    }
    columns
}
