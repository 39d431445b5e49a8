//! `date_trunc` of every timestamp and date. DataFusion's function computes in nanoseconds, with a
//! range of a few centuries.

use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::compute::{cast, kernels::numeric::add};
use arrow::datatypes::{DataType, Int64Type, TimeUnit};
use chrono::DateTime;
use datafusion::common::{Result, ScalarValue};
use datafusion::functions::datetime::date_trunc as inner;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::zone_offsets;
use crate::error::{Error, wrap};
use crate::functions::corrected::bounded;

/// Days after which the calendar repeats, weekdays and all: 400 years.
const PERIOD: i64 = 146_097;

/// Days of the years 1700 to 2100, for which DataFusion's function can truncate timestamps.
const NEAR: std::ops::Range<i64> = -98_615..47_482;

/// The type of a truncated date.
const DAY: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

/// Returns the function.
pub(in crate::functions) fn date_trunc() -> ScalarUDF {
    ScalarUDF::from(DateTrunc {
        signature: Signature::any(2, Volatility::Immutable),
        aliases: inner().aliases().to_vec(),
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct DateTrunc {
    signature: Signature,
    aliases: Vec<String>,
}

impl ScalarUDFImpl for DateTrunc {
    fn name(&self) -> &str {
        "date_trunc"
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let found = types.last().unwrap_or(&DataType::Null);
        match found {
            DataType::Timestamp(..) | DataType::Time32(_) | DataType::Time64(_) => Ok(found.clone()),
            DataType::Date32 | DataType::Date64 | DataType::Null => Ok(DAY),
            _ => Err(wrap(Error::Query(format!(
                "date_trunc takes a timestamp, a date or a time, and got {found}: cast it to one of them"
            )))),
        }
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let [_, days] = args.args.as_mut_slice()
            && matches!(days.data_type(), DataType::Date32 | DataType::Date64 | DataType::Null)
        {
            *days = days.cast_to(&DAY, None)?;
        }
        let shifted = match args.args.as_slice() {
            // a constant before 1970 would be rounded up to milliseconds
            [_, ColumnarValue::Scalar(value)] if is_timestamp(&value.data_type()) => {
                let value = value.to_array()?;
                Some(near(&value)?.unwrap_or_else(|| (value, Int64Array::from(vec![0]))))
            }
            [_, ColumnarValue::Array(values)] => near(values)?,
            _ => None,
        };
        let Some((values, shift)) = shifted else { return inner().invoke_with_args(args) };
        let is_constant = matches!(args.args[1], ColumnarValue::Scalar(_));
        args.number_rows = if is_constant { 1 } else { args.number_rows };
        let rows = args.number_rows;
        args.args[1] = ColumnarValue::Array(values);
        let to = args.return_field.data_type().clone();
        let truncated = inner().invoke_with_args(args)?.into_array(rows)?;
        let moved = add(&cast(&truncated, &DataType::Int64)?, &shift)?;
        let moved = cast(&moved, &to)?;
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&moved, 0)?),
            false => ColumnarValue::Array(moved),
        })
    }

    /// An hour of a zone comes twice when its clock goes back.
    fn output_ordering(&self, _: &[ExprProperties]) -> Result<SortProperties> {
        Ok(SortProperties::Unordered)
    }

    fn preimage(&self, args: &[Expr], literal: &Expr, info: &SimplifyContext) -> Result<PreimageResult> {
        inner().inner().preimage(args, literal, info).map(bounded)
    }
}

fn is_timestamp(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..))
}

/// Returns the days by which a day is moved to a year with the same calendar in the zone's table.
fn beyond_table(zone: Tz, day: i64) -> i64 {
    let at = DateTime::from_timestamp(day.saturating_mul(86_400), 0);
    at.map_or(0, |at| zone_offsets::beyond(zone, at.naive_utc()).num_days())
}

/// Returns timestamps with those outside of [`NEAR`] moved into it by whole periods, and how far
/// each is from where it was; `None` if all are inside. In a zone only later ones are moved.
fn near(values: &ArrayRef) -> Result<Option<(ArrayRef, Int64Array)>> {
    let DataType::Timestamp(unit, zone) = values.data_type() else { return Ok(None) };
    let is_utc = zone.as_deref().is_none_or(|zone| zone == "UTC");
    let day = match unit {
        TimeUnit::Second => 86_400,
        TimeUnit::Millisecond => 86_400_000,
        TimeUnit::Microsecond => 86_400_000_000,
        TimeUnit::Nanosecond if is_utc => return Ok(None),
        TimeUnit::Nanosecond => 86_400_000_000_000,
    };
    let is_near = |value: i64| NEAR.contains(&value.div_euclid(day));
    let whole = cast(values, &DataType::Int64)?;
    let whole = whole.as_primitive::<Int64Type>();
    if whole.iter().flatten().all(is_near) {
        return Ok(None);
    }
    let shift: Int64Array = match zone.as_deref().filter(|_| !is_utc) {
        Some(zone) => {
            let zone = zone.parse::<Tz>()?;
            whole.unary(|value| beyond_table(zone, value.div_euclid(day)) * day)
        }
        None => whole.unary(|value| (value.div_euclid(day) - NEAR.start).div_euclid(PERIOD) * PERIOD * day),
    };
    let moved: Int64Array = arrow::compute::binary(whole, &shift, |value, shift| value - shift)?;
    Ok(Some((cast(&(Arc::new(moved) as ArrayRef), values.data_type())?, shift)))
}
