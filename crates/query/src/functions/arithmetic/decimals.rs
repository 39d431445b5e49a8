//! Decimals: their bound of 38 digits, and quotients rounded to the nearest.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Datum, PrimitiveArray, new_null_array};
use arrow::compute::try_binary;
use arrow::datatypes::{DataType, Decimal128Type};
use arrow::error::ArrowError;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::ColumnarValue;

/// The least number of 39 digits.
const BOUND: i128 = 10i128.pow(38);

/// Returns whether a number has at most 38 digits.
pub(super) fn is_decimal(value: i128) -> bool {
    -BOUND < value && value < BOUND
}

/// Returns whether all values have at most 38 digits.
pub(super) fn fits(value: &ColumnarValue) -> bool {
    match value {
        ColumnarValue::Scalar(ScalarValue::Decimal128(value, ..)) => value.is_none_or(is_decimal),
        ColumnarValue::Scalar(_) => true,
        ColumnarValue::Array(array) => {
            let Some(array) = array.as_primitive_opt::<Decimal128Type>() else { return true };
            // no branch, so that the loop is vectorised; on failure, a second pass skips values
            // under nulls
            let all = array.values().iter().fold(true, |all, &value| all & is_decimal(value));
            all || (array.null_count() > 0 && array.iter().flatten().all(is_decimal))
        }
    }
}

/// Returns the quotient of two decimals as a decimal of the type `result`; halves are rounded away
/// from zero.
///
/// # Errors
/// A divisor is 0, or a dividend overflows at the scale of the result.
pub(super) fn divide(left: &dyn Datum, right: &dyn Datum, result: &DataType) -> Result<ArrayRef, ArrowError> {
    let ((left, left_is_one), (right, right_is_one)) = (left.get(), right.get());
    let (DataType::Decimal128(_, s1), DataType::Decimal128(_, s2), DataType::Decimal128(_, scale)) =
        (left.data_type(), right.data_type(), result)
    else {
        return Err(ArrowError::InvalidArgumentError(format!("a quotient as {result}")));
    };
    let shift = i16::from(*scale) - i16::from(*s1) + i16::from(*s2);
    let power = |places: i16| {
        let overflow = || ArrowError::ArithmeticOverflow(format!("10 to the power of {places}"));
        10i128.checked_pow(places.max(0).unsigned_abs().into()).ok_or_else(overflow)
    };
    let (up, down) = (power(shift)?, power(-shift)?);
    let one = |dividend: i128, divisor: i128| {
        let overflow = || ArrowError::ArithmeticOverflow(format!("{dividend} / {divisor}"));
        if divisor == 0 {
            return Err(ArrowError::DivideByZero);
        }
        let dividend = dividend.checked_mul(up).ok_or_else(overflow)?;
        let divisor = divisor.checked_mul(down).ok_or_else(overflow)?;
        let quotient = dividend.checked_div(divisor).ok_or_else(overflow)?;
        let (rest, whole) = ((dividend % divisor).unsigned_abs(), divisor.unsigned_abs());
        let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
        Ok(if rest >= whole - rest { quotient + away } else { quotient })
    };
    let (a, b) = (left.as_primitive::<Decimal128Type>(), right.as_primitive::<Decimal128Type>());
    let quotients: PrimitiveArray<Decimal128Type> = match (left_is_one, right_is_one) {
        (true, false) if a.is_null(0) => return Ok(new_null_array(result, b.len())),
        (false, true) if b.is_null(0) => return Ok(new_null_array(result, a.len())),
        (true, false) => b.try_unary(|divisor| one(a.value(0), divisor))?,
        (false, true) => a.try_unary(|dividend| one(dividend, b.value(0)))?,
        _ => try_binary(a, b, one)?,
    };
    Ok(Arc::new(quotients.with_data_type(result.clone())))
}
