//! Stream of batches of one partition, with read-ahead and memory reservations.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::DynamicFilterPhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;
use pelton_pages::{Prefetched, ScanSpec, WindowBatches};

use super::execution::Execution;
use super::queue::Morsel;
use super::source::PeltonSource;
use crate::error::wrap;
use crate::floats::canonical_nans;

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
        pool: MemoryConsumer::new(name).register(context.memory_pool()),
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
    pool: MemoryReservation,
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
    spec: ScanSpec,
    window: Prefetched,
    memory: MemoryReservation,
}

/// A window that is being decoded.
struct Current {
    file: usize,
    spec: ScanSpec,
    batches: WindowBatches,
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
            let Ahead { file, spec, window, memory } = match loaded {
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
                Some(batches) => self.current = Some(Current { file, spec, batches, memory }),
                None => self.spare = Some(memory),
            }
        }
    }

    /// Starts reading the next window. A lack of memory for it is an error only if the window is
    /// `due` and no other one is held.
    fn start(&mut self, due: bool) -> SpawnedTask<DataFusionResult<Loaded>> {
        let memory = self.spare.take().unwrap_or_else(|| self.pool.new_empty());
        let (execution, postponed, batch_size) =
            (self.execution.clone(), self.postponed.take(), self.batch_size);
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
            if missing > 0 && memory.try_grow(missing.saturating_add(needed / RESERVE)).is_err() {
                match memory.try_grow(missing) {
                    Err(error) if due => return Err(error),
                    Err(_) => return Ok(Loaded::OutOfMemory(morsel)),
                    Ok(()) => {}
                }
            }
            let window = morsel.window.load(file, &spec).await.map_err(wrap)?;
            Ok(Loaded::Ahead(Ahead { file: morsel.file, spec, window, memory }))
        })
    }

    /// Turns a batch of the file's columns into one of the output's columns.
    fn project(&self, batch: RecordBatch) -> DataFusionResult<RecordBatch> {
        let Some(current) = &self.current else { return Ok(batch) };
        let table = self.execution.queue().table();
        let file = &table.files[current.file];
        let rows = batch.num_rows();
        let columns = self.projection.iter().map(|&column| match file.columns.get(column) {
            Some(in_file) => {
                let index = current
                    .spec
                    .output
                    .binary_search(in_file)
                    .map_err(|_| DataFusionError::Internal(format!("column {column} was not read")))?;
                Ok(canonical_nans(batch.column(index))?)
            }
            None => file.partitions[column - table.file_columns].to_array_of_size(rows),
        });
        let columns = columns.collect::<DataFusionResult<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }
}
