//! Python's objects as values of parameters. [`lists`] has lists.

mod lists;

use std::collections::BTreeMap;

use arrow::datatypes::IntervalMonthDayNano;
use pelton::{Parameters, Value};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyInt, PyList, PyMapping,
    PyMemoryView, PyString, PyTime, PyTuple, PyType, PyTzInfo,
};

use crate::engine::values::{DAYS_TO_1970, INTERVAL};

/// Digits of the longest decimal of a parameter.
const DIGITS: u8 = 38;

/// Depth limit of lists in lists, far below the limit of SQL's expressions.
const DEPTH: usize = 16;

/// Returns the values of a list, a tuple or a dict.
///
/// # Errors
/// `TypeError` for other objects, `ValueError` for values out of range.
pub fn parameters(given: Option<&Bound<'_, PyAny>>) -> PyResult<Parameters> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Parameters::none()) };
    if let Ok(names) = given.cast::<PyMapping>() {
        let mut values = BTreeMap::new();
        for pair in names.items()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            let name: String = name.extract().map_err(|_| {
                PyTypeError::new_err("params has a key that is no name: keys are texts, as in {\"x\": 1}")
            })?;
            values.insert(name, value_of(&value)?);
        }
        return Ok(Parameters::by_name(values));
    }
    let values = match (given.cast::<PyList>(), given.cast::<PyTuple>()) {
        (Ok(list), _) => list.iter().map(|value| value_of(&value)).collect::<PyResult<Vec<_>>>()?,
        (_, Ok(tuple)) => tuple.iter().map(|value| value_of(&value)).collect::<PyResult<Vec<_>>>()?,
        _ => {
            return Err(PyTypeError::new_err(
                "params is a list or a tuple of values for ? and $1, or a dict for $name: write [x] for one value",
            ));
        }
    };
    Ok(Parameters::by_position(values))
}

fn value_of(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(value) = given.cast::<PyBool>() {
        return Ok(Value::Boolean(Some(value.is_true())));
    }
    if given.is_instance_of::<PyInt>() {
        return whole(given);
    }
    if let Ok(value) = given.cast::<PyFloat>() {
        return Ok(Value::Float64(Some(value.extract()?)));
    }
    if let Ok(value) = given.cast::<PyString>() {
        return Ok(Value::Utf8(Some(value.to_str()?.to_owned())));
    }
    if let Some(value) = bytes(given)? {
        return Ok(Value::Binary(Some(value)));
    }
    if let Some(value) = temporal(given)? {
        return Ok(value);
    }
    if given.is_instance(DECIMAL.import(given.py(), "decimal", "Decimal")?)? {
        return decimal(given);
    }
    if is_interval(given)? {
        let parts = given.extract::<(i32, i32, i64)>().map_err(|error| interval_error(given, error))?;
        let (months, days, nanoseconds) = parts;
        return Ok(Value::IntervalMonthDayNano(Some(IntervalMonthDayNano { months, days, nanoseconds })));
    }
    if is_list(given)? {
        return lists::list(given);
    }
    if let Some(value) = numpy(given)? {
        return value_of(&value);
    }
    let name = given.get_type().fully_qualified_name()?.to_string();
    if name.starts_with("pandas.") && name.ends_with(".NAType") {
        return Ok(Value::Null);
    }
    if name == "uuid.UUID" {
        let what = "params has a uuid.UUID, which is no value of SQL: give str(value), as uuid() is VARCHAR";
        return Err(PyTypeError::new_err(what));
    }
    Err(PyTypeError::new_err(format!(
        "params has a {name}, which is no value of SQL: give None, bool, int, float, Decimal, str, bytes, date, time, \
         datetime, timedelta, pelton.Interval, or a list of these"
    )))
}

/// Returns whether this is a list of values. An interval is a tuple, too.
fn is_list(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_sequence = given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>();
    Ok(is_sequence && !is_interval(given)?)
}

fn is_interval(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    given.is_instance(INTERVALS.import(given.py(), INTERVAL.0, INTERVAL.1)?)
}

fn interval_error(given: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyOverflowError>(given.py()) {
        return error;
    }
    PyValueError::new_err(
        "params has an Interval that is too long: its months and days have 32 bits, its nanoseconds 64",
    )
}

static DECIMAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERVALS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn whole(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(value) = given.extract() {
        return Ok(Value::Int64(Some(value)));
    }
    if let Ok(value) = given.extract() {
        return Ok(Value::UInt64(Some(value)));
    }
    let value = given.extract::<i128>().ok().filter(|value| value.unsigned_abs() < 10u128.pow(DIGITS.into()));
    let value = value.ok_or_else(|| too_long("int"))?;
    Ok(Value::Decimal128(Some(value), DIGITS, 0))
}

fn too_long(of: &str) -> PyErr {
    PyValueError::new_err(format!(
        "params has a {of} of more than {DIGITS} digits: round it, or pass it as text"
    ))
}

fn bytes(given: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(value) = given.cast::<PyBytes>() {
        return Ok(Some(value.as_bytes().to_vec()));
    }
    if let Ok(value) = given.cast::<PyByteArray>() {
        return Ok(Some(value.to_vec()));
    }
    if given.is_instance_of::<PyMemoryView>() {
        let whole = given.call_method0(intern!(given.py(), "tobytes"))?;
        return Ok(Some(whole.cast::<PyBytes>()?.as_bytes().to_vec()));
    }
    Ok(None)
}

/// Returns a date, time, moment or duration; `None` for another object.
fn temporal(given: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let py = given.py();
    if given.is_instance_of::<PyDateTime>() {
        return moment(given).map(Some);
    }
    if given.is_instance_of::<PyDate>() {
        let day: i32 = given.call_method0(intern!(py, "toordinal"))?.extract()?;
        return Ok(Some(Value::Date32(Some(day - DAYS_TO_1970))));
    }
    if given.is_instance_of::<PyTime>() {
        if !given.getattr(intern!(py, "tzinfo"))?.is_none() {
            let what = "params has a time with a zone, which SQL's TIME has no place for: give a datetime";
            return Err(PyValueError::new_err(what));
        }
        let part = |name: &str| -> PyResult<i64> { given.getattr(name)?.extract() };
        let seconds = part("hour")? * 3600 + part("minute")? * 60 + part("second")?;
        return Ok(Some(Value::Time64Microsecond(Some(seconds * 1_000_000 + part("microsecond")?))));
    }
    if given.is_instance_of::<PyDelta>() {
        let nanoseconds = nanoseconds(given, "nanoseconds")?;
        let nanoseconds = nanoseconds.and_then(|number| i64::try_from(number).ok());
        let nanoseconds = nanoseconds.ok_or_else(|| {
            PyValueError::new_err(
                "params has a timedelta of more than 292 years, which INTERVAL has no place for",
            )
        })?;
        // not as days, since intervals are compared part by part
        let interval = IntervalMonthDayNano { months: 0, days: 0, nanoseconds };
        return Ok(Some(Value::IntervalMonthDayNano(Some(interval))));
    }
    Ok(None)
}

/// Returns the length of a timedelta; `None` if it is not a number. Subclasses of pandas have
/// nanoseconds in an attribute.
fn nanoseconds(delta: &Bound<'_, PyAny>, attribute: &str) -> PyResult<Option<i128>> {
    // pandas' NaT is not equal to itself
    if delta.ne(delta)? {
        return Ok(None);
    }
    let part = |name: &str| -> PyResult<i128> { delta.getattr(name)?.extract() };
    let seconds = part("days")? * 86_400 + part("seconds")?;
    let rest = delta.getattr_opt(attribute)?.map_or(Ok(0), |rest| rest.extract::<i128>())?;
    Ok(Some((seconds * 1_000_000 + part("microseconds")?) * 1000 + rest))
}

fn moment(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = given.py();
    if given.ne(given)? {
        return Ok(Value::Null);
    }
    let has_zone = !given.getattr(intern!(py, "tzinfo"))?.is_none();
    let utc = PyTzInfo::utc(py)?.to_owned();
    let start = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, has_zone.then_some(&utc))?;
    let since = nanoseconds(&given.sub(start)?, "nanoseconds")?;
    let since = since.ok_or_else(|| PyValueError::new_err("params has a datetime that is no moment"))?;
    let zone = has_zone.then(|| "+00:00".into());
    if since % 1000 == 0 {
        let microseconds = i64::try_from(since / 1000).map_err(|_| too_far())?;
        // of a datetime that has a zone in the last year
        if microseconds >= YEAR_10000 {
            return Err(too_far());
        }
        return Ok(Value::TimestampMicrosecond(Some(microseconds), zone));
    }
    Ok(Value::TimestampNanosecond(Some(i64::try_from(since).map_err(|_| too_far())?), zone))
}

/// Microseconds from 1970 to the year 10000 of UTC.
const YEAR_10000: i64 = 253_402_300_800_000_000;

fn too_far() -> PyErr {
    PyValueError::new_err("params has a datetime that is out of the years that constants of TIMESTAMP have")
}

fn decimal(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = given.py();
    if !given.call_method0(intern!(py, "is_finite"))?.is_truthy()? {
        return Err(PyValueError::new_err("params has a Decimal that is no number: give a float or None"));
    }
    let (sign, digits, exponent): (u8, Vec<u8>, i64) =
        given.call_method0(intern!(py, "as_tuple"))?.extract()?;
    let number = |zeros: i64| -> Option<i128> {
        let zeros = u32::try_from(zeros).ok().filter(|zeros| *zeros <= DIGITS.into())?;
        let digits = digits
            .iter()
            .try_fold(0i128, |number, digit| number.checked_mul(10)?.checked_add((*digit).into()));
        let number = digits?.checked_mul(10i128.pow(zeros))?;
        (number < 10i128.pow(DIGITS.into())).then_some(number)
    };
    let scale = u8::try_from((-exponent).max(0)).ok().filter(|scale| *scale <= DIGITS);
    let (Some(scale), Some(number)) = (scale, number(exponent.max(0))) else {
        return Err(too_long("Decimal"));
    };
    let length = number.checked_ilog10().map_or(1, |log| log as u8 + 1).max(scale);
    Ok(Value::Decimal128(Some(if sign == 1 { -number } else { number }), length, scale as i8))
}

/// Returns the object of Python that a scalar of numpy is equal to.
fn numpy<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = given.py();
    let Some(dtype) = given.getattr_opt(intern!(py, "dtype"))? else { return Ok(None) };
    let kind: String =
        dtype.getattr_opt(intern!(py, "kind"))?.map_or(Ok(String::new()), |kind| kind.extract())?;
    // its moments become whole numbers where they have nanoseconds
    if !matches!(kind.as_str(), "b" | "i" | "u" | "f" | "S" | "U") {
        return Ok(None);
    }
    let shape = given.getattr_opt(intern!(py, "shape"))?;
    if !shape.is_some_and(|shape| shape.is_empty().unwrap_or(false)) {
        return Ok(None);
    }
    let value = given.call_method0(intern!(py, "item"))?;
    Ok((!value.get_type().is(given.get_type())).then_some(value))
}
