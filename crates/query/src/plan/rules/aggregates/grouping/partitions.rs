//! Final groups that are split among files by hash if memory is short.
//!
//! DataFusion's aggregate sorts the groups that don't fit by all keys, and merges its files row by
//! row. Here groups go to one of several files by hash, in any order, and each file is grouped as
//! the rows were; one that does not fit either is split by another hash (G. Graefe, "Query
//! Evaluation Techniques for Large Databases", ACM Computing Surveys, 1993, section 4: hash-based
//! aggregation with partitions).

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::compute::take_arrays;
use arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::hash_utils::{QualityRandomState, create_hashes};
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, SpillFile, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, ExecutionPlanMetricsSet, RecordOutput, SpillMetrics,
};
use datafusion::physical_plan::spill::SpillManager;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};

use super::{Method, Running};
use crate::plan::memory::OpenFile;
use crate::plan::rules::aggregates::mergeable::all_can_merge;
use crate::plan::rules::aggregates::output::Output;
use crate::plan::rules::aggregates::rollups::level::{Columns, Level};

/// Name of the operator.
const NAME: &str = "PartitionedAggregateExec";

/// Most and least files that the groups of one thread are split among, and of all threads
/// together: a process often may open no more than a thousand.
const MOST_FILES: usize = 16;
const LEAST_FILES: usize = 4;
const ALL_FILES: usize = 32;

/// Bytes of groups that are kept in any case. Each split leaves a part of them, so that the splits
/// of a file come to an end whatever others take of the limit.
const KEPT: usize = 1 << 20;

/// Most splits one after the other. Groups that are still together have the same hash by chance.
const DEEPEST: u64 = 32;

/// Seed of the first split's hash.
const SEED: u64 = 0x7065_6c74_6f6e;

/// Grouping by hash, with groups on disk by hash.
#[derive(Debug)]
pub(super) struct ByPartition;

impl ByPartition {
    /// Returns whether the operator can take an aggregate's place: it computes results from partial
    /// ones, which can be merged in any order.
    ///
    /// # Errors
    /// An aggregate has no partial results.
    pub fn is_possible(aggregate: &AggregateExec) -> Result<bool> {
        let is_last = matches!(aggregate.mode(), AggregateMode::Final | AggregateMode::FinalPartitioned);
        Ok(is_last && aggregate.group_expr().is_single() && all_can_merge(aggregate)?)
    }
}

impl Method for ByPartition {
    fn name(&self) -> Option<&'static str> {
        Some(NAME)
    }

    fn open(
        &self,
        aggregate: &Arc<AggregateExec>,
        metrics: &ExecutionPlanMetricsSet,
        _: &Running,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = aggregate.input().schema();
        let spill = SpillManager::new(
            context.runtime_env(),
            SpillMetrics::new(metrics, partition),
            nullable(&schema),
        );
        let spill = spill.with_compression_type(context.session_config().spill_compression());
        let memory = MemoryConsumer::new(format!("{NAME}[{partition}]"));
        let groups = Groups {
            rows: Some(aggregate.input().execute(partition, context.clone())?),
            depth: 0,
            level: Level::of_all_keys(aggregate, &schema)?,
            open: Vec::new(),
            closed: Vec::new(),
            spill,
            output: Output::new(context.session_config().batch_size()),
            memory: memory.with_can_spill(true).register(context.memory_pool()),
            metrics: BaselineMetrics::new(metrics, partition),
            batch_size: context.session_config().batch_size().max(1),
            files: files(aggregate.properties().output_partitioning().partition_count()),
            aggregate: aggregate.clone(),
        };
        let batches = stream::try_unfold(groups, |mut state| async move {
            let batch = state.next().await?;
            Ok(batch.map(|batch| (batch, state)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(aggregate.schema(), batches)))
    }
}

/// Groups of a partition so far.
struct Groups {
    aggregate: Arc<AggregateExec>,
    /// The input, or a file; `None` once its groups were emitted or split.
    rows: Option<SendableRecordBatchStream>,
    /// Number of splits that the rows come from.
    depth: u64,
    level: Level,
    /// Files that the rows are split among; empty if all groups are in memory.
    open: Vec<OpenFile>,
    /// Files to be grouped, each with the number of its splits.
    closed: Vec<(Arc<dyn SpillFile>, u64)>,
    spill: SpillManager,
    output: Output,
    memory: MemoryReservation,
    metrics: BaselineMetrics,
    batch_size: usize,
    /// Number of files of a split.
    files: usize,
}

impl Groups {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.output.next() {
                return Ok(Some(batch.record_output(&self.metrics)));
            }
            let Some(rows) = &mut self.rows else {
                self.memory.free();
                let Some((file, depth)) = self.closed.pop() else { return Ok(None) };
                (self.rows, self.depth) = (Some(self.spill.read_spill_as_stream(file, None)?), depth);
                continue;
            };
            let batch = rows.next().await.transpose()?;
            let compute = self.metrics.elapsed_compute().clone();
            let _timer = compute.timer();
            match batch {
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => self.merge(&batch)?,
                None => self.finish()?,
            }
        }
    }

    /// Merges groups, and splits all so far if they don't fit in memory.
    fn merge(&mut self, batch: &RecordBatch) -> Result<()> {
        let keys = self.aggregate.group_expr().expr().iter();
        let keys = keys.map(|(key, _)| key.evaluate(batch)?.into_array(batch.num_rows()));
        let mut columns = keys.collect::<Result<Columns>>()?;
        columns.extend_from_slice(&batch.columns()[columns.len()..]);
        self.level.merge(&columns, batch.num_rows())?;
        let size = self.level.size();
        if size <= KEPT {
            return Ok(());
        }
        match self.memory.try_resize(size) {
            // a single group can't be split
            Err(refused) if self.level.count() < 2 || self.depth == DEEPEST => Err(refused),
            Err(_) => self.split(),
            Ok(()) => Ok(()),
        }
    }

    /// Emits the groups of the input or a file, or closes the files that it was split among.
    fn finish(&mut self) -> Result<()> {
        self.rows = None;
        if !self.open.is_empty() {
            self.split()?;
            for file in self.open.drain(..) {
                self.closed.extend(file.close()?.map(|file| (file, self.depth + 1)));
            }
            return Ok(());
        }
        if let Some(columns) = self.level.take_results()? {
            self.output.push(RecordBatch::try_new(self.aggregate.schema(), columns)?);
        }
        Ok(())
    }

    /// Adds all groups to files by the hash of their keys.
    fn split(&mut self) -> Result<()> {
        let Some(columns) = self.level.take()? else { return Ok(()) };
        for _ in self.open.len()..self.files {
            self.open.push(OpenFile::create(&self.spill, "groups of an aggregate")?);
        }
        let keys = &columns[..self.aggregate.group_expr().expr().len()];
        for (file, groups) in self.open.iter_mut().zip(by_hash(keys, self.depth, self.files)?) {
            for groups in groups.chunks(self.batch_size) {
                let columns = take_arrays(&columns, &UInt32Array::from(groups.to_vec()), None)?;
                file.push(&RecordBatch::try_new(self.spill.schema().clone(), columns)?)?;
            }
        }
        drop(columns);
        self.memory.free();
        Ok(())
    }
}

/// Returns the numbers of the groups that each file gets. The hash is another one for each depth,
/// and another one than that by which rows are sent to threads.
fn by_hash(keys: &[ArrayRef], depth: u64, files: usize) -> Result<Vec<Vec<u32>>> {
    let count = keys.first().map_or(0, |key| key.len());
    let mut hashes = vec![0; count];
    create_hashes(keys, &QualityRandomState::with_seed(SEED + depth), &mut hashes)?;
    let mut parts = vec![Vec::with_capacity(count / files * 5 / 4); files];
    for (group, hash) in (0..).zip(hashes) {
        parts[(hash % files as u64) as usize].push(group);
    }
    Ok(parts)
}

/// Returns the number of files that each of some threads splits its groups among.
fn files(threads: usize) -> usize {
    (ALL_FILES / threads.max(1)).clamp(LEAST_FILES, MOST_FILES)
}

/// Returns a schema with columns that may be null, as partial results of merged groups may be.
fn nullable(schema: &SchemaRef) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests;
