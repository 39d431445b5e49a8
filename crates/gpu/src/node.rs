//! A subtree that runs on the GPU, as a node of DataFusion's physical plan.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{TryStreamExt, stream};
use pelton_pages::{ScanCounters, ScanTotals};
use pelton_query::plan::DeviceFailure;

use crate::exec::{Engine, Run};
use crate::ir::Query;

/// Runs a query on the GPU. Its rows come in one partition, all at once.
pub(crate) struct GpuExec {
    engine: Arc<Engine>,
    query: Arc<Query>,
    title: String,
    schema: SchemaRef,
    counters: Arc<Vec<Arc<ScanCounters>>>,
    properties: Arc<PlanProperties>,
    metrics: Metrics,
}

/// Counters for EXPLAIN ANALYZE.
#[derive(Clone)]
struct Metrics {
    set: ExecutionPlanMetricsSet,
    /// Passes over rows that did not fit in the GPU's memory at once.
    passes: Count,
    /// Bytes of them that were spilled to host memory.
    spilled: Count,
}

impl Metrics {
    fn new() -> Self {
        let set = ExecutionPlanMetricsSet::new();
        let passes = MetricBuilder::new(&set).global_counter("passes");
        let spilled = MetricBuilder::new(&set).global_counter("bytes_spilled");
        Self { set, passes, spilled }
    }
}

impl GpuExec {
    /// Makes a node for a query with rows of `schema`.
    pub fn new(engine: Arc<Engine>, query: Arc<Query>, title: String, schema: SchemaRef) -> Self {
        let equivalences = EquivalenceProperties::new(schema.clone());
        let partitioning = Partitioning::UnknownPartitioning(1);
        let properties =
            PlanProperties::new(equivalences, partitioning, EmissionType::Final, Boundedness::Bounded);
        let counters = query.scans.iter().map(|_| Arc::default()).collect();
        Self {
            engine,
            query,
            title,
            schema,
            counters: Arc::new(counters),
            properties: Arc::new(properties),
            metrics: Metrics::new(),
        }
    }

    /// Returns the counters of its scans.
    pub fn counters(&self) -> &[Arc<ScanCounters>] {
        &self.counters
    }
}

/// Stops a run when its result is no longer awaited.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl fmt::Debug for GpuExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuExec").field("title", &self.title).finish_non_exhaustive()
    }
}

impl DisplayAs for GpuExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GpuExec: {}", self.title)
    }
}

impl ExecutionPlan for GpuExec {
    fn name(&self) -> &str {
        "GpuExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
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
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        let mut totals = ScanTotals::default();
        self.counters.iter().for_each(|scan| totals.add(&scan.totals()));
        let scans = ExecutionPlanMetricsSet::new();
        for (name, value) in [
            ("bytes_read", totals.bytes_read),
            ("row_groups_read", totals.row_groups_read),
            ("row_groups_pruned", totals.row_groups_pruned),
            ("pages_read", totals.pages_read),
            ("pages_pruned", totals.pages_skipped),
            ("pages_cached", totals.pages_cached),
            ("bytes_pinned", totals.bytes_pinned),
        ] {
            MetricBuilder::new(&scans).global_counter(name).add(value as usize);
        }
        let mut all = self.metrics.set.clone_inner();
        scans.clone_inner().iter().for_each(|metric| all.push(metric.clone()));
        Some(all)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> DataFusionResult<SendableRecordBatchStream> {
        let (engine, query, schema) = (self.engine.clone(), self.query.clone(), self.schema.clone());
        let (counters, metrics) = (self.counters.clone(), self.metrics.clone());
        let batches = async move {
            let cancelled = Arc::new(AtomicBool::new(false));
            let _stop = StopOnDrop(cancelled.clone());
            let handle = tokio::runtime::Handle::current();
            let run = tokio::task::spawn_blocking(move || {
                Run::new(&engine, &query, &counters, &cancelled)?.finish(&schema, &handle)
            });
            let finished = run
                .await
                .map_err(|error| DataFusionError::External(Box::new(error)))?
                .map_err(|error| DeviceFailure(error.to_string()))?;
            metrics.passes.add(finished.passes as usize);
            metrics.spilled.add(finished.spilled as usize);
            Ok::<_, DataFusionError>(stream::iter(finished.batches.into_iter().map(Ok)))
        };
        let batches = stream::once(batches).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches)))
    }
}
