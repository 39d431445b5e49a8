//! `nullif(a, b)` of two types, which has the type of `a`.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan, lit, when};
use datafusion::optimizer::AnalyzerRule;

use super::mixed_numbers::coerced_type;
use crate::plan::rules::expressions::{input_schema, rewrite_expressions};

/// Writes such a call as `CASE WHEN a = b THEN NULL ELSE a END`, before operands get a common type.
/// DataFusion's function gives a value of the type in which both are compared.
#[derive(Debug)]
pub(in crate::plan::rules) struct NullIfs;

impl AnalyzerRule for NullIfs {
    fn name(&self) -> &str {
        "null_ifs"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| {
            let schema = input_schema(&node)?;
            rewrite_expressions(node, |node| as_case(node, &schema))
        })
        .map(|transformed| transformed.data)
    }
}

fn as_case(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::ScalarFunction(call) = &expr else { return Ok(Transformed::no(expr)) };
    let ("nullif", [value, other]) = (call.name(), call.args.as_slice()) else {
        return Ok(Transformed::no(expr));
    };
    let (kept, compared) = (coerced_type(value, schema)?, other.get_type(schema)?);
    if kept == compared || [&kept, &compared].contains(&&DataType::Null) {
        return Ok(Transformed::no(expr));
    }
    let is_same = value.clone().eq(other.clone());
    let null = lit(ScalarValue::try_from(&kept)?);
    Ok(Transformed::yes(when(is_same, null).otherwise(value.clone())?))
}
