//! `a ^ b` of whole numbers.

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, binary_expr};

/// Writes `a ^ b` as `(a | b) - (a & b)`, which is the same number at every width.
///
/// DataFusion makes 0 of `a ^ a`, which is NULL where a is NULL.
#[derive(Debug)]
pub(in crate::plan) struct ExclusiveOr;

impl FunctionRewrite for ExclusiveOr {
    fn name(&self) -> &str {
        "exclusive_or"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let is_whole = |side: &Expr| side.get_type(schema).is_ok_and(|found| found.is_integer());
        match expr {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::BitwiseXor, right })
                if is_whole(&left) && is_whole(&right) && !left.is_volatile() && !right.is_volatile() =>
            {
                let either = binary_expr(left.as_ref().clone(), Operator::BitwiseOr, right.as_ref().clone());
                let both = binary_expr(*left, Operator::BitwiseAnd, *right);
                Ok(Transformed::yes(binary_expr(either, Operator::Minus, both)))
            }
            other => Ok(Transformed::no(other)),
        }
    }
}
