//! Calls of window functions that are no aggregates.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::window::WindowExpr;
use datafusion::physical_plan::windows::WindowUDFExpr;

use super::places::Place;
use super::sliding::Pick;
use crate::functions::{RowOrder, respected_order};
use crate::plan::rules::aggregates::running_windows::frames::Frame;

/// Returns the place in the partition that a call computes; `None` for other functions.
pub(super) fn place(call: &WindowUDFExpr) -> Option<Place> {
    match call.fun().name() {
        "ntile" => match argument(call, 0)?.cast_to(&DataType::UInt64).ok()? {
            ScalarValue::UInt64(Some(parts @ 1..)) => Some(Place::Tile(parts)),
            _ => None,
        },
        "percent_rank" => Some(Place::PercentRank),
        "cume_dist" => Some(Place::CumulativeDistribution),
        _ => None,
    }
}

/// Returns the row that a call has its value from: the frame, the row in it, and an array of the
/// value where there is no such row. `None` for other functions, if NULLs are ignored, or if an
/// argument is not the same for all rows.
///
/// # Errors
/// The argument has no type.
pub(super) fn pick(
    window: &Arc<dyn WindowExpr>,
    call: &WindowUDFExpr,
    input: &Schema,
) -> Result<Option<(Frame, Pick, ArrayRef)>> {
    let Some((value, order)) = call.args().first().zip(respected_order(call.fun())) else { return Ok(None) };
    let data_type = value.data_type(input)?;
    // DataFusion gives a NULL the type of its default
    if data_type.is_null() {
        return Ok(None);
    }
    let none = ScalarValue::try_from(&data_type)?;
    let shift = |is_forward: bool| -> Option<(Frame, Pick, ScalarValue)> {
        let offset = match call.args().get(1) {
            Some(_) => integer(call, 1)?,
            None => 1,
        };
        let default = match call.args().get(2) {
            Some(_) => argument(call, 2)?.cast_to(&data_type).ok()?,
            None => none.clone(),
        };
        let is_same = is_forward == (order == RowOrder::Forward);
        let rows = if is_same { offset } else { offset.checked_neg()? };
        Some((Frame::row(rows), Pick::FromStart(0), default))
    };
    let picked = match call.fun().name() {
        "lag" => shift(false),
        "lead" => shift(true),
        name => {
            let pick = match name {
                "first_value" => Some(Pick::FromStart(0)),
                "last_value" => Some(Pick::FromEnd(0)),
                "nth_value" => integer(call, 1).and_then(|number| {
                    let from = number.unsigned_abs().checked_sub(1)?;
                    let is_from_start = (number > 0) == (order == RowOrder::Forward);
                    Some(if is_from_start { Pick::FromStart(from) } else { Pick::FromEnd(from) })
                }),
                _ => None,
            };
            let Some(pick) = pick else { return Ok(None) };
            Frame::new(window, input)?.map(|frame| (frame, pick, none.clone()))
        }
    };
    picked.map(|(frame, pick, default)| Ok((frame, pick, default.to_array()?))).transpose()
}

/// Returns a constant argument of a call.
fn argument(call: &WindowUDFExpr, at: usize) -> Option<&ScalarValue> {
    call.args().get(at)?.downcast_ref::<Literal>().map(Literal::value)
}

fn integer(call: &WindowUDFExpr, at: usize) -> Option<i64> {
    match argument(call, at)?.cast_to(&DataType::Int64).ok()? {
        ScalarValue::Int64(number) => number,
        _ => None,
    }
}
