//! Casts to numbers, with rounding and range checks.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{Cast, Expr, LogicalPlan, TryCast};
use datafusion::optimizer::AnalyzerRule;

use super::mixed_numbers::coerced_type;
use crate::plan::rules::expressions::{retyped, rewrite_wanted};

use crate::error::{Error, wrap};
use crate::functions::NumberCast;
use crate::plan::type_in_sql;

/// Replaces casts in the query by [`NumberCast`].
#[derive(Debug)]
pub(in crate::plan::rules) struct RoundingCasts;

impl AnalyzerRule for RoundingCasts {
    fn name(&self) -> &str {
        "rounding_casts"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let is_cast = |part: &Expr| matches!(part, Expr::Cast(_) | Expr::TryCast(_));
        retyped(rewrite_wanted(plan, is_cast, rounding)?)
    }
}

fn rounding(expression: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let (inner, field, is_try) = match &expression {
        Expr::Cast(Cast { expr, field }) => (expr, field, false),
        Expr::TryCast(TryCast { expr, field }) => (expr, field, true),
        _ => return Ok(Transformed::no(expression)),
    };
    let Ok(from) = coerced_type(inner, schema) else { return Ok(Transformed::no(expression)) };
    if from.is_integer() && matches!(field.data_type(), DataType::Date32 | DataType::Date64) {
        return Err(wrap(Error::Query(format!(
            "CAST({inner} AS DATE): {} is no DATE, write DATE '1970-01-01' + n for n days from there",
            type_in_sql(&from)
        ))));
    }
    let function = NumberCast::of(&from, field.data_type(), is_try);
    // Arrow casts doubles to booleans, but not decimals
    let is_truth = from.is_decimal() && *field.data_type() == DataType::Boolean;
    Ok(match (function, expression) {
        (_, Expr::Cast(Cast { expr, field })) if is_truth => {
            let double = Expr::Cast(Cast::new(expr, DataType::Float64));
            Transformed::yes(Expr::Cast(Cast::new_from_field(Box::new(double), field)))
        }
        (_, Expr::TryCast(TryCast { expr, field })) if is_truth => {
            let double = Expr::Cast(Cast::new(expr, DataType::Float64));
            Transformed::yes(Expr::TryCast(TryCast::new_from_field(Box::new(double), field)))
        }
        (Some(function), Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. })) => {
            Transformed::yes(function.call(vec![*expr]))
        }
        (_, expression) => Transformed::no(expression),
    })
}
