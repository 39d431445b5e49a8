//! Aggregates without GROUP BY, which have a row over no input.

use std::sync::Arc;

use crate::tree::{Tree, grown};
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

/// Puts a limit above each aggregate without groups, or with an empty grouping set, that has a
/// condition above it.
///
/// DataFusion pushes a condition without columns (`false`, NULL, one on a constant of a projection,
/// a part that simplification splits off) below every aggregate. The aggregate has its row over no
/// input too, though the condition should drop that row. DataFusion pushes nothing past a limit,
/// even if the limit covers all rows.
#[derive(Debug)]
pub(in crate::plan::rules) struct TotalRows;

impl AnalyzerRule for TotalRows {
    fn name(&self) -> &str {
        "total_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(limit(plan, false)?.data)
    }
}

/// Walks down from the root. `is_conditional`: a filter or a join is above the plan. A subquery
/// that is left in an expression is correlated: its aggregate gets groups when it becomes a join.
fn limit(plan: LogicalPlan, is_conditional: bool) -> Result<Transformed<LogicalPlan>> {
    let has_condition = matches!(plan, LogicalPlan::Filter(_) | LogicalPlan::Join(_));
    let below = is_conditional || has_condition;
    // plans are as deep as their views are nested
    let plan = plan.map_children(|child| grown(|| limit(child, below)))?;
    let plan = plan.transform_data(|plan| plan.map_subqueries(|subquery| limit(subquery, false)))?;
    let rows = match &plan.data {
        LogicalPlan::Aggregate(aggregate) if is_conditional => match aggregate.group_expr.as_slice() {
            [] => 1,
            [Expr::GroupingSet(_)] => usize::MAX >> 1,
            _ => return Ok(plan),
        },
        _ => return Ok(plan),
    };
    LogicalPlanBuilder::new(plan.data).limit(0, Some(rows))?.build().map(Transformed::yes)
}

/// Skips plans with an aggregate with FILTER above another aggregate.
///
/// DataFusion's rule looks below the first for an aggregate that statistics answer, and replaces
/// both by the answer of the second.
#[derive(Debug)]
struct FilteredTotals {
    inner: Arc<dyn PhysicalOptimizerRule + Send + Sync>,
}

/// Returns the rules with DataFusion's rule replaced by one that skips such plans.
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
