//! RANGE frames over types that have no differences, or only some.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr_rewriter::FunctionRewrite;
use datafusion::logical_expr::{Cast, Expr, ExprSchemable, WindowFrame, WindowFrameBound, WindowFrameUnits};

/// Counts a RANGE frame in groups of equal rows where its bounds are the partition's ends or the
/// current row, which means the same.
///
/// DataFusion takes a RANGE frame, which is what a window with an order has by default, only over
/// types that a bound could be added to: not over times of day, bytes, structs or lists of lists.
///
/// The keys of other frames become numbers from which any bound can be taken away: DataFusion takes
/// an unsigned number below zero, and each bound of a dictionary, for the end of the partition.
#[derive(Debug)]
pub(in crate::plan) struct PeerFrames;

impl FunctionRewrite for PeerFrames {
    fn name(&self) -> &str {
        "peer_frames"
    }

    fn rewrite(&self, expr: Expr, schema: &DFSchema, _: &ConfigOptions) -> Result<Transformed<Expr>> {
        let Expr::WindowFunction(mut window) = expr else { return Ok(Transformed::no(expr)) };
        let params = &mut window.params;
        let WindowFrame { units, start_bound, end_bound, .. } = &params.window_frame;
        let is_range =
            *units == WindowFrameUnits::Range && is_relative(start_bound) && is_relative(end_bound);
        let is_changed = match params.order_by.first_mut() {
            Some(key) if is_range => has_no_differences(&key.expr.get_type(schema)?),
            Some(key) if *units == WindowFrameUnits::Range => {
                let digits = fraction_digits(start_bound).max(fraction_digits(end_bound));
                let wider = with_differences(&key.expr.get_type(schema)?, digits);
                if let Some(wider) = wider {
                    let narrow = std::mem::take(&mut key.expr);
                    key.expr = Expr::Cast(Cast::new(Box::new(narrow), wider));
                    return Ok(Transformed::yes(Expr::WindowFunction(window)));
                }
                false
            }
            _ => false,
        };
        if is_changed {
            let (start, end) = (start_bound.clone(), end_bound.clone());
            params.window_frame = WindowFrame::new_bounds(WindowFrameUnits::Groups, start, end);
        }
        Ok(Transformed::new_transformed(Expr::WindowFunction(window), is_changed))
    }
}

/// Returns the type in which any bound can be added to values of a type and taken away, if that is
/// another; the bounds have so many digits behind the point.
fn with_differences(data_type: &DataType, digits: i8) -> Option<DataType> {
    match data_type {
        DataType::Dictionary(_, values) => {
            with_differences(values, digits).or_else(|| Some(values.as_ref().clone()))
        }
        DataType::Int64 | DataType::UInt64 => Some(DataType::Decimal128(38, digits)),
        found if found.is_integer() && digits == 0 => Some(DataType::Int64),
        found if found.is_integer() => Some(DataType::Decimal128(38, digits)),
        &DataType::Decimal128(precision, scale) if precision < 38 || scale < digits => {
            Some(DataType::Decimal128(38, scale.max(digits)))
        }
        _ => None,
    }
}

/// Returns how many digits a bound has behind the point.
fn fraction_digits(bound: &WindowFrameBound) -> i8 {
    let (WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset)) = bound else { return 0 };
    let text = offset.to_string();
    let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    i8::try_from(digits.min(30)).unwrap_or_default()
}

/// Returns whether a bound is the partition's end or the current row.
fn is_relative(bound: &WindowFrameBound) -> bool {
    match bound {
        WindowFrameBound::CurrentRow => true,
        WindowFrameBound::Preceding(offset) | WindowFrameBound::Following(offset) => offset.is_null(),
    }
}

/// Returns whether DataFusion refuses a RANGE frame over a type.
fn has_no_differences(data_type: &DataType) -> bool {
    match data_type {
        DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, values) => has_no_differences(values),
        other => other.is_nested(),
    }
}
