//! `timezone(zone, t)`, which is `t AT TIME ZONE zone`.

use std::str::FromStr;
use std::sync::Arc;

use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, AsArray, Int64Builder};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, TimeUnit};
use chrono::DateTime;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::zone_offsets;
use crate::error::{Error, wrap};

/// The zone of timestamps that are instants.
const INSTANT: &str = "UTC";

/// Returns the function, which converts an instant to a zone's local time, and a local time to an
/// instant. DataFusion's AT TIME ZONE is a cast that gives both the zone.
pub(in crate::functions) fn time_zone() -> ScalarUDF {
    ScalarUDF::from(AtTimeZone { signature: Signature::any(2, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct AtTimeZone {
    signature: Signature,
}

impl ScalarUDFImpl for AtTimeZone {
    fn name(&self) -> &str {
        "timezone"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [zone, _] if !zone.is_string() && !zone.is_null() => {
                Err(wrap(Error::Query(format!("a time zone is named by text, and got {zone}"))))
            }
            [_, DataType::Timestamp(unit, Some(_))] => Ok(DataType::Timestamp(*unit, None)),
            [_, DataType::Timestamp(unit, None)] => Ok(DataType::Timestamp(*unit, Some(INSTANT.into()))),
            [_, DataType::Date32 | DataType::Null] => {
                Ok(DataType::Timestamp(TimeUnit::Microsecond, Some(INSTANT.into())))
            }
            _ => Err(unfit(types.last().unwrap_or(&DataType::Null))),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_field.data_type().clone();
        let is_constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let [zones, times] = args.args.as_slice() else {
            return Err(wrap(Error::Internal(format!("timezone of {} values", args.args.len()))));
        };
        let mut times = times.to_array(rows)?;
        if !matches!(times.data_type(), DataType::Timestamp(..)) {
            times = cast(&times, &DataType::Timestamp(TimeUnit::Microsecond, None))?;
        }
        let found = convert(&cast(&zones.to_array(rows)?, &DataType::Utf8)?, &times, &to)?;
        Ok(match is_constant {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&found, 0)?),
            false => ColumnarValue::Array(found),
        })
    }
}

fn unfit(found: &DataType) -> datafusion::common::DataFusionError {
    wrap(Error::Query(format!(
        "AT TIME ZONE takes a TIMESTAMP or TIMESTAMPTZ, and got {found}: cast it to one of them"
    )))
}

fn convert(zones: &ArrayRef, times: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let DataType::Timestamp(unit, zone) = times.data_type() else { return Err(unfit(times.data_type())) };
    let parts = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    let values = cast(times, &DataType::Int64)?;
    let mut converted = Int64Builder::with_capacity(times.len());
    let mut last: Option<(&str, Tz)> = None;
    for (name, value) in zones.as_string::<i32>().iter().zip(values.as_primitive::<Int64Type>()) {
        let (Some(name), Some(value)) = (name, value) else {
            converted.append_null();
            continue;
        };
        let found = match last {
            Some((known, found)) if known == name => found,
            _ => named(name)?,
        };
        last = Some((name, found));
        let seconds = value.div_euclid(parts);
        let seconds = DateTime::from_timestamp(seconds, 0).map(|moment| moment.naive_utc());
        let offset = seconds.map(|moment| match zone.is_some() {
            true => zone_offsets::at_instant(found, moment).local_minus_utc(),
            false => -zone_offsets::when_shown(found, moment).local_minus_utc(),
        });
        let moved = offset.and_then(|offset| value.checked_add(i64::from(offset) * parts));
        let out_of_range = || wrap(Error::Execution(format!("a timestamp is out of range in zone {name}")));
        converted.append_value(moved.ok_or_else(out_of_range)?);
    }
    let converted: ArrayRef = Arc::new(converted.finish());
    Ok(cast(&converted, to)?)
}

/// Returns a zone by name. Offsets are refused: standards disagree whether `+02` lies east or west.
fn named(name: &str) -> Result<Tz> {
    let zone = Tz::from_str(name).ok().filter(|_| !name.starts_with(['+', '-']));
    zone.ok_or_else(|| {
        let name = name.escape_debug();
        wrap(Error::Execution(format!("'{name}' is no time zone: write a name such as 'Europe/Berlin'")))
    })
}
