//! `extract(epoch FROM …)` of a difference of timestamps.

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, Operator, binary_expr, lit};

use crate::plan::rules::numbers::mixed_numbers::coerced_type;

/// Computes the seconds of a difference with their fraction, which DataFusion drops.
#[derive(Debug)]
pub(in crate::plan) struct Epochs;

impl FunctionRewrite for Epochs {
    fn name(&self) -> &str {
        "epochs"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let seconds = match &expr {
            Expr::ScalarFunction(call) => seconds(call, schema),
            _ => None,
        };
        Ok(seconds.map_or_else(|| Transformed::no(expr), Transformed::yes))
    }
}

fn seconds(call: &ScalarFunction, schema: &DFSchema) -> Option<Expr> {
    let [Expr::Literal(part, _), difference] = call.args.as_slice() else { return None };
    let is_epoch = part.try_as_str().flatten().is_some_and(|part| part.eq_ignore_ascii_case("epoch"));
    // a CASE has its type once its arms have a common one
    let Ok(DataType::Duration(unit)) = coerced_type(difference, schema) else { return None };
    if call.name() != "date_part" || !is_epoch {
        return None;
    }
    let in_second = match unit {
        TimeUnit::Second => 1e0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    let count = Expr::Cast(Cast::new(Box::new(difference.clone()), DataType::Duration(unit)));
    let count = Expr::Cast(Cast::new(Box::new(count), DataType::Int64));
    let count = Expr::Cast(Cast::new(Box::new(count), DataType::Float64));
    Some(binary_expr(count, Operator::Divide, lit(in_second)))
}
