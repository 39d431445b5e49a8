//! Plans of statements: rows that a statement makes itself, and its effect.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result as DataFusionResult;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, execute_stream,
};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

use super::executable::Plan;
use crate::error::{Result, wrap};

/// A batch that is being made.
type Made = BoxFuture<'static, DataFusionResult<RecordBatch>>;

/// The rows of a statement.
#[derive(Clone)]
enum Make {
    /// The rows of the input, and then these.
    After(RecordBatch),
    /// One batch, made on execution.
    New(Arc<dyn Fn() -> Made + Send + Sync>),
    /// The rows of the input, changed batch by batch.
    Each(fn(&RecordBatch) -> DataFusionResult<RecordBatch>),
    /// One batch, made of the rows of the input.
    Of(Arc<dyn Fn(SendableRecordBatchStream) -> Made + Send + Sync>),
}

/// Plan of a statement: the rows of another plan and one batch more, or one batch that is made on
/// execution. A statement takes effect while that batch is made.
#[derive(Clone)]
pub(in crate::plan) struct RowsExec {
    /// The plan's line in EXPLAIN.
    label: Arc<str>,
    input: Option<Arc<dyn ExecutionPlan>>,
    make: Make,
    properties: Arc<PlanProperties>,
}

impl RowsExec {
    /// Returns a plan's rows, followed by others.
    pub fn after(first: Arc<dyn ExecutionPlan>, rows: RecordBatch) -> Self {
        let properties = properties(first.schema());
        Self { label: "RowsExec".into(), properties, make: Make::After(rows), input: Some(first) }
    }

    /// Returns a plan's rows, changed batch by batch.
    pub fn each(
        label: &str,
        input: Arc<dyn ExecutionPlan>,
        change: fn(&RecordBatch) -> DataFusionResult<RecordBatch>,
    ) -> Self {
        Self { input: Some(input.clone()), ..Self::new(label, input.schema(), Make::Each(change)) }
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
        Self::new("RowsExec", schema, Make::New(Arc::new(make)))
    }

    /// Returns these rows.
    pub fn of(label: &str, rows: RecordBatch) -> Self {
        let schema = rows.schema();
        Self::new(label, schema, Make::New(Arc::new(move || std::future::ready(Ok(rows.clone())).boxed())))
    }

    /// Returns the plan of a statement that has an effect and no rows.
    pub fn effect(label: &str, effect: impl Fn() -> Result<()> + Send + Sync + 'static) -> Self {
        let schema = Arc::new(Schema::empty());
        let of_rows = schema.clone();
        let make = move || {
            let done = effect().map_err(wrap);
            std::future::ready(done.map(|()| RecordBatch::new_empty(of_rows.clone()))).boxed()
        };
        Self::new(label, schema, Make::New(Arc::new(make)))
    }

    /// Returns the plan of a statement that takes the rows of a query, and makes a batch of them.
    pub fn consuming<M, F>(label: &str, input: Arc<dyn ExecutionPlan>, schema: SchemaRef, make: M) -> Self
    where
        M: Fn(SendableRecordBatchStream) -> F + Send + Sync + 'static,
        F: Future<Output = Result<RecordBatch>> + Send + 'static,
    {
        let make = move |rows| make(rows).map(|made| made.map_err(wrap)).boxed();
        Self { input: Some(input), ..Self::new(label, schema, Make::Of(Arc::new(make))) }
    }

    fn new(label: &str, schema: SchemaRef, make: Make) -> Self {
        Self { label: label.into(), input: None, make, properties: properties(schema) }
    }
}

/// Returns whether a plan is that of a statement that takes effect when its rows are taken, such as
/// INSERT, and not of a query.
pub fn takes_effect(plan: &Plan) -> bool {
    let plan: &dyn Any = plan.as_ref();
    plan.downcast_ref::<RowsExec>().is_some_and(|rows| !matches!(rows.make, Make::After(_) | Make::Each(_)))
}

fn properties(schema: SchemaRef) -> Arc<PlanProperties> {
    let (equivalences, partitioning) =
        (EquivalenceProperties::new(schema), Partitioning::UnknownPartitioning(1));
    Arc::new(PlanProperties::new(equivalences, partitioning, EmissionType::Final, Boundedness::Bounded))
}

impl fmt::Debug for RowsExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsExec")
            .field("label", &self.label)
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for RowsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
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
        self.input.iter().collect()
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
        Ok(Arc::new(Self { input: children.pop(), ..Self::clone(&self) }))
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(Self { input: children.pop(), ..Self::clone(&self) }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let rows = match (&self.make, &self.input) {
            (Make::New(make), _) => stream::once(make()).boxed(),
            (Make::After(rows), Some(input)) => {
                let rows = stream::once(std::future::ready(Ok(rows.clone())));
                input.execute(partition, context)?.chain(rows).boxed()
            }
            (Make::Each(change), Some(input)) => {
                let change = *change;
                let rows = execute_stream(input.clone(), context)?;
                rows.map(move |batch| batch.and_then(|batch| change(&batch))).boxed()
            }
            (Make::Of(make), Some(input)) => {
                stream::once(make(execute_stream(input.clone(), context)?)).boxed()
            }
            (Make::After(_) | Make::Each(_) | Make::Of(_), None) => {
                return internal_err!("the statement {} has lost its input", self.label);
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}
