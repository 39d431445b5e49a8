//! Stream of groups of one partition.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, RecordOutput,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use pelton_dense::GroupNumbers;

use super::keys::KeyCodes;
use crate::plan::rules::aggregates::clustered_groups;
use crate::plan::rules::aggregates::grouping::{Results, hash_rows, remaining, with_parts};
use crate::plan::rules::aggregates::output::Output;

/// Most bits of an index of groups: a table of 256 KiB, which stays in a level-2 cache.
const MAX_BITS: u32 = 16;

/// Rows after which the operator is judged by the share of strings that it had to search.
const PROBED_ROWS: usize = 16_384;

/// Divisor of the rows for the searched strings above which codes are in vain: each of them was
/// hashed, as DataFusion would have done.
const MAX_SEARCHED: usize = 4;

/// Operator for the rows that are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// DataFusion's.
    Hashed,
    /// DataFusion's, which turns rows into groups of one row: the aggregate over this one hashes
    /// all groups on the same thread, and no row should be hashed twice.
    NotHashed,
    /// The one for clustered groups.
    Clustered,
}

/// Groups of a partition so far.
pub(super) struct Groups {
    aggregate: Arc<AggregateExec>,
    next: Next,
    partition: usize,
    schema: SchemaRef,
    /// `None` at its end, and if the remaining rows were passed on.
    input: Option<SendableRecordBatchStream>,
    /// Groups of the remaining rows, from the next operator.
    rest: Option<SendableRecordBatchStream>,
    keys: Vec<KeyCodes>,
    numbers: GroupNumbers,
    results: Results,
    /// Rows that were grouped.
    rows: usize,
    /// Group numbers of the rows of a batch.
    row_numbers: Vec<u32>,
    output: Output,
    /// `None` once the remaining rows were passed on, to an operator that has its own share of a
    /// limit.
    memory: Option<MemoryReservation>,
    metrics: BaselineMetrics,
    /// All metrics of the operator.
    counters: ExecutionPlanMetricsSet,
    by_code: Count,
    passed_on: Count,
    context: Arc<TaskContext>,
}

impl Groups {
    /// Returns no groups, of a partial aggregate.
    ///
    /// # Errors
    /// The input can't start, or an aggregate has no partial results.
    pub fn new(
        aggregate: &Arc<AggregateExec>,
        next: Next,
        metrics: &ExecutionPlanMetricsSet,
        output: BaselineMetrics,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<Self> {
        let counted = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
        let input = aggregate.input().execute(partition, context.clone())?;
        let of_keys = aggregate.group_expr().expr().iter();
        let keys = of_keys.map(|(key, _)| Ok(KeyCodes::new(key.data_type(&input.schema())?)));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let memory = MemoryConsumer::new(format!("DenseAggregateExec[{partition}]")).with_can_spill(true);
        Ok(Self {
            aggregate: aggregate.clone(),
            next,
            partition,
            schema: aggregate.schema(),
            input: Some(input),
            rest: None,
            numbers: GroupNumbers::new(keys.len()),
            keys,
            results: Results::new(aggregate)?,
            rows: 0,
            row_numbers: Vec::new(),
            output: Output::new(context.session_config().batch_size()),
            memory: Some(memory.register(context.memory_pool())),
            metrics: output,
            counters: metrics.clone(),
            by_code: counted("rows_grouped_by_code"),
            passed_on: counted("rows_passed_on"),
            context,
        })
    }

    /// Returns the batches of groups.
    pub fn into_stream(self) -> SendableRecordBatchStream {
        let schema = self.schema.clone();
        let batches = stream::try_unfold(self, |mut state| async move {
            let batch = state.batch().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }

    /// Groups the first batch. Returns all rows if it has too many groups.
    ///
    /// # Errors
    /// The input fails, or a key or an argument can't be computed.
    pub async fn start(&mut self) -> Result<Option<SendableRecordBatchStream>> {
        while let Some(input) = &mut self.input {
            let batch = input.next().await.transpose()?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) if self.number(&batch)? => return self.add_numbered(&batch).map(|()| None),
                Some(batch) => return Ok(self.remaining(Some(batch))),
                None => self.input = None,
            }
        }
        Ok(None)
    }

    async fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            let Some(input) = &mut self.input else {
                self.memory = None;
                let Some(rest) = &mut self.rest else { return Ok(None) };
                let batch = rest.next().await.transpose()?;
                return Ok(batch.map(|batch| batch.record_output(&self.metrics)));
            };
            let batch = input.next().await.transpose()?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => self.add(batch)?,
                None => {
                    self.input = None;
                    self.emit()?;
                }
            }
        }
    }

    /// Groups a batch, or passes it and all further ones on.
    fn add(&mut self, batch: RecordBatch) -> Result<()> {
        if !self.number(&batch)? {
            return self.pass_on(Some(batch));
        }
        self.add_numbered(&batch)
    }

    /// Adds a batch with the groups in `row_numbers`.
    fn add_numbered(&mut self, batch: &RecordBatch) -> Result<()> {
        self.results.add(batch, &self.row_numbers, self.numbers.groups())?;
        self.rows += batch.num_rows();
        self.by_code.add(batch.num_rows());
        let searched = self.keys.iter().map(KeyCodes::searched).max().unwrap_or(0);
        let is_in_vain = self.rows >= PROBED_ROWS && searched > self.rows / MAX_SEARCHED;
        let size = self.size();
        let is_full = |memory: &MemoryReservation| memory.try_resize(size).is_err();
        if is_in_vain || self.memory.as_ref().is_some_and(is_full) {
            return self.pass_on(None);
        }
        Ok(())
    }

    /// Puts the group of each row into `row_numbers`. Returns false if there are too many groups.
    fn number(&mut self, batch: &RecordBatch) -> Result<bool> {
        for ((key, _), codes) in self.aggregate.group_expr().expr().iter().zip(&mut self.keys) {
            let values = key.evaluate(batch)?.into_array(batch.num_rows())?;
            if !codes.encode(&values)? {
                return Ok(false);
            }
        }
        let domains: Vec<usize> = self.keys.iter().map(KeyCodes::domain).collect();
        let codes: Vec<&[u32]> = self.keys.iter().map(|key| &key.rows[..]).collect();
        Ok(self.numbers.number(&codes, &domains, MAX_BITS, &mut self.row_numbers))
    }

    /// Emits all groups, and has the next operator take the remaining rows.
    fn pass_on(&mut self, first: Option<RecordBatch>) -> Result<()> {
        self.emit()?;
        self.memory = None;
        let Some(rows) = self.remaining(first) else { return Ok(()) };
        let (aggregate, partition, context) = (&self.aggregate, self.partition, self.context.clone());
        self.rest = Some(match self.next {
            Next::Hashed => hash_rows(aggregate, rows, partition, context)?.0,
            Next::NotHashed => hash_rows(aggregate, rows, partition, hashing_nothing(&context))?.0,
            Next::Clustered => {
                let output = self.metrics.intermediate();
                clustered_groups::open(aggregate, rows, &self.counters, output, partition, context)?
            }
        });
        Ok(())
    }

    /// Takes the remaining rows out.
    fn remaining(&mut self, first: Option<RecordBatch>) -> Option<SendableRecordBatchStream> {
        self.input.take().map(|input| remaining(first, input, self.passed_on.clone()))
    }

    /// Takes all groups out.
    fn emit(&mut self) -> Result<()> {
        let groups = self.numbers.groups();
        let keys = std::mem::take(&mut self.keys);
        let numbers = std::mem::replace(&mut self.numbers, GroupNumbers::new(keys.len()));
        if groups == 0 {
            return Ok(());
        }
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for (place, key) in keys.iter().enumerate() {
            columns.push(take(&key.values()?, &UInt32Array::from(numbers.codes(place)), None)?);
        }
        columns.extend(self.results.take(groups)?);
        self.output.push(RecordBatch::try_new(self.schema.clone(), columns)?);
        Ok(())
    }

    fn size(&self) -> usize {
        let keys: usize = self.keys.iter().map(KeyCodes::size).sum();
        let numbers = self.numbers.size() + self.row_numbers.capacity() * size_of::<u32>();
        keys + numbers + self.results.size()
    }
}

/// Returns a context in which partial aggregates turn rows into groups of one row.
fn hashing_nothing(context: &TaskContext) -> Arc<TaskContext> {
    let mut config = context.session_config().clone();
    let options = config.options_mut();
    options.execution.skip_partial_aggregation_probe_ratio_threshold = 0.0;
    options.execution.skip_partial_aggregation_probe_rows_threshold = 1;
    with_parts(context, config, context.runtime_env())
}
