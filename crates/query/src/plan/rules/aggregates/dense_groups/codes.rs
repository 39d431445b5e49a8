//! Groups of one partition, by codes of their keys.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use pelton_dense::GroupNumbers;

use super::keys::KeyCodes;
use crate::plan::rules::aggregates::clustered_groups;
use crate::plan::rules::aggregates::grouping::{Added, GroupStream, Groups, Results, hash_rows, with_parts};
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
pub(super) struct GroupsByCode {
    aggregate: Arc<AggregateExec>,
    next: Next,
    partition: usize,
    keys: Vec<KeyCodes>,
    numbers: GroupNumbers,
    results: Results,
    /// Rows that were grouped.
    rows: usize,
    /// Group numbers of the rows of a batch.
    row_numbers: Vec<u32>,
    /// Output and time of the operator.
    metrics: BaselineMetrics,
    /// All metrics of the operator.
    counters: ExecutionPlanMetricsSet,
    by_code: Count,
    context: Arc<TaskContext>,
}

/// Starts to group the rows of a partition for a partial aggregate. `output` counts its output and
/// time.
///
/// # Errors
/// The input can't start, or an aggregate has no partial results.
pub(super) fn open(
    aggregate: &Arc<AggregateExec>,
    next: Next,
    metrics: &ExecutionPlanMetricsSet,
    output: BaselineMetrics,
    partition: usize,
    context: Arc<TaskContext>,
) -> Result<GroupStream<GroupsByCode>> {
    let counted = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
    let input = aggregate.input().execute(partition, context.clone())?;
    let of_keys = aggregate.group_expr().expr().iter();
    let keys = of_keys.map(|(key, _)| Ok(KeyCodes::new(key.data_type(&input.schema())?)));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let groups = GroupsByCode {
        aggregate: aggregate.clone(),
        next,
        partition,
        numbers: GroupNumbers::new(keys.len()),
        keys,
        results: Results::new(aggregate)?,
        rows: 0,
        row_numbers: Vec::new(),
        metrics: output.intermediate(),
        counters: metrics.clone(),
        by_code: counted("rows_grouped_by_code"),
        context: context.clone(),
    };
    let (name, passed_on) = (format!("DenseAggregateExec[{partition}]"), counted("rows_passed_on"));
    Ok(GroupStream::new(groups, input, name, output, passed_on, &context))
}

impl Groups for GroupsByCode {
    fn add(&mut self, batch: RecordBatch, _: &mut Output) -> Result<Added> {
        if !self.number(&batch)? {
            return Ok(Added::Remaining(Some(batch)));
        }
        self.results.add(&batch, &self.row_numbers, self.numbers.groups())?;
        self.rows += batch.num_rows();
        self.by_code.add(batch.num_rows());
        let searched = self.keys.iter().map(KeyCodes::searched).max().unwrap_or(0);
        let is_in_vain = self.rows >= PROBED_ROWS && searched > self.rows / MAX_SEARCHED;
        Ok(if is_in_vain { Added::Remaining(None) } else { Added::Grown })
    }

    fn size(&self) -> usize {
        let keys: usize = self.keys.iter().map(KeyCodes::size).sum();
        let numbers = self.numbers.size() + self.row_numbers.capacity() * size_of::<u32>();
        keys + numbers + self.results.size()
    }

    fn shrink(&mut self, _: &mut Output) -> Result<Added> {
        Ok(Added::Remaining(None))
    }

    fn emit(&mut self, output: &mut Output) -> Result<()> {
        let groups = self.numbers.groups();
        let keys = std::mem::take(&mut self.keys);
        let numbers = std::mem::replace(&mut self.numbers, GroupNumbers::new(keys.len()));
        if groups == 0 {
            return Ok(());
        }
        let schema = self.aggregate.schema();
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(schema.fields().len());
        for (place, key) in keys.iter().enumerate() {
            columns.push(take(&key.values()?, &UInt32Array::from(numbers.codes(place)), None)?);
        }
        columns.extend(self.results.take(groups)?);
        output.push(RecordBatch::try_new(schema, columns)?);
        Ok(())
    }

    fn pass_on(&self, rows: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        let (aggregate, partition, context) = (&self.aggregate, self.partition, self.context.clone());
        Ok(match self.next {
            Next::Hashed => hash_rows(aggregate, rows, partition, context)?.0,
            Next::NotHashed => hash_rows(aggregate, rows, partition, hashing_nothing(&context))?.0,
            Next::Clustered => {
                let output = self.metrics.intermediate();
                clustered_groups::open(aggregate, rows, &self.counters, output, partition, context)?
            }
        })
    }
}

impl GroupsByCode {
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
}

/// Returns a context in which partial aggregates turn rows into groups of one row.
fn hashing_nothing(context: &TaskContext) -> Arc<TaskContext> {
    let mut config = context.session_config().clone();
    let options = config.options_mut();
    options.execution.skip_partial_aggregation_probe_ratio_threshold = 0.0;
    options.execution.skip_partial_aggregation_probe_rows_threshold = 1;
    with_parts(context, config, context.runtime_env())
}
