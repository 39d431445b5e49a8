//! Rows that a statement makes itself, without a query.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

/// Makes the rows on execution.
type Make = Arc<dyn Fn() -> BoxFuture<'static, DataFusionResult<RecordBatch>> + Send + Sync>;

/// The rows of another plan, if there is one, and then one batch that is made on execution.
#[derive(Clone)]
pub(in crate::plan) struct RowsExec {
    first: Option<Arc<dyn ExecutionPlan>>,
    make: Make,
    properties: Arc<PlanProperties>,
}

impl RowsExec {
    /// Returns a plan's rows, followed by others.
    pub fn after(first: Arc<dyn ExecutionPlan>, rows: RecordBatch) -> Self {
        let make = move || std::future::ready(Ok(rows.clone())).boxed();
        Self { properties: properties(first.schema()), make: Arc::new(make), first: Some(first) }
    }

    /// Returns lines of text in one column, made on execution.
    pub fn text<M, F>(column: &str, make: M) -> Self
    where
        M: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = DataFusionResult<Vec<String>>> + Send + 'static,
    {
        let schema = Arc::new(Schema::new(vec![Field::new(column, DataType::Utf8, false)]));
        let of_rows = schema.clone();
        let make = move || {
            let (schema, lines) = (of_rows.clone(), make());
            async move {
                let column: ArrayRef = Arc::new(StringArray::from(lines.await?));
                Ok(RecordBatch::try_new(schema, vec![column])?)
            }
            .boxed()
        };
        Self { properties: properties(schema), make: Arc::new(make), first: None }
    }
}

fn properties(schema: SchemaRef) -> Arc<PlanProperties> {
    let (equivalences, partitioning) =
        (EquivalenceProperties::new(schema), Partitioning::UnknownPartitioning(1));
    Arc::new(PlanProperties::new(equivalences, partitioning, EmissionType::Final, Boundedness::Bounded))
}

impl fmt::Debug for RowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsExec").field("first", &self.first).finish_non_exhaustive()
    }
}

impl DisplayAs for RowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowsExec")
    }
}

impl ExecutionPlan for RowsExec {
    fn name(&self) -> &str {
        "RowsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.first.iter().collect()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { first: children.pop(), ..Self::clone(&self) }))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { first: children.pop(), ..Self::clone(&self) }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let made = stream::once((self.make)());
        let rows = match &self.first {
            Some(first) => first.execute(partition, context)?.chain(made).boxed(),
            None => made.boxed(),
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}
