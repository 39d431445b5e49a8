//! ORDER BY in aggregates that do not depend on an order, and keys of it that decide nothing.

use std::collections::HashSet;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;

/// Aggregates for which DataFusion wrongly requires ordered rows, or which fail with keys among
/// their arguments.
const ORDER_INSENSITIVE: [&str; 24] = [
    "approx_distinct",
    "approx_median",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "grouping",
    "max",
    "median",
    "min",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "stddev",
    "stddev_pop",
    "sum",
    "var",
    "var_pop",
];

/// Removes ORDER BY from the aggregates of [`ORDER_INSENSITIVE`], and from others each key that is
/// there before. DataFusion's `first_value` counts such a key twice, and panics.
#[derive(Debug)]
pub(in crate::plan) struct OrderInsensitiveAggregates;

impl FunctionRewrite for OrderInsensitiveAggregates {
    fn name(&self) -> &str {
        "orderless_aggregates"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        match expr {
            Expr::AggregateFunction(mut call)
                if !call.params.order_by.is_empty() && ORDER_INSENSITIVE.contains(&call.func.name()) =>
            {
                call.params.order_by.clear();
                Ok(Transformed::yes(Expr::AggregateFunction(call)))
            }
            Expr::AggregateFunction(mut call) => {
                let before = call.params.order_by.len();
                let mut seen = HashSet::new();
                call.params.order_by.retain(|key| seen.insert(key.expr.clone()));
                let is_changed = call.params.order_by.len() < before;
                Ok(Transformed::new_transformed(Expr::AggregateFunction(call), is_changed))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}
