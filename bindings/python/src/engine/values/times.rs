//! Dates, times, durations and intervals as objects of `datetime`.
//!
//! Python counts microseconds, and the years from 1 to 9999. A value beyond these is an error.

use arrow::array::PrimitiveArray;
use arrow::datatypes::{
    ArrowPrimitiveType, ArrowTimestampType, Date32Type, Date64Type, IntervalDayTimeType,
    IntervalMonthDayNanoType, IntervalYearMonthType, TimeUnit,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyTime, PyType, PyTzInfo};

use super::{Column, Unfit, each};

/// Module and name of the class of intervals.
pub const INTERVAL: (&str, &str) = ("pelton._values", "Interval");

const OUT_OF_YEARS: &str = "is out of the years 1 to 9999, which Python's dates have: cast it to VARCHAR, or use \
                            to_arrow()";
const NANOSECONDS: &str = "has nanoseconds, and Python's times have microseconds: cast it to a type with these, such \
                           as TIMESTAMP(6), or to VARCHAR, or use to_arrow()";
const OUT_OF_DAY: &str = "is no time of a day";
const TOO_LONG: &str = "is longer than a timedelta of Python can be: cast it to BIGINT, or use to_arrow()";

/// Number that Python gives to the first day of 1970.
pub const DAYS_TO_1970: i32 = 719_163;

/// Number of the last day of the year 9999.
const LAST_DAY: i64 = 3_652_059;

const SECOND: i128 = 1_000_000;
const DAY: i128 = 86_400 * SECOND;

/// Microseconds from 1970 to the first moment of Python, and to the end of its last year.
const FIRST_MOMENT: i128 = (1 - DAYS_TO_1970 as i128) * DAY;
const END: i128 = (LAST_DAY as i128 + 1 - DAYS_TO_1970 as i128) * DAY;

/// Returns dates of days since 1970.
pub fn days<'py>(py: Python<'py>, array: &PrimitiveArray<Date32Type>) -> Result<Column<'py>, Unfit> {
    each(py, array, |days| date(py, i64::from(days)))
}

/// Returns dates of milliseconds since 1970, without the time of day, as Arrow reads them.
pub fn milliseconds<'py>(py: Python<'py>, array: &PrimitiveArray<Date64Type>) -> Result<Column<'py>, Unfit> {
    each(py, array, |milliseconds| date(py, milliseconds.div_euclid(86_400_000)))
}

fn date(py: Python<'_>, days: i64) -> Result<Bound<'_, PyAny>, Unfit> {
    let number = days.checked_add(i64::from(DAYS_TO_1970)).filter(|number| (1..=LAST_DAY).contains(number));
    let number = number.ok_or(Unfit::Value(OUT_OF_YEARS))?;
    Ok(py.get_type::<PyDate>().call_method1(intern!(py, "fromordinal"), (number,))?)
}

/// Returns a number of units as microseconds.
fn microseconds(value: i64, unit: TimeUnit) -> Result<i128, Unfit> {
    let value = i128::from(value);
    match unit {
        TimeUnit::Second => Ok(value * SECOND),
        TimeUnit::Millisecond => Ok(value * 1000),
        TimeUnit::Microsecond => Ok(value),
        TimeUnit::Nanosecond if value % 1000 == 0 => Ok(value / 1000),
        TimeUnit::Nanosecond => Err(Unfit::Value(NANOSECONDS)),
    }
}

/// Returns times of day.
pub fn times<'py, T>(py: Python<'py>, array: &PrimitiveArray<T>, unit: TimeUnit) -> Result<Column<'py>, Unfit>
where
    T: ArrowPrimitiveType<Native: Into<i64>>,
{
    each(py, array, |value| {
        let since = microseconds(value.into(), unit)?;
        let (seconds, rest) = (since.div_euclid(SECOND), since.rem_euclid(SECOND));
        let of_day = u32::try_from(seconds).ok().filter(|seconds| *seconds < 86_400);
        let of_day = of_day.ok_or(Unfit::Value(OUT_OF_DAY))?;
        let [hour, minute, second] = [of_day / 3600, of_day / 60 % 60, of_day % 60].map(|part| part as u8);
        Ok(PyTime::new(py, hour, minute, second, rest as u32, None)?.into_any())
    })
}

/// Returns a timedelta; `None` if Python has none that is as long.
fn delta(py: Python<'_>, microseconds: i128) -> PyResult<Option<Bound<'_, PyDelta>>> {
    let days = i32::try_from(microseconds.div_euclid(DAY)).ok();
    let Some(days) = days.filter(|days| days.unsigned_abs() < 1_000_000_000) else { return Ok(None) };
    let rest = microseconds.rem_euclid(DAY);
    PyDelta::new(py, days, (rest / SECOND) as i32, (rest % SECOND) as i32, false).map(Some)
}

/// Returns durations.
pub fn durations<'py, T>(
    py: Python<'py>,
    array: &PrimitiveArray<T>,
    unit: TimeUnit,
) -> Result<Column<'py>, Unfit>
where
    T: ArrowPrimitiveType<Native = i64>,
{
    each(py, array, |value| {
        let made = delta(py, microseconds(value, unit)?)?;
        Ok(made.ok_or(Unfit::Value(TOO_LONG))?.into_any())
    })
}

/// Returns moments: without a zone, or in that of the column.
pub fn timestamps<'py, T: ArrowTimestampType>(
    py: Python<'py>,
    array: &PrimitiveArray<T>,
    zone: Option<&str>,
) -> Result<Column<'py>, Unfit> {
    let utc = PyTzInfo::utc(py)?.to_owned();
    let zone = zone.map(|zone| found(py, zone)).transpose()?;
    let shift = zone.as_ref().filter(|zone| !zone.is(&utc));
    let start = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, zone.is_some().then_some(&utc))?;
    each(py, array, |value| {
        let since = microseconds(value, T::UNIT)?;
        if !(FIRST_MOMENT..END).contains(&since) {
            return Err(Unfit::Value(OUT_OF_YEARS));
        }
        let delta = delta(py, since)?.ok_or(Unfit::Value(OUT_OF_YEARS))?;
        let moment = start.add(delta)?;
        match shift {
            None => Ok(moment),
            // within a day of the first or last moment, the zone may be in another year
            Some(zone) => {
                let shifted = moment.call_method1(intern!(py, "astimezone"), (zone,));
                shifted.map_err(|_| Unfit::Value(OUT_OF_YEARS))
            }
        }
    })
}

/// Returns the zone of a name, or of a difference such as `+05:30`.
fn found<'py>(py: Python<'py>, name: &str) -> Result<Bound<'py, PyTzInfo>, Unfit> {
    if matches!(name, "UTC" | "Etc/UTC" | "Z" | "GMT") {
        return Ok(PyTzInfo::utc(py)?.to_owned());
    }
    if let Some(seconds) = difference(name) {
        return Ok(match seconds {
            0 => PyTzInfo::utc(py)?.to_owned(),
            seconds => PyTzInfo::fixed_offset(py, PyDelta::new(py, 0, seconds, 0, true)?)?,
        });
    }
    PyTzInfo::timezone(py, name).map_err(|error| {
        let missing = format!("this Python has no time zone {name} ({error}): pip install tzdata");
        Unfit::Sentence(missing.replace('\n', " "))
    })
}

/// Reads a difference from UTC, such as `+05:30` or `-0800`, as seconds.
fn difference(text: &str) -> Option<i32> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits = rest.replace(':', "");
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(2);
    let minutes: i32 = if minutes.is_empty() { 0 } else { minutes.parse().ok()? };
    let hours: i32 = hours.parse().ok()?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Makes intervals of months, days and nanoseconds.
struct Intervals<'py>(Bound<'py, PyType>);

impl<'py> Intervals<'py> {
    fn new(py: Python<'py>) -> Result<Self, Unfit> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        Ok(Self(CLASS.import(py, INTERVAL.0, INTERVAL.1)?.clone()))
    }

    fn interval(&self, months: i32, days: i32, nanoseconds: i64) -> Result<Bound<'py, PyAny>, Unfit> {
        Ok(self.0.call1((months, days, nanoseconds))?)
    }
}

/// Returns intervals of months, days and nanoseconds.
pub fn intervals<'py>(
    py: Python<'py>,
    array: &PrimitiveArray<IntervalMonthDayNanoType>,
) -> Result<Column<'py>, Unfit> {
    let class = Intervals::new(py)?;
    each(py, array, |value| class.interval(value.months, value.days, value.nanoseconds))
}

/// Returns intervals of days and milliseconds.
pub fn intervals_of_days<'py>(
    py: Python<'py>,
    array: &PrimitiveArray<IntervalDayTimeType>,
) -> Result<Column<'py>, Unfit> {
    let class = Intervals::new(py)?;
    each(py, array, |value| class.interval(0, value.days, i64::from(value.milliseconds) * 1_000_000))
}

/// Returns intervals of months.
pub fn intervals_of_months<'py>(
    py: Python<'py>,
    array: &PrimitiveArray<IntervalYearMonthType>,
) -> Result<Column<'py>, Unfit> {
    let class = Intervals::new(py)?;
    each(py, array, |months| class.interval(months, 0, 0))
}
