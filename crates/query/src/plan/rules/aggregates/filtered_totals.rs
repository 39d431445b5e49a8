//! Totals that statistics answer, above which others have a FILTER.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// Leaves plans alone in which an aggregate with a FILTER lies above another one.
///
/// DataFusion's rule looks below the first for an aggregate that statistics answer, and puts the
/// answer of the second in the place of both.
#[derive(Debug)]
struct FilteredTotals {
    inner: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
}

/// Returns the rules with one that leaves such plans alone in the place of DataFusion's.
pub(in crate::plan) fn filtered_totals(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    for rule in rules.iter_mut().filter(|rule| rule.name() == "aggregate_statistics") {
        *rule = Arc::new(FilteredTotals { inner: rule.clone() });
    }
    rules
}

impl PhysicalOptimizerRule for FilteredTotals {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match is_mistaken(&plan)? {
            true => Ok(plan),
            false => self.inner.optimize(plan, config),
        }
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn schema_check(&self) -> bool {
        self.inner.schema_check()
    }
}

/// Returns whether the rule would take one aggregate of a plan for another one.
fn is_mistaken(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let has_filter = |node: &Arc<dyn ExecutionPlan>| {
        let aggregate = node.downcast_ref::<AggregateExec>();
        aggregate.is_some_and(|aggregate| aggregate.filter_expr().iter().any(Option::is_some))
    };
    plan.exists(|node| Ok(has_filter(node) && below(node)?))
}

/// Returns whether an aggregate lies below a node, without a join or a union between them.
fn below(node: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut is_found = false;
    for child in node.children() {
        child.apply(|node| {
            is_found |= node.downcast_ref::<AggregateExec>().is_some();
            Ok(match node.children().len() {
                1 if !is_found => TreeNodeRecursion::Continue,
                _ => TreeNodeRecursion::Stop,
            })
        })?;
    }
    Ok(is_found)
}
