//! Functions of DataFusion's that claim too much of their results.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;

use crate::functions::careful;

/// Puts [`careful`] functions in their place. The planner makes calls of some without looking their
/// names up.
#[derive(Debug)]
pub(in crate::plan) struct CarefulFunctions;

impl FunctionRewrite for CarefulFunctions {
    fn name(&self) -> &str {
        "careful_functions"
    }

    fn rewrite(&self, expr: Expr, _: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        let function = careful(&call.func);
        let is_changed = function.is_some();
        call.func = function.unwrap_or(call.func);
        Ok(Transformed::new_transformed(Expr::ScalarFunction(call), is_changed))
    }
}
