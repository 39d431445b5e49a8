//! The bound of decimals: 38 digits, where 128 bits hold some numbers of 39.

use arrow::array::{Array, AsArray};
use arrow::datatypes::Decimal128Type;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::ColumnarValue;

/// The least number of 39 digits.
const BOUND: i128 = 10i128.pow(38);

/// Whether a number has at most 38 digits.
pub(super) fn is_decimal(value: i128) -> bool {
    -BOUND < value && value < BOUND
}

/// Whether all values have at most 38 digits.
pub(super) fn fits(value: &ColumnarValue) -> bool {
    match value {
        ColumnarValue::Scalar(ScalarValue::Decimal128(value, ..)) => value.is_none_or(is_decimal),
        ColumnarValue::Scalar(_) => true,
        ColumnarValue::Array(array) => {
            let Some(array) = array.as_primitive_opt::<Decimal128Type>() else { return true };
            // without a branch, so that it is done on several at a time; then those under nulls
            // count
            let all = array.values().iter().fold(true, |all, &value| all & is_decimal(value));
            all || (array.null_count() > 0 && array.iter().flatten().all(is_decimal))
        }
    }
}
