//! An accelerator that runs the CPU's plan and calls it its own, and fails when told to.

use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{Field, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use async_trait::async_trait;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{ReplaceChildrenOptions, reset_plan_states};
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;

use crate::error::Result;
use crate::plan::accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Reason, Rewritten,
};
use crate::table::PeltonTable;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    Nothing,
    /// Rewriting a plan.
    Rewriting,
    /// Making a node executable.
    Planning,
    /// The device, once it has given so many batches, of rows that are none of the query's.
    Device(usize),
    /// The device, once it has given all rows.
    DeviceAtEnd,
    /// The query, once the device has given so many batches.
    Query(usize),
    /// Its rows have one column too few.
    Types,
}

/// See the module. Takes over each largest subtree with one of these at its root.
#[derive(Debug)]
pub struct Wrapper {
    pub takes: fn(&LogicalPlan) -> bool,
    pub fails: Fails,
    /// Plans that ran to their end, by title.
    pub ran: Arc<Mutex<Vec<String>>>,
    pub cached: Mutex<Vec<String>>,
}

impl Wrapper {
    pub fn new(takes: fn(&LogicalPlan) -> bool, fails: Fails) -> Arc<Self> {
        Arc::new(Self { takes, fails, ran: Arc::default(), cached: Mutex::default() })
    }
}

fn title(plan: &LogicalPlan) -> String {
    format!("[{}]", plan.display())
}

#[async_trait]
impl Accelerator for Wrapper {
    fn name(&self) -> &str {
        "wrapper"
    }

    fn rewrite(&self, plan: LogicalPlan) -> DataFusionResult<Rewritten> {
        if self.fails == Fails::Rewriting {
            return Err(DataFusionError::Plan("no plans\ntoday".to_owned()));
        }
        let (mut nodes, mut reasons) = (Vec::new(), Vec::new());
        let plan = plan.transform_down_with_subqueries(|plan| {
            if !(self.takes)(&plan) {
                reasons.push(Reason { at: plan.display().to_string(), why: "not wanted".to_owned() });
                return Ok(Transformed::no(plan));
            }
            let title = title(&plan);
            nodes.push(NodeReport { title: title.clone(), text: "pipeline 1\npipeline 2".to_owned() });
            let accelerator = self.name().to_owned();
            let node = AcceleratedNode { accelerator, title, cpu: plan, payload: Arc::new(7_u32) };
            Ok(Transformed::new(node.into_plan(), true, TreeNodeRecursion::Jump))
        })?;
        Ok(Rewritten { plan: plan.data, nodes, reasons })
    }

    fn physical(
        &self,
        node: &AcceleratedNode,
        cpu: &Arc<dyn ExecutionPlan>,
    ) -> DataFusionResult<AcceleratedPlan> {
        assert_eq!(node.payload.downcast_ref::<u32>(), Some(&7));
        if self.fails == Fails::Planning {
            return Err(DeviceFailure("it can't compile; install a compiler".to_owned()).into());
        }
        // a plan runs once, and the caller may have to run `cpu`
        let own = reset_plan_states(cpu.clone())?;
        let input: Arc<dyn ExecutionPlan> = match own.output_ordering().cloned() {
            Some(ordering) => Arc::new(SortPreservingMergeExec::new(ordering, own)),
            None => Arc::new(CoalescePartitionsExec::new(own)),
        };
        let (title, ran) = (node.title.clone(), self.ran.clone());
        let exec = WrapperExec { input, fails: self.fails, title, ran };
        Ok(AcceleratedPlan { plan: Arc::new(exec), counters: Vec::new() })
    }

    fn source(&self, plan: &LogicalPlan) -> DataFusionResult<String> {
        let mut source = String::new();
        plan.apply_with_subqueries(|plan| {
            if let Some(node) = AcceleratedNode::of(plan) {
                source += &format!("// {}\nvoid kernel();\n", node.title);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(source)
    }

    async fn cache(&self, name: &str, table: &PeltonTable, place: CachePlace) -> Result<String> {
        self.cached.lock().push(name.to_owned());
        Ok(format!("{name}: {} files in {place:?}", table.files().files.len()))
    }

    fn uncache(&self, name: &str, _: &PeltonTable) -> Option<String> {
        let mut cached = self.cached.lock();
        let index = cached.iter().position(|cached| cached == name)?;
        Some(format!("{} is out", cached.remove(index)))
    }
}

#[derive(Debug)]
struct WrapperExec {
    input: Arc<dyn ExecutionPlan>,
    fails: Fails,
    title: String,
    ran: Arc<Mutex<Vec<String>>>,
}

impl DisplayAs for WrapperExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WrapperExec")
    }
}

impl ExecutionPlan for WrapperExec {
    fn name(&self) -> &str {
        "WrapperExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Err(DataFusionError::Internal("no rule should reach this".to_owned()))
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Err(DataFusionError::Internal("no rule should reach this".to_owned()))
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = reset_plan_states(self.input.clone())?;
        let (title, ran) = (self.title.clone(), self.ran.clone());
        Ok(Arc::new(Self { input, fails: self.fails, title, ran }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let schema = self.input.schema();
        let (title, ran) = (self.title.clone(), self.ran.clone());
        let failure = DeviceFailure("the device is\ngone".to_owned());
        // as DataFusion's operators share an error among those who wait for it
        let gone = Err(DataFusionError::Shared(Arc::new(DataFusionError::from(failure))));
        // The CPU's plan is executed here only where it is not executed again after a failure.
        let rows = match self.fails {
            Fails::Device(after) => others(&schema, after).chain(stream::iter([gone])).boxed(),
            Fails::DeviceAtEnd => self.input.execute(partition, context)?.chain(stream::iter([gone])).boxed(),
            Fails::Query(after) => {
                let error = Err(DataFusionError::Execution("division by zero".to_owned()));
                others(&schema, after).chain(stream::iter([error])).boxed()
            }
            Fails::Types => {
                let columns: Vec<usize> = (1..schema.fields().len()).collect();
                others(&Arc::new(schema.project(&columns)?), 1).boxed()
            }
            Fails::Nothing | Fails::Rewriting | Fails::Planning => {
                let end = stream::once(async move {
                    ran.lock().push(title);
                    Ok(None)
                });
                let rows = self.input.execute(partition, context)?.map_ok(Some).chain(end);
                rows.try_filter_map(|batch| async { Ok(batch) }).boxed()
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// Some batches of rows that no query here has.
fn others(schema: &SchemaRef, count: usize) -> impl Stream<Item = DataFusionResult<RecordBatch>> + use<> {
    let batch = |schema: &SchemaRef| {
        let column = |field: &Arc<Field>| ScalarValue::new_default(field.data_type())?.to_array_of_size(3);
        let columns = schema.fields().iter().map(column).collect::<DataFusionResult<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(3));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    };
    let batches: Vec<_> = (0..count).map(|_| batch(schema)).collect();
    stream::iter(batches)
}
