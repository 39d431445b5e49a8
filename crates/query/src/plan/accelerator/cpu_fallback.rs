//! Fallback to the CPU for an accelerated part that fails before its first row is handed on.

use std::error::Error as StdError;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, TryStreamExt, stream};

use super::report::Notes;
use super::report::one_line;
use crate::error::{Error, wrap};
use crate::plan::accelerator::DeviceFailure;

/// Bytes of rows that are held back until the accelerator has returned all of its rows: after the
/// first row is handed on, the CPU can't start again. Interactive results are far smaller. A larger
/// result is on its way to a file and need not fit in memory.
const HELD_BYTES: usize = 256 << 20;

/// Two plans for the same rows.
pub(super) struct Replaceable {
    pub accelerator: String,
    pub device: Result<Arc<dyn ExecutionPlan>, String>,
    pub cpu: Arc<dyn ExecutionPlan>,
    pub notes: Notes,
}

impl Replaceable {
    /// Returns the rows, with the schema of the CPU's plan.
    pub fn run(self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let schema = self.cpu.schema();
        let rows = stream::once(self.start(context)).try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }

    async fn start(self, context: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let held = match &self.device {
            Ok(device) => self.hold(device, &context).await,
            Err(why) => Err(Failed::Device(why.clone())),
        };
        match held {
            Ok(rows) => Ok(rows),
            Err(Failed::Query(error)) => Err(error),
            Err(Failed::Device(why)) => {
                self.notes.add(format!("{} failed, and the CPU ran its part: {why}", self.accelerator));
                self.cpu.execute(0, context)
            }
        }
    }

    /// Collects the accelerator's rows up to the limit.
    async fn hold(
        &self,
        device: &Arc<dyn ExecutionPlan>,
        context: &Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream, Failed> {
        let schema = self.cpu.schema();
        let memory = MemoryConsumer::new("rows of an accelerator").register(context.memory_pool());
        let mut rows = device.execute(0, context.clone())?;
        let mut held = Vec::new();
        while let Some(batch) = rows.next().await {
            let batch = typed(&schema, batch?)?;
            let has_room = grow(&memory, batch.get_array_memory_size());
            held.push(Ok(batch));
            if !has_room {
                return Ok(self.remaining_rows(held, rows, memory));
            }
        }
        let rows = stream::iter(held).inspect(move |_| {
            // held until the last row is handed on
            let _ = &memory;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }

    /// Returns the held rows, and then the rest as it comes.
    fn remaining_rows(
        &self,
        held: Vec<DataFusionResult<RecordBatch>>,
        rest: SendableRecordBatchStream,
        memory: MemoryReservation,
    ) -> SendableRecordBatchStream {
        let (schema, accelerator) = (self.cpu.schema(), self.accelerator.clone());
        let types = schema.clone();
        let rest = rest.map(move |batch| {
            let batch = batch.map_err(Failed::from).and_then(|batch| typed(&types, batch));
            batch.map_err(|failed| failed.too_late(&accelerator))
        });
        let rows = stream::iter(held).chain(rest).inspect(move |_| {
            let _ = &memory;
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

fn grow(memory: &MemoryReservation, bytes: usize) -> bool {
    memory.size().saturating_add(bytes) <= HELD_BYTES && memory.try_grow(bytes).is_ok()
}

/// The side that failed.
enum Failed {
    /// The device: the CPU can do it.
    Device(String),
    /// The query, which would fail on the CPU too.
    Query(DataFusionError),
}

impl From<DataFusionError> for Failed {
    fn from(error: DataFusionError) -> Failed {
        match device_failure(&error) {
            Some(failure) => Failed::Device(one_line(&failure.0)),
            None => Failed::Query(error),
        }
    }
}

impl Failed {
    /// Returns the error after rows have been handed on.
    fn too_late(self, accelerator: &str) -> DataFusionError {
        match self {
            Failed::Query(error) => error,
            Failed::Device(why) => wrap(Error::Execution(format!(
                "{accelerator} failed after the first rows were given out: {why}; the query runs on the CPU with \
                 --device cpu"
            ))),
        }
    }
}

/// Returns the batch under the plan's schema. A batch with another schema is the accelerator's
/// fault.
fn typed(schema: &SchemaRef, batch: RecordBatch) -> Result<RecordBatch, Failed> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = batch.columns().to_vec();
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
        .map_err(|error| Failed::Device(one_line(&format!("its rows are of other types: {error}"))))
}

/// Returns the device's failure inside of an error, under all of DataFusion's wrappers.
fn device_failure(error: &DataFusionError) -> Option<&DeviceFailure> {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(failure) = error.downcast_ref::<DeviceFailure>() {
            return Some(failure);
        }
        cause = match error.downcast_ref::<DataFusionError>() {
            Some(DataFusionError::External(inner)) => Some(inner.as_ref()),
            Some(DataFusionError::Shared(inner)) => Some(inner.as_ref()),
            _ => error.source(),
        };
    }
    None
}

/// Returns the reason why an accelerator could not plan a node.
pub(super) fn reason(error: &DataFusionError) -> String {
    match device_failure(error) {
        Some(failure) => one_line(&failure.0),
        None => one_line(&error.strip_backtrace()),
    }
}
