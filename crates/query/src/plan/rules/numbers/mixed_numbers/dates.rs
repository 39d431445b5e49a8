//! Dates beside whole numbers, which have no common type, and the days between two dates.

use arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, binary_expr};

use super::unify::cast;
use crate::error::{Error, wrap};
use crate::functions::name_of;

/// Refuses dates beside whole numbers, of which DataFusion makes the days since 1970.
///
/// # Errors
/// Some of the types are dates, and others whole numbers.
pub(in crate::plan::rules) fn refuse_dates(types: &[DataType]) -> Result<()> {
    let has_date = types.iter().any(|found| matches!(found, DataType::Date32 | DataType::Date64));
    match types.iter().find(|found| found.is_integer()) {
        Some(number) if has_date => Err(wrap(Error::Query(format!(
            "DATE and {} have no common type: write DATE '2024-01-31' for a day, or CAST(the date AS INTEGER)",
            name_of(number)
        )))),
        _ => Ok(()),
    }
}

/// Subtracts two dates as whole numbers of days. DataFusion gives the days too, but its analysis of
/// conditions takes the difference for a duration, and fails where it is compared.
pub(super) fn days_between(binary: BinaryExpr, schema: &DFSchema) -> Transformed<Expr> {
    let is_date = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::Date32));
    if !is_date(&binary.left) || !is_date(&binary.right) {
        return Transformed::no(Expr::BinaryExpr(binary));
    }
    let days = |date: Expr| cast(cast(date, &DataType::Int32), &DataType::Int64);
    Transformed::yes(binary_expr(days(*binary.left), Operator::Minus, days(*binary.right)))
}
