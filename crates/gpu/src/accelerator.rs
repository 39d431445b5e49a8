//! Accelerator that a session registers for a GPU.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use pelton_device_cuda::Gpu;
use pelton_query::plan::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, Rewritten,
};
use pelton_query::{Error, PeltonTable, ScanContext};

use crate::cache;
use crate::codegen;
use crate::exec::{Engine, Limits};
use crate::ir::Query;
use crate::node::GpuExec;
use crate::rewrite::rewrite;

/// Runs subtrees of plans on a GPU.
pub struct GpuAccelerator {
    engine: Arc<Engine>,
    name: &'static str,
}

impl GpuAccelerator {
    /// Makes an accelerator for the scans of a session.
    ///
    /// # Errors
    /// The kernels that all queries use can't be compiled.
    pub fn new(gpu: Gpu, scan: ScanContext, limits: Limits) -> Result<Self, DeviceFailure> {
        let name = if gpu.properties().is_host { "cuda-host" } else { "cuda" };
        let engine = Engine::new(gpu, scan, limits).map_err(|error| DeviceFailure(error.to_string()))?;
        Ok(Self { engine: Arc::new(engine), name })
    }

    /// Returns the GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.engine.gpu
    }
}

impl fmt::Debug for GpuAccelerator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuAccelerator").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Returns the query that `rewrite` has put into a node.
fn payload(node: &AcceleratedNode) -> DataFusionResult<Arc<Query>> {
    let payload = node.payload.clone().downcast::<Query>();
    payload.map_err(|_| DataFusionError::Internal("a node of another accelerator".to_owned()))
}

#[async_trait]
impl Accelerator for GpuAccelerator {
    fn name(&self) -> &str {
        self.name
    }

    fn rewrite(&self, plan: LogicalPlan) -> DataFusionResult<Rewritten> {
        rewrite(plan, self.name, self.engine.scan.any_order)
    }

    fn physical(
        &self,
        node: &AcceleratedNode,
        cpu: &Arc<dyn ExecutionPlan>,
    ) -> DataFusionResult<AcceleratedPlan> {
        let query = payload(node)?;
        let exec = GpuExec::new(self.engine.clone(), query, node.title.clone(), cpu.schema());
        let counters = exec.counters().to_vec();
        Ok(AcceleratedPlan { plan: Arc::new(exec), counters })
    }

    fn source(&self, plan: &LogicalPlan) -> DataFusionResult<String> {
        let mut sources = Vec::new();
        plan.apply(|plan| {
            if let Some(node) = AcceleratedNode::of(plan) {
                sources.push(format!("// {}\n\n{}", node.title, codegen::generate_all(&*payload(node)?)));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        match sources.is_empty() {
            true => Err(DataFusionError::Plan(
                "no part of the query runs on the GPU; EXPLAIN says why".to_owned(),
            )),
            false => Ok(sources.join("\n")),
        }
    }

    async fn cache(&self, name: &str, table: &PeltonTable, place: CachePlace) -> Result<String, Error> {
        cache::load(&self.engine, name, table.files(), place).await
    }

    fn uncache(&self, name: &str, table: &PeltonTable) -> Option<String> {
        let dropped = self.engine.cache.remove(table.files());
        (!dropped.is_empty()).then(|| cache::describe(name, "were", &dropped))
    }
}
