//! Casts of timestamps that do not preserve order.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, TryCast};

use crate::functions::unordered;

/// Hides casts to times of day, and casts of timestamps in a zone to local time, from rules that
/// assume that every cast between times preserves order. Times of day restart at midnight, and an
/// hour repeats when the clocks of a zone go back.
#[derive(Debug)]
pub(in crate::plan) struct LocalTimes;

impl FunctionRewrite for LocalTimes {
    fn name(&self) -> &str {
        "local_times"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let (Expr::Cast(Cast { expr: operand, field }) | Expr::TryCast(TryCast { expr: operand, field })) =
            &expr
        else {
            return Ok(Transformed::no(expr));
        };
        let is_unordered = match (operand.get_type(schema)?, field.data_type()) {
            (DataType::Timestamp(..), DataType::Time32(_) | DataType::Time64(_)) => true,
            (
                DataType::Timestamp(_, Some(zone)),
                DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None),
            ) => !is_fixed(&zone),
            _ => false,
        };
        Ok(match is_unordered {
            true => Transformed::yes(unordered(expr)),
            false => Transformed::no(expr),
        })
    }
}

/// Returns whether a zone has one offset for all times.
fn is_fixed(zone: &str) -> bool {
    zone.starts_with(['+', '-']) || ["UTC", "GMT", "Etc/UTC", "Z"].contains(&zone)
}
