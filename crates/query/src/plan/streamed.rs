//! Plans over rows that are under way.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::stream;
use parking_lot::Mutex;

/// Returns a plan of one partition with the rows of a stream, which runs once.
///
/// # Errors
/// A fault of DataFusion's.
pub(in crate::plan) fn streamed(rows: SendableRecordBatchStream) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = rows.schema();
    let rows = Streamed { schema: schema.clone(), rows: Mutex::new(Some(rows)) };
    Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(rows)], None, [], false, None)?))
}

struct Streamed {
    schema: SchemaRef,
    rows: Mutex<Option<SendableRecordBatchStream>>,
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows under way")
    }
}

impl PartitionStream for Streamed {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().take();
        let none = || Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), stream::empty()));
        rows.unwrap_or_else(|| none())
    }
}
