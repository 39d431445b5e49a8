//! Table functions without arguments, whose rows are made when a query runs.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::stream;

use crate::error::{Error, Result, wrap};
use crate::plan::session::Session;

/// Makes the rows of a function.
type Make = Arc<dyn Fn() -> Result<RecordBatch> + Send + Sync>;

impl Session {
    /// Registers a function that is called in FROM without arguments. Its rows are made anew each
    /// time that a query with it runs.
    pub fn register_rows(
        &self,
        name: &str,
        schema: SchemaRef,
        make: impl Fn() -> Result<RecordBatch> + Send + Sync + 'static,
    ) {
        let function = RowFunction { name: name.to_owned(), schema, make: Arc::new(make) };
        self.context.register_udtf(name, Arc::new(function));
    }
}

#[derive(Clone)]
struct RowFunction {
    name: String,
    schema: SchemaRef,
    make: Make,
}

impl fmt::Debug for RowFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}()", self.name)
    }
}

impl TableFunctionImpl for RowFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> DataFusionResult<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return Err(wrap(Error::Query(format!("{0} takes no arguments: FROM {0}()", self.name))));
        }
        Ok(Arc::new(StreamingTable::try_new(self.schema.clone(), vec![Arc::new(self.clone())])?))
    }
}

impl PartitionStream for RowFunction {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let make = self.make.clone();
        let rows = stream::once(async move { make().map_err(wrap) });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), rows))
    }
}
