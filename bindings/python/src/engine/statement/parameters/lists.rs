//! Lists as values of parameters.

use arrow::datatypes::DataType;
use pelton::Value;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{DEPTH, DIGITS, is_list, value_of};

/// An element of a list, before the type of the list is known.
enum Element {
    Null,
    Value(Value),
    List(Vec<Element>),
}

/// Returns a list or a tuple as a value. Numbers of several types become those of one that holds
/// all.
///
/// # Errors
/// `TypeError` for values of several types, `ValueError` for lists that are too deep.
pub(super) fn list(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let mut list = element(given, DEPTH)?;
    let mut values = Vec::new();
    list.take_values(&mut values);
    list.put_values(&mut of_one_type(values).into_iter());
    let data_type = list.data_type().ok_or_else(|| {
        PyTypeError::new_err("params has a list with values of several types: give them one type")
    })?;
    Ok(list.typed(&data_type))
}

fn element(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Element> {
    if !is_list(given)? {
        let value = value_of(given)?;
        return Ok(if value.is_null() { Element::Null } else { Element::Value(value) });
    }
    let Some(depth) = depth.checked_sub(1) else {
        return Err(PyValueError::new_err(format!("params has lists within lists, more than {DEPTH} deep")));
    };
    given.try_iter()?.map(|item| element(&item?, depth)).collect::<PyResult<_>>().map(Element::List)
}

impl Element {
    /// Moves the values out, in order.
    fn take_values(&mut self, values: &mut Vec<Value>) {
        match self {
            Element::Null => {}
            Element::Value(value) => values.push(std::mem::replace(value, Value::Null)),
            Element::List(items) => items.iter_mut().for_each(|item| item.take_values(values)),
        }
    }

    /// Moves others into their places.
    fn put_values(&mut self, values: &mut impl Iterator<Item = Value>) {
        match self {
            Element::Null => {}
            Element::Value(value) => *value = values.next().unwrap_or(Value::Null),
            Element::List(items) => items.iter_mut().for_each(|item| item.put_values(values)),
        }
    }

    /// Returns the type that holds the element; `None` if there are several.
    fn data_type(&self) -> Option<DataType> {
        match self {
            Element::Null => Some(DataType::Null),
            Element::Value(value) => Some(value.data_type()),
            Element::List(items) => {
                let mut types = items.iter().map(Element::data_type);
                let item = types.try_fold(DataType::Null, |common, found| common_type(&common, &found?))?;
                Some(DataType::new_list(item, true))
            }
        }
    }

    /// Returns the element as a value of a type that [`Element::data_type`] has given.
    fn typed(self, data_type: &DataType) -> Value {
        match (self, data_type) {
            (Element::List(items), DataType::List(item)) => {
                let values: Vec<_> =
                    items.into_iter().map(|element| element.typed(item.data_type())).collect();
                Value::List(Value::new_list_nullable(&values, item.data_type()))
            }
            (Element::Value(value), _) => value,
            _ => Value::try_new_null(data_type).unwrap_or(Value::Null),
        }
    }
}

/// Returns the type that holds two; an empty list, and a list of NULL, are of any other's type.
fn common_type(one: &DataType, other: &DataType) -> Option<DataType> {
    match (one, other) {
        (DataType::Null, found) | (found, DataType::Null) => Some(found.clone()),
        (DataType::List(one), DataType::List(other)) => {
            common_type(one.data_type(), other.data_type()).map(|item| DataType::new_list(item, true))
        }
        _ => (one == other).then(|| one.clone()),
    }
}

/// Returns numbers of several types as those of one that holds all: floats, or decimals.
fn of_one_type(values: Vec<Value>) -> Vec<Value> {
    let numbers: Vec<_> = values.iter().map(exact).collect();
    let has_float = values.iter().any(|value| matches!(value, Value::Float64(_)));
    let scale = numbers.iter().flatten().map(|(_, scale)| *scale).max().unwrap_or(0);
    let is_whole = values.iter().all(|value| matches!(value, Value::Int64(_)));
    let wider = |(value, number): (Value, Option<(i128, i8)>)| match number {
        Some((number, 0)) if has_float && number.unsigned_abs() <= EXACT => {
            Value::Float64(Some(number as f64))
        }
        Some((number, own)) if !has_float && !is_whole => at_scale(number, own, scale).unwrap_or(value),
        _ => value,
    };
    values.into_iter().zip(numbers).map(wider).collect()
}

/// Whole numbers up to this one are floats, too.
const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;

/// Returns the digits of a number that is no float, and how many of them are behind the point.
fn exact(value: &Value) -> Option<(i128, i8)> {
    match value {
        Value::Int64(Some(number)) => Some(((*number).into(), 0)),
        Value::UInt64(Some(number)) => Some(((*number).into(), 0)),
        Value::Decimal128(Some(number), _, scale) => Some((*number, *scale)),
        _ => None,
    }
}

fn at_scale(number: i128, own: i8, scale: i8) -> Option<Value> {
    let factor = 10i128.checked_pow(u32::try_from(scale - own).ok()?)?;
    let number =
        number.checked_mul(factor).filter(|number| number.unsigned_abs() < 10u128.pow(DIGITS.into()))?;
    Some(Value::Decimal128(Some(number), DIGITS, scale))
}
