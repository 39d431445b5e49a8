//! Signed zeros in lists of floats.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Expr, LogicalPlan, lit};
use datafusion::optimizer::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::plan::rules::expressions::{has, rewrite_expressions};

/// Adds the other signed zero to lists that have one of the two. In SQL the two are equal, but
/// DataFusion looks floats up in a list by their bits.
#[derive(Debug)]
pub(in crate::plan) struct SignedZeros;

impl OptimizerRule for SignedZeros {
    fn name(&self) -> &str {
        "both_zeros"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, _: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        match has(&plan, |part| matches!(part, Expr::InList(_)))? {
            true => rewrite_expressions(plan, |node| Ok(complete(node))),
            false => Ok(Transformed::no(plan)),
        }
    }
}

fn complete(node: Expr) -> Transformed<Expr> {
    let Expr::InList(InList { expr, mut list, negated }) = node else { return Transformed::no(node) };
    let missing = |zeros: [ScalarValue; 2]| {
        let has =
            |zero: &ScalarValue| list.iter().any(|e| matches!(e, Expr::Literal(value, _) if value == zero));
        let found = zeros.each_ref().map(has);
        if found[0] == found[1] { None } else { zeros.into_iter().zip(found).find(|(_, found)| !found) }
    };
    let single = missing([ScalarValue::from(0.0f32), ScalarValue::from(-0.0f32)]);
    let double = missing([ScalarValue::from(0.0f64), ScalarValue::from(-0.0f64)]);
    let zeros: Vec<Expr> = single.into_iter().chain(double).map(|(zero, _)| lit(zero)).collect();
    let is_changed = !zeros.is_empty();
    list.extend(zeros);
    Transformed::new_transformed(Expr::InList(InList { expr, list, negated }), is_changed)
}
