//! Operators behind the functions that replaced them, for other engines of a plan.

use arrow::datatypes::DataType;
use datafusion::logical_expr::Operator;
use datafusion::logical_expr::expr::ScalarFunction;

use super::{Arithmetic, Chain, NumberCast};

/// The operator that a function stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked<'a> {
    /// `a op b`, an error where it overflows.
    Binary(Operator),
    /// `-a`, an error where it overflows.
    Negate,
    /// A cast that rounds to the nearest.
    Cast(&'a DataType),
    /// Such a cast, NULL where it fails.
    TryCast(&'a DataType),
}

/// Returns the operator behind a call; `None` for any other function.
pub fn checked(call: &ScalarFunction) -> Option<Checked<'_>> {
    if let Some(arithmetic) = call.func.inner().downcast_ref::<Arithmetic>() {
        return Some(match arithmetic.operator() {
            Some(op) => Checked::Binary(op),
            None => Checked::Negate,
        });
    }
    let cast = call.func.inner().downcast_ref::<NumberCast>()?;
    Some(match cast.is_try() {
        true => Checked::TryCast(cast.to()),
        false => Checked::Cast(cast.to()),
    })
}

/// Returns the operators of a long chain, `a op b op c`, from left to right, each with the type of
/// its result; `None` for any other function.
pub fn checked_chain(call: &ScalarFunction) -> Option<Vec<(Operator, DataType)>> {
    let chain = call.func.inner().downcast_ref::<Chain>()?;
    Some(chain.operators().map(|(op, result)| (op, result.clone())).collect())
}
