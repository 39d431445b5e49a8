//! DISTINCT in aggregates that leave it out.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Expr, WindowFunctionDefinition};

use crate::error::{Error, wrap};

/// Aggregates of which DataFusion's give the answer over all rows, or fail where they are alone.
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

/// Refuses DISTINCT in such an aggregate.
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
