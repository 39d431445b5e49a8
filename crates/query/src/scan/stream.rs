//! Stream of batches of one partition, with read-ahead and memory reservations.

use std::iter::Flatten;
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use arrow::array::{ArrayRef, Int64Array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;
use pelton_pages::{Cause, Prefetched, ScanSpec, WindowBatches};

use super::execution::Execution;
use super::queue::Morsel;
use super::source::PeltonSource;
use crate::error::wrap;
use crate::floats::canonical_nans;
use crate::table::{TableFile, TableFiles};

/// Opens a partition. Reading starts with the request for the first batch: by then the other side
/// of a join may have sent its filter.
pub(super) fn open(
    source: &PeltonSource,
    execution: Execution,
    context: &TaskContext,
) -> SendableRecordBatchStream {
    let name = format!("the scan of {}", source.files().location);
    let scan = Scan {
        execution: Arc::new(execution),
        schema: source.schema().clone(),
        projection: source.projection.clone(),
        batch_size: context.session_config().batch_size(),
        remaining: source.limit.unwrap_or(usize::MAX),
        pool: context.memory_pool().clone(),
        memory: MemoryConsumer::new(name).register(context.memory_pool()),
        awaited: source.awaited.clone(),
        ahead: None,
        postponed: None,
        current: None,
        spare: None,
    };
    let batches = stream::try_unfold(scan, |mut scan| async move {
        let batch = scan.next().await?;
        Ok(batch.map(|batch| (batch, scan)))
    });
    Box::pin(RecordBatchStreamAdapter::new(source.schema().clone(), batches))
}

struct Scan {
    execution: Arc<Execution>,
    schema: SchemaRef,
    /// Columns of the table that the output has.
    projection: Vec<usize>,
    batch_size: usize,
    /// Rows still to emit.
    remaining: usize,
    pool: Arc<dyn MemoryPool>,
    /// Empty; those of windows are made of it.
    memory: MemoryReservation,
    /// Conditions to wait for before anything is read.
    awaited: Vec<Arc<DynamicFilterPhysicalExpr>>,
    /// The next window, being read while the current one is decoded.
    ahead: Option<SpawnedTask<DataFusionResult<Loaded>>>,
    /// A window that did not fit in memory together with the current one.
    postponed: Option<Morsel>,
    current: Option<Current>,
    /// The last window's reservation, kept for the next. Sorts and aggregates fill all free memory
    /// and spill only for themselves, so a scan that frees memory between windows may not get it
    /// again.
    spare: Option<MemoryReservation>,
}

/// A window's reservation is larger than the window by the `RESERVE`th part, so that it suffices
/// for slightly larger ones.
const RESERVE: usize = 4;

/// Divisor of a memory limit for the part that windows which are read ahead leave free, for the
/// operators above the scan.
const LEFT_FREE: usize = 4;

/// Returns whether a window of so many bytes has to wait for the one before it.
fn is_short(pool: &Arc<dyn MemoryPool>, bytes: usize) -> bool {
    match pool.memory_limit() {
        MemoryLimit::Finite(limit) => pool.reserved().saturating_add(bytes) > limit - limit / LEFT_FREE,
        MemoryLimit::Infinite | MemoryLimit::Unknown => false,
    }
}

/// Result of starting on the next window.
enum Loaded {
    Ahead(Ahead),
    /// It has to wait for the memory of the one before it.
    OutOfMemory(Morsel),
    /// There is none.
    End,
}

/// A window with read-ahead under way.
struct Ahead {
    file: usize,
    row_group: usize,
    spec: ScanSpec,
    window: Prefetched,
    memory: MemoryReservation,
}

/// Numbers of rows in a file.
type RowNumbers = Flatten<IntoIter<Range<i64>>>;

/// A window that is being decoded.
struct Current {
    file: usize,
    spec: ScanSpec,
    batches: WindowBatches,
    /// The rows of the next batches in the file, if they are in the output.
    numbers: RowNumbers,
    /// Held until the window's pages are dropped.
    memory: MemoryReservation,
}

impl Scan {
    async fn next(&mut self) -> DataFusionResult<Option<RecordBatch>> {
        for filter in self.awaited.drain(..) {
            // the join may have been dropped with the execution that it was in
            if !self.execution.queue().is_repeated() {
                filter.wait_complete().await;
            }
        }
        loop {
            if self.remaining == 0 {
                (self.ahead, self.current, self.spare) = (None, None, None);
                return Ok(None);
            }
            if let Some(current) = &mut self.current {
                match current.batches.next() {
                    Some(batch) => {
                        let batch = batch.map_err(wrap)?;
                        let batch = self.project(batch)?;
                        let batch = if batch.num_rows() > self.remaining {
                            batch.slice(0, self.remaining)
                        } else {
                            batch
                        };
                        self.remaining -= batch.num_rows();
                        return Ok(Some(batch));
                    }
                    None => self.spare = self.current.take().map(|done| done.memory),
                }
            }
            let task = self.ahead.take().unwrap_or_else(|| self.start(true));
            let loaded = task.join_unwind().await.map_err(|e| DataFusionError::External(Box::new(e)))??;
            let Ahead { file, row_group, spec, window, memory } = match loaded {
                Loaded::Ahead(ahead) => ahead,
                Loaded::OutOfMemory(morsel) => {
                    self.postponed = Some(morsel);
                    continue;
                }
                Loaded::End => {
                    self.spare = None;
                    return Ok(None);
                }
            };
            self.ahead = Some(self.start(false));
            match window.filter(&spec).await.map_err(wrap)? {
                Some(batches) => {
                    let numbers = self.row_numbers(file, row_group, &batches);
                    self.current = Some(Current { file, spec, batches, numbers, memory });
                }
                None => self.spare = Some(memory),
            }
        }
    }

    /// Starts reading the next window. A lack of memory for it is an error only if the window is
    /// `due` and no other one is held.
    fn start(&mut self, due: bool) -> SpawnedTask<DataFusionResult<Loaded>> {
        let memory = self.spare.take().unwrap_or_else(|| self.memory.new_empty());
        let (execution, postponed, batch_size) =
            (self.execution.clone(), self.postponed.take(), self.batch_size);
        let pool = self.pool.clone();
        SpawnedTask::spawn(async move {
            let next = match postponed {
                Some(morsel) => Some(morsel),
                None => execution.next().await?,
            };
            let Some(morsel) = next else { return Ok(Loaded::End) };
            let queue = execution.queue();
            let spec = queue.spec(&morsel, batch_size);
            let file = queue.table().files[morsel.file].file.clone();
            let needed = morsel.window.memory(&file, &spec).map_err(wrap)?;
            let missing = needed.saturating_sub(memory.size());
            if missing > 0 && !due && is_short(&pool, missing) {
                return Ok(Loaded::OutOfMemory(morsel));
            }
            if missing > 0 && memory.try_grow(missing.saturating_add(needed / RESERVE)).is_err() {
                match memory.try_grow(missing) {
                    Err(error) if due => return Err(error),
                    Err(_) => return Ok(Loaded::OutOfMemory(morsel)),
                    Ok(()) => {}
                }
            }
            let row_group = morsel.window.row_group;
            let window = morsel.window.load(file, &spec).await.map_err(wrap)?;
            Ok(Loaded::Ahead(Ahead { file: morsel.file, row_group, spec, window, memory }))
        })
    }

    /// Returns the rows of a window in its file, if they are in the output.
    fn row_numbers(&self, file: usize, row_group: usize, batches: &WindowBatches) -> RowNumbers {
        let table = self.execution.queue().table();
        let is_wanted = table.row_number.is_some_and(|number| self.projection.contains(&number));
        let first = table.files[file].first_row(row_group);
        let ranges = if is_wanted { batches.row_ranges() } else { Vec::new() };
        let in_file: Vec<Range<i64>> =
            ranges.into_iter().map(|rows| first + rows.start as i64..first + rows.end as i64).collect();
        in_file.into_iter().flatten()
    }

    /// Turns a batch of the file's columns into one of the output's columns.
    fn project(&mut self, batch: RecordBatch) -> DataFusionResult<RecordBatch> {
        let Some(current) = &mut self.current else { return Ok(batch) };
        let table = self.execution.queue().table();
        let file = &table.files[current.file];
        let rows = batch.num_rows();
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.projection.len());
        for (place, &column) in self.projection.iter().enumerate() {
            columns.push(if table.row_number == Some(column) {
                match self.projection[..place].iter().position(|&other| other == column) {
                    Some(same) => columns[same].clone(),
                    None => Arc::new(Int64Array::from_iter_values(current.numbers.by_ref().take(rows))),
                }
            } else if let Some(value) = table.constant(file, column) {
                value.to_array_of_size(rows)?
            } else {
                let read =
                    file.column(column).and_then(|index| current.spec.output.binary_search(&index).ok());
                let index =
                    read.ok_or_else(|| DataFusionError::Internal(format!("column {column} was not read")))?;
                let values = canonical_nans(batch.column(index))?;
                match table.cast(file, column) {
                    Some(united) => widen(&values, united, table, file, column)?,
                    None => values,
                }
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}

/// Casts values of a file to the type that the table has for all its files.
fn widen(
    values: &ArrayRef,
    united: &DataType,
    table: &TableFiles,
    file: &TableFile,
    column: usize,
) -> DataFusionResult<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(values, united, &options).map_err(|error| {
        let place = file.file.place().column(table.schema.field(column).name().as_str());
        wrap(pelton_pages::Error::new(place, Cause::Decode(error.to_string())))
    })
}
