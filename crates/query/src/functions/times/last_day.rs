//! `last_day`: the last day of the month of a date or a timestamp.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type};
use chrono::{Days, Months, NaiveDate};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::{Error, wrap};

/// Returns the function.
pub(in crate::functions) fn last_day() -> ScalarUDF {
    ScalarUDF::from(LastDay { signature: Signature::any(1, Volatility::Immutable) })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct LastDay {
    signature: Signature,
}

impl ScalarUDFImpl for LastDay {
    fn name(&self) -> &str {
        "last_day"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 | DataType::Null] => {
                Ok(DataType::Date32)
            }
            types => {
                let found = types.first().unwrap_or(&DataType::Null);
                Err(wrap(Error::Query(format!(
                    "last_day takes a date or a timestamp, and got {found}: cast it to one of them"
                ))))
            }
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Ok(match args.args.first() {
            Some(ColumnarValue::Array(days)) => ColumnarValue::Array(last_days(days)?),
            Some(ColumnarValue::Scalar(day)) => {
                let last = last_days(&day.to_array()?)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&last, 0)?)
            }
            None => return Err(wrap(Error::Internal("last_day of nothing".to_owned()))),
        })
    }
}

fn last_days(days: &ArrayRef) -> Result<ArrayRef> {
    let days = cast(days, &DataType::Date32)?;
    let days = days.as_primitive::<Date32Type>();
    Ok(Arc::new(days.try_unary::<_, Date32Type, _>(|day| {
        let beyond =
            || wrap(Error::Execution(format!("day {day} from 1970 has no month: its year is too far")));
        last(day).ok_or_else(beyond)
    })?))
}

/// Returns the last day of a day's month, both counted from 1970.
fn last(day: i32) -> Option<i32> {
    use chrono::Datelike;
    let first = NaiveDate::from_epoch_days(day)?.with_day(1)?;
    let last = first.checked_add_months(Months::new(1))?.checked_sub_days(Days::new(1))?;
    Some(last.to_epoch_days())
}

#[cfg(test)]
mod tests;
