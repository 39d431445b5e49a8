//! Operator that sorts rows by keys in one number.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::{concat, interleave, take};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Statistics;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalSortExpr;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet, RecordOutput,
};
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;

use super::keys::Key;
use super::words::{self, Word, sorted};
use crate::plan::memory::bytes_of_rows;
use crate::plan::streamed::streamed;

/// The rows of its input in order, in the place of DataFusion's operator, which takes them where
/// they fit neither into memory nor their keys into one number.
#[derive(Debug, Clone)]
pub(super) struct PackedSortExec {
    /// DataFusion's operator over the same input, which has the properties of this one.
    sort: Arc<dyn ExecutionPlan>,
    metrics: ExecutionPlanMetricsSet,
    /// DataFusion's operators that have taken rows.
    others: Arc<Mutex<Vec<Arc<dyn ExecutionPlan>>>>,
}

impl PackedSortExec {
    /// Returns an operator in the place of a [`SortExec`] without a limit.
    pub fn new(sort: Arc<dyn ExecutionPlan>) -> Self {
        Self { sort, metrics: ExecutionPlanMetricsSet::new(), others: Arc::default() }
    }

    fn input(&self) -> &Arc<dyn ExecutionPlan> {
        self.sort.children()[0]
    }

    fn keys(&self) -> Vec<PhysicalSortExpr> {
        let sort = self.sort.downcast_ref::<SortExec>();
        sort.map(|sort| sort.expr().iter().cloned().collect()).unwrap_or_default()
    }
}

impl DisplayAs for PackedSortExec {
    fn fmt_as(&self, style: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort.downcast_ref::<SortExec>() {
            Some(sort) => {
                f.write_str("Packed")?;
                sort.fmt_as(style, f)
            }
            None => f.write_str("PackedSortExec"),
        }
    }
}

impl ExecutionPlan for PackedSortExec {
    fn name(&self) -> &str {
        "PackedSortExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.sort.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.sort.children()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        self.sort.benefits_from_input_partitioning()
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        self.input_distribution_requirements().into_per_child()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.sort.input_distribution_requirements()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.sort.apply_expressions(visit)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self::new(self.sort.clone().replace_children(children, options)?)))
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let memory = MemoryConsumer::new(format!("PackedSortExec[{partition}]")).with_can_spill(true);
        let packing = Packing {
            sort: self.clone(),
            input: self.input().execute(partition, context.clone())?,
            held: Held::new(&self.keys(), memory.register(context.memory_pool())),
            packed: MetricBuilder::new(&self.metrics).counter("rows_packed", partition),
            metrics: BaselineMetrics::new(&self.metrics, partition),
            context,
        };
        let batches = stream::once(packing.run()).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut metrics = self.metrics.clone_inner();
        for other in self.others.lock().iter().filter_map(|other| other.metrics()) {
            other.iter().for_each(|metric| metrics.push(metric.clone()));
        }
        Some(metrics)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        self.sort.child_stats_requests(partition)
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.sort.statistics_from_inputs(inputs, args)
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}

/// All rows of a partition, with their keys.
struct Held {
    expressions: Vec<PhysicalSortExpr>,
    keys: Vec<Key>,
    batches: Vec<RecordBatch>,
    rows: usize,
    memory: MemoryReservation,
}

impl Held {
    fn new(expressions: &[PhysicalSortExpr], memory: MemoryReservation) -> Self {
        let keys = expressions.iter().map(|key| Key::new(key.options)).collect();
        Self { expressions: expressions.to_vec(), keys, batches: Vec::new(), rows: 0, memory }
    }

    /// Adds rows. Returns whether they can be packed.
    ///
    /// # Errors
    /// A key can't be computed.
    fn add(&mut self, batch: RecordBatch) -> Result<bool> {
        let count = batch.num_rows();
        let mut fits = true;
        for (expression, key) in self.expressions.iter().zip(&mut self.keys) {
            fits &= key.push(&expression.expr.evaluate(&batch)?.into_array(count)?)?;
        }
        // columns are held twice while their parts become one array
        let row = Key::ROW_BYTES * self.keys.len() + words::ROW_BYTES;
        let bytes = 2 * bytes_of_rows(&batch) + row * count;
        self.rows += count;
        self.batches.push(batch);
        Ok(fits && self.rows < u32::MAX as usize && self.memory.try_grow(bytes).is_ok())
    }

    /// Returns whether the keys of all rows fit into words.
    fn fits(&mut self) -> bool {
        self.keys.iter_mut().for_each(Key::finish);
        words::shorten(&mut self.keys, self.rows);
        words::bits(&self.keys, self.rows) <= u128::BITS
    }
}

/// A column in the order of the input.
enum Unordered {
    Whole(ArrayRef),
    /// Texts, which stay where they are.
    Parts(Vec<ArrayRef>),
}

impl Unordered {
    fn new(parts: Vec<ArrayRef>, data_type: &DataType) -> Result<Self> {
        if matches!(data_type, DataType::Utf8View | DataType::BinaryView) {
            return Ok(Self::Parts(parts));
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        Ok(Self::Whole(concat(&parts)?))
    }
}

/// A running [`PackedSortExec`].
struct Packing {
    sort: PackedSortExec,
    input: SendableRecordBatchStream,
    held: Held,
    packed: Count,
    metrics: BaselineMetrics,
    context: Arc<TaskContext>,
}

impl Packing {
    async fn run(mut self) -> Result<SendableRecordBatchStream> {
        while let Some(batch) = self.input.next().await.transpose()? {
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            if batch.num_rows() > 0 && !self.held.add(batch)? {
                return self.hand_over();
            }
        }
        if !self.held.fits() {
            return self.hand_over();
        }
        if self.held.rows == 0 {
            let schema = self.sort.schema();
            return Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream::empty())));
        }
        let (keys, rows) = (std::mem::take(&mut self.held.keys), self.held.rows);
        self.packed.add(rows);
        let compute = self.metrics.elapsed_compute().clone();
        let timer = compute.timer();
        let order = match words::bits(&keys, rows) <= <u64 as Word>::BITS {
            true => sorted::<u64>(keys, rows).await,
            false => sorted::<u128>(keys, rows).await,
        };
        let batches = self.in_order(order);
        drop(timer);
        batches
    }

    /// Leaves the rows so far, and the remaining ones, to DataFusion's operator.
    fn hand_over(self) -> Result<SendableRecordBatchStream> {
        let Self { sort, input, held, context, .. } = self;
        let schema = input.schema();
        let Held { batches, memory, keys, .. } = held;
        drop((keys, memory));
        let rows = stream::iter(batches.into_iter().map(Ok)).chain(input);
        let rows = streamed(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))?;
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let other = sort.sort.clone().replace_children(vec![rows], options)?;
        sort.others.lock().push(other.clone());
        other.execute(0, context)
    }

    /// Returns the rows in their order, batch by batch.
    fn in_order(self, order: Vec<u32>) -> Result<SendableRecordBatchStream> {
        let Self { sort, held, metrics, context, .. } = self;
        let schema = sort.schema();
        let Held { mut batches, memory, .. } = held;
        let mut firsts = Vec::with_capacity(batches.len());
        let mut rows = 0;
        for batch in &batches {
            firsts.push(rows);
            rows += batch.num_rows() as u32;
        }
        let mut parts: Vec<Vec<ArrayRef>> = vec![Vec::with_capacity(batches.len()); schema.fields().len()];
        for batch in batches.drain(..) {
            parts.iter_mut().zip(batch.columns()).for_each(|(parts, column)| parts.push(column.clone()));
        }
        let columns = parts.into_iter().zip(schema.fields());
        let columns = columns.map(|(parts, field)| Unordered::new(parts, field.data_type()));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let size = context.session_config().batch_size().max(1);
        let ordered =
            Ordered { schema: schema.clone(), columns, firsts, order, size, metrics, _memory: memory };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, ordered.batches())))
    }
}

/// Rows that are taken in their order.
struct Ordered {
    schema: SchemaRef,
    columns: Vec<Unordered>,
    /// First rows of the parts.
    firsts: Vec<u32>,
    order: Vec<u32>,
    /// Rows of a batch.
    size: usize,
    metrics: BaselineMetrics,
    _memory: MemoryReservation,
}

impl Ordered {
    fn batches(self) -> impl Stream<Item = Result<RecordBatch>> {
        stream::try_unfold((self, 0), |(ordered, first)| async move {
            let last = ordered.order.len().min(first + ordered.size);
            if first == last {
                return Ok(None);
            }
            let batch = ordered.batch(&ordered.order[first..last])?;
            Ok(Some((batch.record_output(&ordered.metrics), (ordered, last))))
        })
    }

    fn batch(&self, rows: &[u32]) -> Result<RecordBatch> {
        let _timer = self.metrics.elapsed_compute().timer();
        let has_parts = self.columns.iter().any(|column| matches!(column, Unordered::Parts(_)));
        let place = |row: &u32| {
            let part = self.firsts.partition_point(|first| first <= row) - 1;
            (part, (row - self.firsts[part]) as usize)
        };
        let places: Vec<(usize, usize)> = if has_parts { rows.iter().map(place).collect() } else { vec![] };
        let rows = UInt32Array::from(rows.to_vec());
        let columns = self.columns.iter().map(|column| match column {
            Unordered::Whole(values) => Ok(take(values, &rows, None)?),
            Unordered::Parts(parts) => {
                let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                Ok(interleave(&parts, &places)?)
            }
        });
        Ok(RecordBatch::try_new(self.schema.clone(), columns.collect::<Result<_>>()?)?)
    }
}
