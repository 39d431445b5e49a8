//! Build side of a join by one key, collected once for all threads: a table of the keys, and
//! columns of its rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow::array::{Array, ArrayRef, UInt32Array, new_empty_array};
use arrow::compute::{concat, take};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::utils::memory::RecordBatchMemoryCounter;
use datafusion::common::{JoinType, NullEquality};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::joins::{HashJoinExec, PartitionMode};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::TryStreamExt;
use futures::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;

use crate::scan::{KeyTable, NO_KEY};

/// End of a chain of rows.
const NO_ROW: u32 = u32::MAX;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

type Expr = Arc<dyn PhysicalExpr>;

/// A hash join by one key, a whole number or a date, with one table for all threads.
#[derive(Debug, Clone)]
pub(in crate::plan::rules) struct KeyedJoin {
    /// Build side, with one partition.
    pub left: Arc<dyn ExecutionPlan>,
    /// Probe side.
    pub right: Arc<dyn ExecutionPlan>,
    pub join_type: JoinType,
    /// The key, over the build side and over the probe side.
    pub on: (Expr, Expr),
    /// Filter of the probe side's scans, which wait for it.
    filter: Option<Expr>,
}

impl KeyedJoin {
    /// Returns a join's parts; `None` if it has other keys, a further condition, or a table for
    /// each thread.
    ///
    /// # Errors
    /// The key has no type.
    pub fn of(join: &HashJoinExec) -> Result<Option<Self>> {
        let [on] = join.on() else { return Ok(None) };
        let (left, right) = (join.left().clone(), join.right().clone());
        let types = (on.0.data_type(&left.schema())?, on.1.data_type(&right.schema())?);
        let is_possible = *join.partition_mode() == PartitionMode::CollectLeft
            && join.filter().is_none()
            && join.fetch().is_none()
            && join.null_equality() == NullEquality::NullEqualsNothing
            && !join.null_aware
            && types.0 == types.1
            && KeyTable::takes(&types.0);
        let filter = join.dynamic_expressions_produced().into_iter().next();
        let (join_type, on) = (*join.join_type(), on.clone());
        Ok(is_possible.then_some(Self { left, right, join_type, on, filter }))
    }

    /// Returns the sides.
    pub fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.left, &self.right]
    }

    /// Returns the join with other sides.
    pub fn with_children(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Self {
        let mut join = self.clone();
        if let (Some(right), Some(left)) = (children.pop(), children.pop()) {
            (join.left, join.right) = (left, right);
        }
        join
    }

    /// Returns the join for another execution of the plan. Scans keep the filter of the first one,
    /// or none.
    pub fn again(&self) -> Self {
        Self { filter: None, ..self.clone() }
    }
}

/// The build side, once it is collected.
pub(in crate::plan::rules) type SharedKeys =
    Shared<BoxFuture<'static, Result<Arc<BuiltKeys>, Arc<DataFusionError>>>>;

/// The build side of one execution of a plan.
#[derive(Default)]
pub(in crate::plan::rules) struct BuildSide(Mutex<Option<SharedKeys>>);

impl BuildSide {
    /// Starts to collect the build side in the first call, with columns of its rows. `tells`: the
    /// matched keys are noted, for [`Matches`].
    ///
    /// # Errors
    /// The build side can't start.
    pub fn collected(
        &self,
        join: &KeyedJoin,
        columns: Vec<Expr>,
        tells: bool,
        metrics: &ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<SharedKeys> {
        let mut built = self.0.lock();
        if let Some(built) = &*built {
            return Ok(built.clone());
        }
        let KeyedJoin { left, right, on, filter, .. } = join.clone();
        let rows = left.execute(0, context.clone())?;
        let memory = MemoryConsumer::new("HashJoinInput").register(context.memory_pool());
        let partitions = tells.then(|| right.output_partitioning().partition_count());
        let counted = MetricBuilder::new(metrics).counter("build_input_rows", 0);
        let collected = BuiltKeys::collect(rows, on.0, columns, partitions, memory, counted);
        let collected = async move {
            let built = collected.await?;
            let filter =
                filter.as_ref().and_then(|filter| filter.downcast_ref::<DynamicFilterPhysicalExpr>());
            if let Some(filter) = filter {
                filter.update(built.table.condition(&on.1, &right.schema())?)?;
                filter.mark_complete();
            }
            Ok(Arc::new(built))
        };
        let collected = collected.map(|built: Result<_>| built.map_err(Arc::new)).boxed().shared();
        *built = Some(collected.clone());
        Ok(collected)
    }
}

/// Rows of the build side.
pub(in crate::plan::rules) struct BuiltKeys {
    pub table: Arc<KeyTable>,
    /// Columns, one value for each row.
    columns: Vec<ArrayRef>,
    /// Next row with the same key, for each row; `None` if all keys differ.
    next_rows: Option<Vec<u32>>,
    /// Keys that were matched, if these are noted.
    pub matches: Option<Matches>,
    _memory: MemoryReservation,
}

/// Keys of the build side that the partitions of the probe side matched.
pub(in crate::plan::rules) struct Matches {
    /// Number of each row's key.
    numbers: Vec<u32>,
    /// One bit for each key: it was matched.
    matched: Vec<AtomicU64>,
    /// Partitions that have not ended.
    running: AtomicUsize,
}

impl BuiltKeys {
    /// Collects the rows of a build side by their key. Matches are noted for so many `partitions`
    /// of the probe side, if for any.
    ///
    /// # Errors
    /// The input fails, memory is short, or the numbers of its rows have more than 32 bits.
    async fn collect(
        mut rows: SendableRecordBatchStream,
        key: Expr,
        columns: Vec<Expr>,
        partitions: Option<usize>,
        memory: MemoryReservation,
        counted: Count,
    ) -> Result<Self> {
        let schema = rows.schema();
        let wanted = || std::iter::once(&key).chain(&columns);
        let mut collected: Vec<Vec<ArrayRef>> = vec![Vec::new(); columns.len() + 1];
        let mut counter = RecordBatchMemoryCounter::new();
        let mut count = 0;
        while let Some(batch) = rows.try_next().await? {
            counted.add(batch.num_rows());
            count += batch.num_rows();
            memory.try_resize(counter.count_batch(&batch).max(counter.memory_usage()))?;
            for (all, expr) in collected.iter_mut().zip(wanted()) {
                all.push(expr.evaluate(&batch)?.into_array(batch.num_rows())?);
            }
        }
        if count >= NO_ROW as usize {
            return Err(DataFusionError::ResourcesExhausted(format!(
                "the table of a hash join has {count} rows, and may have {NO_ROW}"
            )));
        }
        memory.try_grow(KeyTable::most_bytes(count))?;
        let mut whole = Vec::new();
        for (parts, expr) in collected.into_iter().zip(wanted()) {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            whole.push(match parts.is_empty() {
                true => new_empty_array(&expr.data_type(&schema)?),
                false => concat(&parts)?,
            });
        }
        let (table, numbers) = KeyTable::new(&whole.remove(0))?;
        let next_rows = chains(&table, &numbers);
        let columns: usize = whole.iter().map(|column| column.get_array_memory_size()).sum();
        memory.try_resize(columns + table.bytes() + 2 * numbers.len() * size_of::<u32>())?;
        let matches = partitions.map(|partitions| Matches {
            matched: (0..table.first_rows().len().div_ceil(WORD)).map(|_| AtomicU64::new(0)).collect(),
            numbers,
            running: AtomicUsize::new(partitions),
        });
        Ok(Self { table: Arc::new(table), columns: whole, next_rows, matches, _memory: memory })
    }

    /// Returns the columns of the rows of some keys, and then results that each key has one of: the
    /// rows of a key have the same.
    ///
    /// # Errors
    /// A column would be too large.
    pub fn with_results(&self, keys: &[u32], results: Vec<ArrayRef>) -> Result<Vec<ArrayRef>> {
        let first = keys.iter().map(|&key| self.table.first_rows()[key as usize]);
        let Some(next_rows) = &self.next_rows else {
            let mut columns = self.take(first.collect::<Vec<_>>())?;
            columns.extend(results);
            return Ok(columns);
        };
        let (mut rows, mut sources) = (Vec::new(), Vec::new());
        for (source, first) in first.enumerate() {
            let mut row = first;
            while row != NO_ROW {
                rows.push(row);
                sources.push(source as u32);
                row = next_rows[row as usize];
            }
        }
        let mut columns = self.take(rows)?;
        let sources = UInt32Array::from(sources);
        for result in results {
            columns.push(take(&result, &sources, None)?);
        }
        Ok(columns)
    }

    /// Returns an empty set of keys.
    pub fn no_keys(&self) -> SeenKeys {
        SeenKeys(vec![0; self.table.first_rows().len().div_ceil(WORD)])
    }

    /// Returns rows as a batch of a schema.
    ///
    /// # Errors
    /// A column would be too large.
    pub fn rows(&self, rows: Vec<u32>, schema: &SchemaRef) -> Result<RecordBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        Ok(RecordBatch::try_new_with_options(schema.clone(), self.take(rows)?, &options)?)
    }

    /// Returns the columns of rows.
    ///
    /// # Errors
    /// A column would be too large.
    pub fn take(&self, rows: Vec<u32>) -> Result<Vec<ArrayRef>> {
        let rows = UInt32Array::from(rows);
        let columns = self.columns.iter().map(|column| Ok(take(column, &rows, None)?));
        columns.collect()
    }
}

/// Returns the next row with the same key, for each row; `None` if all keys differ.
fn chains(table: &KeyTable, numbers: &[u32]) -> Option<Vec<u32>> {
    let keyed = numbers.iter().filter(|&&number| number != NO_KEY).count();
    if keyed == table.first_rows().len() {
        return None;
    }
    let mut next_rows = vec![NO_ROW; numbers.len()];
    let mut latest = table.first_rows().to_vec();
    for (row, &number) in numbers.iter().enumerate().filter(|(_, number)| **number != NO_KEY) {
        let latest = &mut latest[number as usize];
        if *latest != row as u32 {
            next_rows[*latest as usize] = row as u32;
            *latest = row as u32;
        }
    }
    Some(next_rows)
}

/// Keys of the build side that a partition of the probe side has: one bit for each.
pub(in crate::plan::rules) struct SeenKeys(Vec<u64>);

impl SeenKeys {
    /// Adds a key by its number.
    #[inline]
    pub fn insert(&mut self, key: u32) {
        self.0[key as usize / WORD] |= 1 << (key as usize % WORD);
    }
}

impl Matches {
    /// Notes the keys that a partition matched.
    pub fn mark(&self, seen: &SeenKeys) {
        for (word, seen) in self.matched.iter().zip(&seen.0).filter(|(_, seen)| **seen != 0) {
            word.fetch_or(*seen, Ordering::Relaxed);
        }
    }

    /// Ends a partition, with the keys that it matched. If it was the last one, returns the rows
    /// with a match, or those without.
    pub fn end(&self, seen: &SeenKeys, with_match: bool) -> Vec<u32> {
        self.mark(seen);
        if self.running.fetch_sub(1, Ordering::AcqRel) > 1 {
            return Vec::new();
        }
        let words: Vec<u64> = self.matched.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let is_matched =
            |key: u32| key != NO_KEY && words[key as usize / WORD] >> (key as usize % WORD) & 1 == 1;
        let rows = self.numbers.iter().enumerate().filter(|(_, key)| is_matched(**key) == with_match);
        rows.map(|(row, _)| row as u32).collect()
    }
}
