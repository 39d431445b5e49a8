//! Accelerator that fails regularly, for tests of the fallback.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use async_trait::async_trait;
use datafusion::error::Result as DataFusionResult;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use pelton_query::plan::{AcceleratedNode, AcceleratedPlan, CachePlace, DeviceFailure, Rewritten};
use pelton_query::{Accelerator, PeltonTable, Result};

/// An accelerator that fails on every n-th part of a query.
#[derive(Debug)]
pub(super) struct FailEvery {
    inner: Arc<dyn Accelerator>,
    every: NonZeroUsize,
    parts: AtomicUsize,
}

impl FailEvery {
    pub(super) fn new(inner: Arc<dyn Accelerator>, every: NonZeroUsize) -> Self {
        Self { inner, every, parts: AtomicUsize::new(0) }
    }
}

#[async_trait]
impl Accelerator for FailEvery {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn rewrite(&self, plan: LogicalPlan) -> DataFusionResult<Rewritten> {
        self.inner.rewrite(plan)
    }

    fn physical(
        &self,
        node: &AcceleratedNode,
        cpu: &Arc<dyn ExecutionPlan>,
    ) -> DataFusionResult<AcceleratedPlan> {
        let number = self.parts.fetch_add(1, Relaxed) + 1;
        if number.is_multiple_of(self.every.get()) {
            return Err(DeviceFailure(format!("fault-every={} was asked for", self.every)).into());
        }
        self.inner.physical(node, cpu)
    }

    fn source(&self, plan: &LogicalPlan) -> DataFusionResult<String> {
        self.inner.source(plan)
    }

    async fn cache(&self, name: &str, table: &PeltonTable, place: CachePlace) -> Result<String> {
        self.inner.cache(name, table, place).await
    }

    fn uncache(&self, name: &str, table: &PeltonTable) -> Option<String> {
        self.inner.uncache(name, table)
    }
}
