//! DISTINCT: of aggregates, of rows with a limit, and ON keys.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, WindowFunctionDefinition};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;

use crate::error::{Error, wrap};
use crate::plan::rules::expressions::any_node;
use crate::tree::{PlanTree, Tree};

/// Aggregates that DataFusion computes over all rows despite DISTINCT, or that fail where they are
/// alone.
const IGNORE_DISTINCT: [&str; 14] = [
    "approx_percentile_cont",
    "corr",
    "covar_pop",
    "covar_samp",
    "nth_value",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
];

/// Refuses DISTINCT in the aggregates of [`IGNORE_DISTINCT`].
#[derive(Debug)]
pub(in crate::plan) struct DistinctAggregates;

impl FunctionRewrite for DistinctAggregates {
    fn name(&self) -> &str {
        "distinct_aggregates"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let name = match &expr {
            Expr::AggregateFunction(call) if call.params.distinct => call.func.name(),
            Expr::WindowFunction(call) if call.params.distinct => match &call.fun {
                WindowFunctionDefinition::AggregateUDF(function) => function.name(),
                WindowFunctionDefinition::WindowUDF(function) => function.name(),
            },
            _ => return Ok(Transformed::no(expr)),
        };
        if !IGNORE_DISTINCT.contains(&name) {
            return Ok(Transformed::no(expr));
        }
        Err(wrap(Error::Query(format!(
            "{name}(DISTINCT ...) is not supported: write {name}(...) over a subquery, (SELECT DISTINCT ...)"
        ))))
    }
}

/// Removes the limit of a DISTINCT with an input that turned out to be sorted, as below a window.
/// DataFusion can't execute such an aggregate.
#[derive(Debug)]
pub(in crate::plan) struct UnlimitSortedDistinct;

impl PhysicalOptimizerRule for UnlimitSortedDistinct {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let unlimit = |node: Arc<dyn ExecutionPlan>| {
            let Some(aggregate) = node.downcast_ref::<AggregateExec>() else {
                return Ok(Transformed::no(node));
            };
            let is_possible = aggregate.is_unordered_unfiltered_group_by_distinct();
            match aggregate.limit_options() {
                Some(limit) if limit.descending().is_none() && !is_possible => {
                    let plan: Arc<dyn ExecutionPlan> = Arc::new(aggregate.with_new_limit_options(None));
                    Ok(Transformed::yes(plan))
                }
                _ => Ok(Transformed::no(node)),
            }
        };
        plan.transform_up(unlimit).map(|unlimited| unlimited.data)
    }

    fn name(&self) -> &str {
        "UnlimitSortedDistinct"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Removes duplicate ORDER BY keys of SELECT DISTINCT ON, over which DataFusion panics.
#[derive(Debug)]
pub(in crate::plan::rules) struct DistinctOnKeys;

impl AnalyzerRule for DistinctOnKeys {
    fn name(&self) -> &str {
        "distinct_on_keys"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if !any_node(&plan, |node| Ok(matches!(node, LogicalPlan::Distinct(Distinct::On(_)))))? {
            return Ok(plan);
        }
        plan.transform_all_up(|plan| match plan {
            LogicalPlan::Distinct(Distinct::On(mut on)) => {
                let mut seen: Vec<Expr> = Vec::new();
                if let Some(keys) = &mut on.sort_expr {
                    keys.retain(|key| {
                        let is_new = !seen.contains(&key.expr);
                        seen.push(key.expr.clone());
                        is_new
                    });
                }
                Ok(Transformed::yes(LogicalPlan::Distinct(Distinct::On(on))))
            }
            other => Ok(Transformed::no(other)),
        })
        .map(|transformed| transformed.data)
    }
}
