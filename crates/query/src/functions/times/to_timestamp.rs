//! `to_timestamp` of seconds since the epoch. DataFusion's computes in nanoseconds and returns
//! their last instant, in 2262, for everything later.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, TimestampMicrosecondArray};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::{DataType, Decimal128Type, Float64Type, Int64Type, TimeUnit};
use datafusion::common::utils::take_function_args;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};

use crate::error::{Error, wrap};

/// Microseconds in a second.
const PARTS: i64 = 1_000_000;

/// The first microsecond of the year 10000.
const END: i64 = 253_402_300_800 * PARTS;

/// Returns the function. Text goes to DataFusion's.
pub(in crate::functions) fn to_timestamp(inner: Arc<ScalarUDF>) -> ScalarUDF {
    ScalarUDF::from(ToTimestamp { inner })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct ToTimestamp {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for ToTimestamp {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match (types, self.inner.return_type(types)?) {
            ([seconds], DataType::Timestamp(_, zone)) if seconds.is_numeric() => {
                DataType::Timestamp(TimeUnit::Microsecond, zone)
            }
            (_, found) => found,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_type().clone();
        if !matches!(args.args.as_slice(), [seconds] if seconds.data_type().is_numeric()) {
            return self.inner.invoke_with_args(args);
        }
        let [seconds] = take_function_args(self.name(), args.args)?;
        Ok(match seconds {
            ColumnarValue::Array(seconds) => ColumnarValue::Array(cast(&moments(&seconds)?, &to)?),
            ColumnarValue::Scalar(seconds) => {
                let moments = cast(&moments(&seconds.to_array()?)?, &to)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&moments, 0)?)
            }
        })
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner.documentation()
    }
}

/// Returns the moments of some seconds, without a zone and rounded to the nearest microsecond.
fn moments(seconds: &ArrayRef) -> Result<ArrayRef> {
    let as_type =
        |to: &DataType| cast_with_options(seconds, to, &CastOptions { safe: false, ..Default::default() });
    let moments: TimestampMicrosecondArray = match seconds.data_type() {
        from if from.is_integer() => {
            let whole = as_type(&DataType::Int64)?;
            let one = |seconds: i64| checked(seconds.checked_mul(PARTS), &seconds.to_string());
            whole.as_primitive::<Int64Type>().try_unary(one)?
        }
        from if from.is_floating() => {
            let doubles = as_type(&DataType::Float64)?;
            let one = |seconds: f64| {
                let parts = (seconds * PARTS as f64).round_ties_even();
                checked((parts.abs() < 1e18).then_some(parts as i64), &seconds.to_string())
            };
            doubles.as_primitive::<Float64Type>().try_unary(one)?
        }
        _ => {
            let decimals = as_type(&DataType::Decimal128(38, 6))?;
            let one =
                |parts: i128| checked(i64::try_from(parts).ok(), &(parts / i128::from(PARTS)).to_string());
            decimals.as_primitive::<Decimal128Type>().try_unary(one)?
        }
    };
    Ok(Arc::new(moments))
}

/// Returns a moment with a year of at most four digits.
fn checked(parts: Option<i64>, seconds: &str) -> Result<i64, DataFusionError> {
    parts.filter(|parts| *parts < END && *parts > -END).ok_or_else(|| {
        wrap(Error::Execution(format!(
            "to_timestamp({seconds}) is beyond the year 9999: to_timestamp takes seconds, divide milliseconds by 1000"
        )))
    })
}
