//! The length of an interval, by which intervals are compared.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, IntervalUnit, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// Returns an interval or a duration as nanoseconds: of days with 24 hours and months with 30 days,
/// as in PostgreSQL.
pub(crate) fn interval_length(interval: Expr) -> Expr {
    let signature = Signature::any(1, Volatility::Immutable);
    ScalarUDF::from(IntervalLength { signature }).call(vec![interval])
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct IntervalLength {
    signature: Signature,
}

const LENGTH: DataType = DataType::Decimal128(38, 0);

impl ScalarUDFImpl for IntervalLength {
    fn name(&self) -> &str {
        "interval_length"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(LENGTH)
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(match args.args.into_iter().next() {
            Some(ColumnarValue::Array(array)) => ColumnarValue::Array(lengths(&array)?),
            Some(ColumnarValue::Scalar(value)) => {
                ColumnarValue::Scalar(ScalarValue::try_from_array(&lengths(&value.to_array()?)?, 0)?)
            }
            None => ColumnarValue::Scalar(ScalarValue::try_from(&LENGTH)?),
        })
    }
}

fn lengths(array: &ArrayRef) -> Result<ArrayRef> {
    const DAY: i128 = 86_400_000_000_000;
    let lengths: Decimal128Array = match array.data_type() {
        DataType::Duration(unit) => {
            let ratio = match unit {
                TimeUnit::Second => 1_000_000_000,
                TimeUnit::Millisecond => 1_000_000,
                TimeUnit::Microsecond => 1_000,
                TimeUnit::Nanosecond => 1,
            };
            let values = cast(array, &DataType::Int64)?;
            values.as_primitive::<Int64Type>().unary(|value| i128::from(value) * ratio)
        }
        _ => {
            let values = cast(array, &DataType::Interval(IntervalUnit::MonthDayNano))?;
            values.as_primitive::<IntervalMonthDayNanoType>().unary(|value| {
                let days = i128::from(value.months) * 30 + i128::from(value.days);
                days * DAY + i128::from(value.nanoseconds)
            })
        }
    };
    Ok(Arc::new(lengths.with_data_type(LENGTH)))
}
