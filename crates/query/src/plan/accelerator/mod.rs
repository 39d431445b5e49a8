//! Interface of an accelerator: a device that runs parts of plans, beyond decompression.

mod cpu_fallback;
mod exec;
mod open_tables;
pub(in crate::plan) mod planning;
mod report;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::common::DFSchemaRef;
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_plan::ExecutionPlan;
use pelton_pages::ScanCounters;

use crate::error::{Error, Result};
use crate::table::PeltonTable;
pub(in crate::plan) use exec::AcceleratedExec;
pub(in crate::plan) use open_tables::open_tables;
pub use report::Notes;

/// Takes over parts of plans. One is registered when a session is made
/// ([`SessionOptions::accelerator`](super::SessionOptions)).
///
/// The session optimises a plan, has the accelerator rewrite it, and makes it executable: for each
/// [`AcceleratedNode`] it plans the replaced subtree for the CPU too, and runs that where the
/// accelerator fails with a [`DeviceFailure`].
#[async_trait]
pub trait Accelerator: fmt::Debug + Send + Sync {
    /// Its name, as a user writes it: `cuda`.
    fn name(&self) -> &str;

    /// Replaces the largest subtrees that the accelerator can run by [`AcceleratedNode`]s, and
    /// gives the reasons for the rest. The plan is optimised, and no EXPLAIN. Uncorrelated scalar
    /// subqueries are still expressions in it.
    ///
    /// # Errors
    /// None that end a query: if rewriting fails, the CPU runs the plan, and EXPLAIN prints the
    /// reason.
    fn rewrite(&self, plan: LogicalPlan) -> DataFusionResult<Rewritten>;

    /// Makes a node of its own executable. `cpu` is the replaced subtree's plan for the CPU. The
    /// rows need its schema, and the caller runs it if the node fails.
    ///
    /// # Errors
    /// The device can't run the node. The CPU runs the subtree then, and a note tells the user.
    fn physical(
        &self,
        node: &AcceleratedNode,
        cpu: &Arc<dyn ExecutionPlan>,
    ) -> DataFusionResult<AcceleratedPlan>;

    /// Returns the source code that the accelerator generates for the nodes of a rewritten plan,
    /// for `EXPLAIN CUDA`.
    ///
    /// # Errors
    /// It can't be generated.
    fn source(&self, plan: &LogicalPlan) -> DataFusionResult<String>;

    /// Caches a table, under a name that is only for messages, in place of an earlier cache of the
    /// same files. Returns one line about the cached columns.
    ///
    /// # Errors
    /// There is no room, or a file can't be read.
    async fn cache(&self, name: &str, table: &PeltonTable, place: CachePlace) -> Result<String>;

    /// Drops the cache that [`Accelerator::cache`] made of a table. Returns one line about it;
    /// `None` if there was none.
    fn uncache(&self, name: &str, table: &PeltonTable) -> Option<String>;
}

/// Memory in which an accelerator caches a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePlace {
    /// Compressed pages, in pinned host memory.
    Host,
    /// Decoded columns, in the device's own memory.
    Gpu,
}

/// Result of [`Accelerator::rewrite`].
#[derive(Debug)]
pub struct Rewritten {
    /// The plan, with [`AcceleratedNode`]s where the accelerator runs it.
    pub plan: LogicalPlan,
    /// The nodes, as EXPLAIN shows them.
    pub nodes: Vec<NodeReport>,
    /// The reasons why the rest of the plan is in no node.
    pub reasons: Vec<Reason>,
}

/// Report of a node for `EXPLAIN` and statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReport {
    /// The node's title, as in the plan.
    pub title: String,
    /// Its pipelines, on lines.
    pub text: String,
}

/// The reason why a part of a plan is not accelerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The operator or the expression.
    pub at: String,
    /// The feature that the accelerator lacks.
    pub why: String,
}

/// An accelerator's plan for a node.
#[derive(Debug)]
pub struct AcceleratedPlan {
    /// Plan with the types of the CPU's plan and one partition, in order if the subtree sorts.
    pub plan: Arc<dyn ExecutionPlan>,
    /// Counters of its scans, for observers of the query.
    pub counters: Vec<Arc<ScanCounters>>,
}

/// The device failed, not the query: the CPU can still run it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeviceFailure(
    /// One line with the failure and the next step.
    pub String,
);

impl From<DeviceFailure> for DataFusionError {
    fn from(failure: DeviceFailure) -> DataFusionError {
        DataFusionError::External(Box::new(failure))
    }
}

/// A part of a logical plan that an accelerator runs. It has no inputs: the replaced subtree is a
/// field, hidden from rules that would change only one of the two plans.
pub struct AcceleratedNode {
    /// The accelerator's name.
    pub accelerator: String,
    /// The node's work, in one line.
    pub title: String,
    /// The replaced subtree.
    pub cpu: LogicalPlan,
    /// The accelerator's own form of the node.
    pub payload: Arc<dyn Any + Send + Sync>,
}

impl AcceleratedNode {
    /// Returns the node as a plan.
    pub fn into_plan(self) -> LogicalPlan {
        LogicalPlan::Extension(Extension { node: Arc::new(self) })
    }

    /// Returns the node at the root of a plan, if it is one.
    pub fn of(plan: &LogicalPlan) -> Option<&AcceleratedNode> {
        match plan {
            LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// Returns the fields that compare and hash: two nodes are equal if they replace the same
    /// subtree in the same way.
    fn identity(&self) -> (&str, &str, &LogicalPlan) {
        (&self.accelerator, &self.title, &self.cpu)
    }
}

impl fmt::Debug for AcceleratedNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcceleratedNode")
            .field("accelerator", &self.accelerator)
            .field("title", &self.title)
            .field("cpu", &self.cpu)
            .finish_non_exhaustive()
    }
}

impl PartialEq for AcceleratedNode {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for AcceleratedNode {}

impl Hash for AcceleratedNode {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl PartialOrd for AcceleratedNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.identity().partial_cmp(&other.identity())
    }
}

impl UserDefinedLogicalNodeCore for AcceleratedNode {
    fn name(&self) -> &str {
        "Accelerated"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        Vec::new()
    }

    fn schema(&self) -> &DFSchemaRef {
        self.cpu.schema()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Accelerated: {}, {}", self.accelerator, self.title)
    }

    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, inputs: Vec<LogicalPlan>) -> DataFusionResult<Self> {
        if !exprs.is_empty() || !inputs.is_empty() {
            let what = "an accelerated node has no inputs and no expressions".to_owned();
            return Err(DataFusionError::External(Box::new(Error::Internal(what))));
        }
        Ok(Self {
            accelerator: self.accelerator.clone(),
            title: self.title.clone(),
            cpu: self.cpu.clone(),
            payload: self.payload.clone(),
        })
    }
}
