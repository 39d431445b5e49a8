//! Timestamps beyond the range of nanoseconds in 64 bits.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Between, BinaryExpr, Cast, Expr, ExprSchemable, Operator};

use crate::functions::with_seconds;
use crate::plan::sql::ZONE;

/// Turns literals beyond the range of nanoseconds into timestamps of microseconds: TIMESTAMP
/// literals anywhere, and a text or a date that is compared with a timestamp of a coarser unit.
///
/// DataFusion plans all of these as nanoseconds.
#[derive(Debug)]
pub(in crate::plan) struct FarTimestamps;

impl FunctionRewrite for FarTimestamps {
    fn name(&self) -> &str {
        "far_timestamps"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        Ok(match expr {
            Expr::Cast(cast) => match cast.field.data_type() {
                DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
                    match text(&cast.expr).and_then(|text| far(text, zone)) {
                        Some(literal) => Transformed::yes(literal),
                        None => Transformed::no(Expr::Cast(cast)),
                    }
                }
                _ => Transformed::no(Expr::Cast(cast)),
            },
            Expr::BinaryExpr(mut binary) if is_comparison(binary.op) => {
                let BinaryExpr { left, right, .. } = &mut binary;
                let has_left = replace(left, right, schema);
                let is_changed = replace(right, left, schema) || has_left;
                Transformed::new_transformed(Expr::BinaryExpr(binary), is_changed)
            }
            Expr::Between(mut between) => {
                let Between { expr, low, high, .. } = &mut between;
                let has_low = replace(low, expr, schema);
                let is_changed = replace(high, expr, schema) || has_low;
                Transformed::new_transformed(Expr::Between(between), is_changed)
            }
            Expr::InList(mut among) => {
                let InList { expr, list, .. } = &mut among;
                let mut is_changed = list.iter().any(|value| replace(expr, value, schema));
                for value in list {
                    is_changed |= replace(value, expr, schema);
                }
                Transformed::new_transformed(Expr::InList(among), is_changed)
            }
            other => Transformed::no(other),
        })
    }
}

/// Replaces a text, a date or a timestamp that is compared with a timestamp of a coarser unit, if
/// nanoseconds can't hold it, or if it is beside one that they can't. Returns whether it did.
fn replace(value: &mut Expr, against: &Expr, schema: &DFSchema) -> bool {
    let (text, is_date) = match &*value {
        Expr::Literal(..) => (text(value), false),
        Expr::Cast(Cast { expr, field }) => match field.data_type() {
            DataType::Date32 => (text(expr), true),
            DataType::Timestamp(TimeUnit::Nanosecond, zone) if matches!(against, Expr::Literal(..)) => {
                let zone = zone.clone();
                return replace_near(value, zone, against);
            }
            _ => return false,
        },
        _ => return false,
    };
    let zone = match against.get_type(schema) {
        Ok(DataType::Timestamp(unit, zone)) if unit != TimeUnit::Nanosecond => zone.map(|_| ZONE.into()),
        _ => return false,
    };
    // a date begins at midnight of the session's zone, which is unknown here
    match text.filter(|_| !is_date || zone.is_none()).and_then(|text| far(text, &zone)) {
        Some(literal) => {
            *value = literal;
            true
        }
        None => false,
    }
}

/// Replaces a timestamp of nanoseconds beside a literal of microseconds, if it has no finer digits.
fn replace_near(value: &mut Expr, zone: Option<Arc<str>>, against: &Expr) -> bool {
    let Expr::Literal(ScalarValue::TimestampMicrosecond(..), _) = against else { return false };
    let Expr::Cast(Cast { expr, .. }) = &*value else { return false };
    let Some(text) = text(expr) else { return false };
    let moment = |unit| moment(text, unit, &zone);
    let (Some(fine), Some(coarse)) = (moment(TimeUnit::Nanosecond), moment(TimeUnit::Microsecond)) else {
        return false;
    };
    let is_exact = coarse.cast_to(&fine.data_type()).is_ok_and(|again| again == fine);
    if is_exact {
        *value = Expr::Literal(coarse, None);
    }
    is_exact
}

fn is_comparison(op: Operator) -> bool {
    use Operator::{Eq, Gt, GtEq, IsDistinctFrom, IsNotDistinctFrom, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq | IsDistinctFrom | IsNotDistinctFrom)
}

/// Returns the text of a literal.
fn text(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        _ => None,
    }
}

/// Returns a text as a timestamp of microseconds, if it is one and nanoseconds can't hold it.
fn far(text: &str, zone: &Option<Arc<str>>) -> Option<Expr> {
    match moment(text, TimeUnit::Nanosecond, zone) {
        Some(_) => None,
        None => Some(Expr::Literal(moment(text, TimeUnit::Microsecond, zone)?, None)),
    }
}

/// Returns a text as a timestamp, if it is one and the unit can hold it.
fn moment(text: &str, unit: TimeUnit, zone: &Option<Arc<str>>) -> Option<ScalarValue> {
    let text: ArrayRef = Arc::new(StringArray::from(vec![with_seconds(text).as_ref()]));
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let value = cast_with_options(&text, &DataType::Timestamp(unit, zone.clone()), &options).ok()?;
    ScalarValue::try_from_array(&value, 0).ok()
}
