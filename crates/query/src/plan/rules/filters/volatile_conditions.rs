//! Volatile conditions, which are computed again for each row, such as `random() < 0.1`.

use std::sync::Arc;

use crate::plan::rules::expressions::any_node;
use crate::tree::PlanTree;
use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, LogicalPlanBuilder};
use datafusion::optimizer::AnalyzerRule;

/// Keeps a volatile condition in its place above joins, groups, windows and `unnest`.
///
/// DataFusion pushes a condition without columns below all of them, where it is evaluated for other
/// rows. It pushes nothing past a limit, even if the limit covers all rows.
#[derive(Debug)]
pub(in crate::plan::rules) struct VolatileConditions;

impl AnalyzerRule for VolatileConditions {
    fn name(&self) -> &str {
        "volatile_conditions"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let is_volatile = |node: &LogicalPlan| matches!(node, LogicalPlan::Filter(filter) if filter.predicate.is_volatile());
        if !any_node(&plan, |node| Ok(is_volatile(node)))? {
            return Ok(plan);
        }
        plan.transform_all_up(|plan| match plan {
            LogicalPlan::Filter(filter) if filter.predicate.is_volatile() && !is_scan(&filter.input) => {
                keep(filter).map(Transformed::yes)
            }
            other => Ok(Transformed::no(other)),
        })
        .map(|transformed| transformed.data)
    }
}

/// Returns whether a plan passes a table's rows on unchanged.
fn is_scan(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(projection) => is_scan(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_scan(&alias.input),
        LogicalPlan::Filter(filter) => is_scan(&filter.input),
        _ => false,
    }
}

fn keep(filter: Filter) -> Result<LogicalPlan> {
    let conditions = split_conjunction_owned(filter.predicate);
    let (volatile, other): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(Expr::is_volatile);
    let mut input = filter.input;
    if let Some(other) = conjunction(other) {
        input = Arc::new(LogicalPlan::Filter(Filter::new(other, input)));
    }
    let input = LogicalPlanBuilder::new_from_arc(input).limit(0, Some(usize::MAX >> 1))?;
    match conjunction(volatile) {
        Some(volatile) => input.filter(volatile)?.build(),
        None => input.build(),
    }
}
