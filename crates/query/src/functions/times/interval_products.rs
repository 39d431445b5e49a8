//! Products and quotients of intervals and numbers, such as `n * INTERVAL '1 day'`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Float64Type, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit, TimeUnit,
};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};

/// Returns an interval or a duration times a number of a type.
pub(crate) fn interval_product(interval: Expr, number: Expr, number_type: &DataType) -> Expr {
    let is_whole = number_type.is_integer() || number_type.is_null();
    let number_type = if is_whole { DataType::Int64 } else { DataType::Float64 };
    let number = Expr::Cast(Cast::new(Box::new(number), number_type));
    Scaled::function(Operation::Multiply).call(vec![interval, number])
}

/// Returns an interval or a duration divided by a number.
pub(crate) fn interval_quotient(interval: Expr, number: Expr) -> Expr {
    let number = Expr::Cast(Cast::new(Box::new(number), DataType::Float64));
    Scaled::function(Operation::Divide).call(vec![interval, number])
}

/// An interval that is multiplied or divided by a number.
///
/// A product by an integer multiplies months, days and time each by itself. Another product is that
/// of DuckDB and PostgreSQL: the fraction of a month is one of 30 days, and that of a day one of 24
/// hours.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Scaled {
    operation: Operation,
    signature: Signature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    Multiply,
    Divide,
}

impl Scaled {
    fn function(operation: Operation) -> ScalarUDF {
        ScalarUDF::from(Self { operation, signature: Signature::any(2, Volatility::Immutable) })
    }

    fn array(&self, intervals: &ArrayRef, numbers: &ArrayRef) -> Result<ArrayRef> {
        if let DataType::Duration(_) = intervals.data_type() {
            return self.durations(intervals, numbers);
        }
        let intervals = cast(intervals, &DataType::Interval(IntervalUnit::MonthDayNano))?;
        let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
        let scaled: PrimitiveArray<IntervalMonthDayNanoType> = match numbers.data_type() {
            DataType::Int64 => {
                let pairs = intervals.iter().zip(numbers.as_primitive::<Int64Type>());
                pairs.map(|pair| both(pair, times)).collect::<Result<_>>()?
            }
            _ => {
                let pairs = intervals.iter().zip(numbers.as_primitive::<Float64Type>());
                pairs
                    .map(|pair| both(pair, |value, number| self.scaled(value, number)))
                    .collect::<Result<_>>()?
            }
        };
        Ok(Arc::new(scaled))
    }

    /// Scales durations as counts of microseconds, or of nanoseconds if they are such.
    fn durations(&self, durations: &ArrayRef, numbers: &ArrayRef) -> Result<ArrayRef> {
        let scaled_type = scaled_type(Some(durations.data_type()));
        let counts = cast(&cast(durations, &scaled_type)?, &DataType::Int64)?;
        let counts = counts.as_primitive::<Int64Type>();
        let scaled: PrimitiveArray<Int64Type> = match numbers.data_type() {
            DataType::Int64 => {
                let pairs = counts.iter().zip(numbers.as_primitive::<Int64Type>());
                let product = |count: i64, number: i64| count.checked_mul(number).ok_or_else(overflow);
                pairs.map(|pair| both(pair, product)).collect::<Result<_>>()?
            }
            _ => {
                let pairs = counts.iter().zip(numbers.as_primitive::<Float64Type>());
                let scaled = |count: i64, number: f64| whole(self.apply(count as f64, number)?);
                pairs.map(|pair| both(pair, scaled)).collect::<Result<_>>()?
            }
        };
        Ok(cast(&scaled, &scaled_type)?)
    }

    fn apply(&self, value: f64, number: f64) -> Result<f64> {
        match self.operation {
            Operation::Multiply => Ok(value * number),
            Operation::Divide if number == 0.0 => Err(wrap(Error::Execution(
                "an INTERVAL is divided by 0: write interval / nullif(number, 0) for NULL in its place"
                    .to_owned(),
            ))),
            Operation::Divide => Ok(value / number),
        }
    }

    /// Returns the product with a number that may have a fraction. Fractions of months and days are
    /// rounded to millionths before they become smaller units, so that a third of a month is ten
    /// days.
    fn scaled(&self, value: IntervalMonthDayNano, number: f64) -> Result<IntervalMonthDayNano> {
        const DAYS_OF_MONTH: f64 = 30.0;
        const SECONDS_OF_DAY: f64 = 86_400.0;
        let rounded = |value: f64| (value * 1e6).round_ties_even() / 1e6;
        let months = self.apply(f64::from(value.months), number)?;
        let days = self.apply(f64::from(value.days), number)?;
        let micros = self.apply(value.nanoseconds as f64 / 1e3, number)?;
        let days_of_months = rounded((months - months.trunc()) * DAYS_OF_MONTH);
        let seconds = (days - days.trunc() + days_of_months - days_of_months.trunc()) * SECONDS_OF_DAY;
        let seconds = rounded(seconds);
        let more_days = (seconds / SECONDS_OF_DAY).trunc();
        let seconds = seconds - more_days * SECONDS_OF_DAY;
        let micros = whole((micros + seconds * 1e6).round_ties_even())?;
        Ok(IntervalMonthDayNano {
            months: narrow(whole(months.trunc())?)?,
            days: narrow(whole(days.trunc() + days_of_months.trunc() + more_days)?)?,
            nanoseconds: micros.checked_mul(1_000).ok_or_else(overflow)?,
        })
    }
}

/// Returns the type of a product. Seconds and milliseconds become microseconds, for fractions.
fn scaled_type(interval: Option<&DataType>) -> DataType {
    match interval {
        Some(DataType::Duration(TimeUnit::Nanosecond)) => DataType::Duration(TimeUnit::Nanosecond),
        Some(DataType::Duration(_)) => DataType::Duration(TimeUnit::Microsecond),
        _ => DataType::Interval(IntervalUnit::MonthDayNano),
    }
}

/// Multiplies each part of an interval.
fn times(value: IntervalMonthDayNano, number: i64) -> Result<IntervalMonthDayNano> {
    let product = |part: i64| part.checked_mul(number).ok_or_else(overflow);
    Ok(IntervalMonthDayNano {
        months: narrow(product(value.months.into())?)?,
        days: narrow(product(value.days.into())?)?,
        nanoseconds: product(value.nanoseconds)?,
    })
}

/// Calls a function with two values; returns `None` if one is NULL.
fn both<A, B, C>(
    (first, second): (Option<A>, Option<B>),
    f: impl Fn(A, B) -> Result<C>,
) -> Result<Option<C>> {
    first.zip(second).map(|(first, second)| f(first, second)).transpose()
}

/// Returns a number as an integer, rounded to the nearest.
fn whole(number: f64) -> Result<i64> {
    /// The least number above all integers of the type.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let rounded = number.round_ties_even();
    match (-BOUND..BOUND).contains(&rounded) {
        true => Ok(rounded as i64),
        false => Err(overflow()),
    }
}

fn narrow(part: i64) -> Result<i32> {
    i32::try_from(part).map_err(|_| overflow())
}

fn overflow() -> datafusion::common::DataFusionError {
    wrap(Error::Execution(
        "a product of an INTERVAL has more months, days or nanoseconds than an INTERVAL can hold: use smaller \
         numbers"
            .to_owned(),
    ))
}

impl ScalarUDFImpl for Scaled {
    fn name(&self) -> &str {
        match self.operation {
            Operation::Multiply => "interval_product",
            Operation::Divide => "interval_quotient",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(scaled_type(types.first()))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_constant = args.args.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [intervals, numbers] = arrays.as_slice() else {
            return Err(wrap(Error::Internal(format!("{} of {} values", self.name(), arrays.len()))));
        };
        let scaled = self.array(intervals, numbers)?;
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&scaled, 0)?),
            false => ColumnarValue::Array(scaled),
        })
    }
}
