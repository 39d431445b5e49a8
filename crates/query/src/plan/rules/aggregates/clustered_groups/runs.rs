//! Groups of one partition, by runs of rows with equal keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericByteViewArray, RecordBatch, UInt32Array};
use arrow::buffer::{BooleanBuffer, Buffer};
use arrow::compute::kernels::cmp::distinct;
use arrow::compute::{concat, take};
use arrow::datatypes::{ByteViewType, DataType};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use pelton_dense::number_runs;

use super::NAME;
use crate::plan::rules::aggregates::grouping::{Added, GroupStream, Groups, Results, hash_rows};
use crate::plan::rules::aggregates::output::Output;
use crate::plan::rules::aggregates::rollups::level::Level;

/// Rows after which the operator is judged by the length of their runs.
const JUDGED_ROWS: usize = 4096;

/// Least rows of a run on average: with shorter ones, the partial results are about as many as the
/// rows.
const LEAST_RUN: usize = 2;

/// Most bytes of texts that the keys of runs keep, for each one that they have: a dictionary, which
/// the keys of many batches share, has some of its own.
const MOST_UNUSED: usize = 4;

/// Groups the rows of a partition for a partial aggregate. `output` counts its output and time.
///
/// # Errors
/// An aggregate has no partial results.
pub(in crate::plan::rules::aggregates) fn open(
    aggregate: &Arc<AggregateExec>,
    input: SendableRecordBatchStream,
    metrics: &ExecutionPlanMetricsSet,
    output: BaselineMetrics,
    partition: usize,
    context: Arc<TaskContext>,
) -> Result<SendableRecordBatchStream> {
    let counted = |name: &'static str| MetricBuilder::new(metrics).counter(name, partition);
    let keys = aggregate.group_expr().expr().len();
    let groups = GroupsByRun {
        aggregate: aggregate.clone(),
        partition,
        runs: Runs::new(aggregate, keys)?,
        level: Some(Level::of_all_keys(aggregate, &aggregate.schema())?),
        judged: Judged::default(),
        in_runs: counted("rows_in_runs"),
        runs_added: counted("runs"),
        context: context.clone(),
    };
    let (name, passed_on) = (format!("{NAME}[{partition}]"), counted("rows_of_short_runs"));
    Ok(GroupStream::new(groups, input, name, output, passed_on, &context).into_stream(aggregate))
}

/// Groups of a partition so far.
struct GroupsByRun {
    aggregate: Arc<AggregateExec>,
    partition: usize,
    /// Runs that were not merged or emitted yet.
    runs: Runs,
    /// Merges the runs of equal keys; `None` if this is in vain.
    level: Option<Level>,
    judged: Judged,
    in_runs: Count,
    runs_added: Count,
    context: Arc<TaskContext>,
}

/// Rows since the latest judgement, and their runs.
#[derive(Default)]
struct Judged {
    rows: usize,
    runs: usize,
}

impl Judged {
    /// Adds rows. Returns true if enough of them came, and their runs are too short.
    fn is_in_vain(&mut self, rows: usize, runs: usize) -> bool {
        self.rows += rows;
        self.runs += runs;
        if self.rows < JUDGED_ROWS {
            return false;
        }
        let judged = std::mem::take(self);
        judged.runs * LEAST_RUN > judged.rows
    }
}

impl Groups for GroupsByRun {
    fn add(&mut self, batch: RecordBatch, output: &mut Output) -> Result<Added> {
        let rows = batch.num_rows();
        let keys = self.aggregate.group_expr().expr().iter();
        let keys = keys.map(|(key, _)| key.evaluate(&batch)?.into_array(rows)).collect::<Result<Vec<_>>>()?;
        let changes = changes(&keys, rows)?;
        let runs = 1 + changes.count_set_bits();
        if self.judged.is_in_vain(rows, runs) {
            return Ok(Added::Remaining(Some(batch)));
        }
        self.runs.add(&batch, &keys, &changes)?;
        self.in_runs.add(rows);
        self.runs_added.add(runs);
        if self.runs.count < self.context.session_config().batch_size() {
            return Ok(Added::All);
        }
        self.merge(output)?;
        Ok(Added::Grown)
    }

    fn size(&self) -> usize {
        self.runs.results.size() + self.level.as_ref().map_or(0, Level::size)
    }

    fn shrink(&mut self, output: &mut Output) -> Result<Added> {
        self.emit_level(output)?;
        Ok(Added::All)
    }

    fn emit(&mut self, output: &mut Output) -> Result<()> {
        self.merge(output)?;
        self.emit_level(output)
    }

    fn pass_on(&self, rows: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        Ok(hash_rows(&self.aggregate, rows, self.partition, self.context.clone())?.0)
    }
}

impl GroupsByRun {
    /// Merges the present runs, or emits them if merging is in vain.
    fn merge(&mut self, output: &mut Output) -> Result<()> {
        let count = self.runs.count;
        let Some(columns) = self.runs.take()? else { return Ok(()) };
        let Some(level) = &mut self.level else {
            output.push(RecordBatch::try_new(self.aggregate.schema(), columns)?);
            return Ok(());
        };
        level.merge(&columns, count)?;
        if level.is_in_vain() {
            self.emit_level(output)?;
            self.level = None;
        }
        Ok(())
    }

    /// Emits the merged groups.
    fn emit_level(&mut self, output: &mut Output) -> Result<()> {
        let groups = self.level.as_mut().map(Level::take).transpose()?.flatten();
        if let Some(columns) = groups {
            output.push(RecordBatch::try_new(self.aggregate.schema(), columns)?);
        }
        Ok(())
    }
}

/// Returns for each row but the first one whether its keys differ from those of the row before.
fn changes(keys: &[ArrayRef], rows: usize) -> Result<BooleanBuffer> {
    let mut changes = BooleanBuffer::new_unset(rows - 1);
    for key in keys {
        let (before, after) = (key.slice(0, rows - 1), key.slice(1, rows - 1));
        changes = &changes | distinct(&before, &after)?.values();
    }
    // bits from the first one on
    Ok(BooleanBuffer::new(changes.sliced(), 0, rows - 1))
}

/// Returns the same values without bytes of texts that none of them has: the views of a few runs
/// would keep the pages of all rows in memory.
fn compact(values: ArrayRef) -> ArrayRef {
    match values.data_type() {
        DataType::Utf8View => compact_views(values.as_string_view()).unwrap_or(values),
        DataType::BinaryView => compact_views(values.as_binary_view()).unwrap_or(values),
        _ => values,
    }
}

fn compact_views<T: ByteViewType + ?Sized>(values: &GenericByteViewArray<T>) -> Option<ArrayRef> {
    let held: usize = values.data_buffers().iter().map(Buffer::len).sum();
    (held > MOST_UNUSED * values.total_buffer_bytes_used()).then(|| Arc::new(values.gc()) as ArrayRef)
}

/// Runs with their partial results.
struct Runs {
    /// Keys of the runs, by batches.
    keys: Vec<Vec<ArrayRef>>,
    results: Results,
    count: usize,
    /// Numbers of the runs of the rows of a batch.
    numbers: Vec<u32>,
    /// First rows of the runs of a batch.
    starts: Vec<u32>,
}

impl Runs {
    fn new(aggregate: &AggregateExec, keys: usize) -> Result<Self> {
        let results = Results::new(aggregate)?;
        let (numbers, starts) = (Vec::new(), Vec::new());
        Ok(Self { keys: vec![Vec::new(); keys], results, count: 0, numbers, starts })
    }

    /// Adds the runs of a batch.
    fn add(&mut self, batch: &RecordBatch, keys: &[ArrayRef], changes: &BooleanBuffer) -> Result<()> {
        self.numbers.clear();
        self.starts.clear();
        let first = self.count as u32;
        number_runs(changes.values(), batch.num_rows(), first, &mut self.numbers, &mut self.starts);
        self.count += self.starts.len();
        self.results.add(batch, &self.numbers, self.count)?;
        let starts = UInt32Array::from(std::mem::take(&mut self.starts));
        for (all, key) in self.keys.iter_mut().zip(keys) {
            all.push(compact(take(key, &starts, None)?));
        }
        self.starts = starts.into_parts().1.into_inner().into_vec().unwrap_or_default();
        Ok(())
    }

    /// Takes the runs out: their keys, and then the partial results. `None` if there are none.
    fn take(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let count = std::mem::take(&mut self.count);
        if count == 0 {
            return Ok(None);
        }
        let mut columns = Vec::new();
        for keys in &mut self.keys {
            let keys = std::mem::take(keys);
            let keys: Vec<_> = keys.iter().map(|keys| keys.as_ref()).collect();
            columns.push(concat(&keys)?);
        }
        columns.extend(self.results.take(count)?);
        Ok(Some(columns))
    }
}

#[cfg(test)]
mod tests;
