//! Columns as lists of Python's objects.

use std::fmt::Display;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait,
    PrimitiveArray, StructArray, UnionArray,
};
use arrow::compute::{cast, is_null, nullif};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalDayTimeType, IntervalMonthDayNanoType, IntervalUnit, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimeUnit,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple, PyType};

use super::{Column, Unfit, each, repeated, times};

/// Returns the values of an array, NULL as None.
pub fn values<'py>(py: Python<'py>, array: &dyn Array) -> Result<Column<'py>, Unfit> {
    match array.data_type() {
        DataType::Null => Ok(vec![py.None().into_bound(py); array.len()]),
        DataType::Boolean => each(py, array.as_boolean(), |value| Ok(value.into_bound_py_any(py)?)),
        DataType::Int8 => numbers::<Int8Type>(py, array),
        DataType::Int16 => numbers::<Int16Type>(py, array),
        DataType::Int32 => numbers::<Int32Type>(py, array),
        DataType::Int64 => numbers::<Int64Type>(py, array),
        DataType::UInt8 => numbers::<UInt8Type>(py, array),
        DataType::UInt16 => numbers::<UInt16Type>(py, array),
        DataType::UInt32 => numbers::<UInt32Type>(py, array),
        DataType::UInt64 => numbers::<UInt64Type>(py, array),
        DataType::Float16 => {
            each(py, array.as_primitive::<Float16Type>(), |value| Ok(value.to_f32().into_bound_py_any(py)?))
        }
        DataType::Float32 => numbers::<Float32Type>(py, array),
        DataType::Float64 => numbers::<Float64Type>(py, array),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(py, array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(py, array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(py, array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(py, array, *scale),
        DataType::Utf8 => each(py, array.as_string::<i32>(), |text| Ok(PyString::new(py, text).into_any())),
        DataType::LargeUtf8 => {
            each(py, array.as_string::<i64>(), |text| Ok(PyString::new(py, text).into_any()))
        }
        DataType::Utf8View => each(py, array.as_string_view(), |text| Ok(PyString::new(py, text).into_any())),
        DataType::Binary => each(py, array.as_binary::<i32>(), |value| bytes(py, value)),
        DataType::LargeBinary => each(py, array.as_binary::<i64>(), |value| bytes(py, value)),
        DataType::BinaryView => each(py, array.as_binary_view(), |value| bytes(py, value)),
        DataType::FixedSizeBinary(_) => each(py, array.as_fixed_size_binary(), |value| bytes(py, value)),
        DataType::List(_) => lists(py, array.as_list::<i32>()),
        DataType::LargeList(_) => lists(py, array.as_list::<i64>()),
        DataType::ListView(_) => each(py, array.as_list_view::<i32>(), |items| list(py, &items)),
        DataType::LargeListView(_) => each(py, array.as_list_view::<i64>(), |items| list(py, &items)),
        DataType::FixedSizeList(..) => fixed_size_lists(py, array.as_fixed_size_list()),
        DataType::Struct(_) => structs(py, array.as_struct()),
        DataType::Map(..) => maps(py, array.as_map()),
        DataType::Union(..) => unions(py, array.as_union()),
        DataType::Dictionary(_, of) => other_type(py, array, of),
        DataType::RunEndEncoded(_, of) => other_type(py, array, of.data_type()),
        of_time => temporal(py, array, of_time),
    }
}

/// Returns the values of an array of dates, times, durations or intervals.
fn temporal<'py>(py: Python<'py>, array: &dyn Array, of: &DataType) -> Result<Column<'py>, Unfit> {
    match of {
        DataType::Date32 => times::days(py, array.as_primitive::<Date32Type>()),
        DataType::Date64 => times::milliseconds(py, array.as_primitive::<Date64Type>()),
        DataType::Time32(TimeUnit::Second) => {
            times::times(py, array.as_primitive::<Time32SecondType>(), TimeUnit::Second)
        }
        DataType::Time32(unit) => times::times(py, array.as_primitive::<Time32MillisecondType>(), *unit),
        DataType::Time64(TimeUnit::Nanosecond) => {
            times::times(py, array.as_primitive::<Time64NanosecondType>(), TimeUnit::Nanosecond)
        }
        DataType::Time64(unit) => times::times(py, array.as_primitive::<Time64MicrosecondType>(), *unit),
        DataType::Timestamp(unit, zone) => {
            let zone = zone.as_deref();
            match unit {
                TimeUnit::Second => times::timestamps::<TimestampSecondType>(py, array.as_primitive(), zone),
                TimeUnit::Millisecond => {
                    times::timestamps::<TimestampMillisecondType>(py, array.as_primitive(), zone)
                }
                TimeUnit::Microsecond => {
                    times::timestamps::<TimestampMicrosecondType>(py, array.as_primitive(), zone)
                }
                TimeUnit::Nanosecond => {
                    times::timestamps::<TimestampNanosecondType>(py, array.as_primitive(), zone)
                }
            }
        }
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => times::durations::<DurationSecondType>(py, array.as_primitive(), *unit),
            TimeUnit::Millisecond => {
                times::durations::<DurationMillisecondType>(py, array.as_primitive(), *unit)
            }
            TimeUnit::Microsecond => {
                times::durations::<DurationMicrosecondType>(py, array.as_primitive(), *unit)
            }
            TimeUnit::Nanosecond => {
                times::durations::<DurationNanosecondType>(py, array.as_primitive(), *unit)
            }
        },
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            times::intervals(py, array.as_primitive::<IntervalMonthDayNanoType>())
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            times::intervals_of_days(py, array.as_primitive::<IntervalDayTimeType>())
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            times::intervals_of_months(py, array.as_primitive::<IntervalYearMonthType>())
        }
        other => Err(Unfit::Sentence(format!("{other} has no values in Python: cast it to VARCHAR"))),
    }
}

fn numbers<'py, T>(py: Python<'py>, array: &dyn Array) -> Result<Column<'py>, Unfit>
where
    T: ArrowPrimitiveType<Native: IntoPyObject<'py>>,
{
    each(py, array.as_primitive::<T>(), |value| Ok(value.into_bound_py_any(py)?))
}

fn bytes<'py>(py: Python<'py>, value: &[u8]) -> Result<Bound<'py, PyAny>, Unfit> {
    Ok(PyBytes::new(py, value).into_any())
}

/// Returns exact `decimal.Decimal`s, whatever the program's context rounds to.
fn decimals<'py, T: DecimalType<Native: Display>>(
    py: Python<'py>,
    array: &dyn Array,
    scale: i8,
) -> Result<Column<'py>, Unfit> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "decimal", "Decimal")?;
    let array: &PrimitiveArray<T> = array.as_primitive();
    each(py, array, |value| Ok(class.call1((format!("{value}E{}", -i32::from(scale)),))?))
}

/// Returns the values of an array that stores them in another way.
fn other_type<'py>(py: Python<'py>, array: &dyn Array, of: &DataType) -> Result<Column<'py>, Unfit> {
    let array = cast(array, of).map_err(|error| Unfit::Sentence(error.to_string()))?;
    values(py, &array)
}

fn list<'py>(py: Python<'py>, items: &ArrayRef) -> Result<Bound<'py, PyAny>, Unfit> {
    Ok(PyList::new(py, values(py, items)?)?.into_any())
}

fn lists<'py, O: OffsetSizeTrait>(
    py: Python<'py>,
    array: &GenericListArray<O>,
) -> Result<Column<'py>, Unfit> {
    let offsets = array.value_offsets();
    let hides = |row| array.is_null(row) && offsets[row] < offsets[row + 1];
    // items of a NULL are arbitrary, so that none of them is converted
    if (0..array.len()).any(hides) {
        return each(py, array, |items| list(py, &items));
    }
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return Ok(Vec::new()) };
    let (first, last) = (first.as_usize(), last.as_usize());
    let items = values(py, &array.values().slice(first, last - first))?;
    let of_row = |row: usize| -> Result<_, Unfit> {
        if array.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        let range = offsets[row].as_usize() - first..offsets[row + 1].as_usize() - first;
        Ok(PyList::new(py, &items[range])?.into_any())
    };
    (0..array.len()).map(of_row).collect()
}

fn fixed_size_lists<'py>(py: Python<'py>, array: &FixedSizeListArray) -> Result<Column<'py>, Unfit> {
    let length = array.value_length().try_into().unwrap_or(0);
    if array.null_count() > 0 || length == 0 {
        return each(py, array, |items| list(py, &items));
    }
    let items = array.values().slice(array.value_offset(0) as usize, array.len() * length);
    let items = values(py, &items)?;
    items.chunks(length).map(|items| Ok(PyList::new(py, items)?.into_any())).collect()
}

fn structs<'py>(py: Python<'py>, array: &StructArray) -> Result<Column<'py>, Unfit> {
    let names = array.column_names();
    if let Some(name) = repeated(names.iter().copied()) {
        let what = format!("a struct has two fields called {name}, which a dict can't have: use to_arrow()");
        return Err(Unfit::Sentence(what));
    }
    let nulls = (array.null_count() > 0).then(|| is_null(array)).transpose();
    let nulls = nulls.map_err(|error| Unfit::Sentence(error.to_string()))?;
    let columns = array.columns().iter().map(|column| values(py, &visible(column, nulls.as_ref())));
    let mut columns: Vec<_> = columns.collect::<Result<Vec<_>, _>>()?;
    let names: Vec<_> = names.iter().map(|name| PyString::new(py, name)).collect();
    let mut columns: Vec<_> = columns.drain(..).map(Vec::into_iter).collect();
    let of_row = |row| -> Result<_, Unfit> {
        let dict = PyDict::new(py);
        for (name, column) in names.iter().zip(&mut columns) {
            if let Some(value) = column.next() {
                dict.set_item(name, value)?;
            }
        }
        Ok(if array.is_null(row) { py.None().into_bound(py) } else { dict.into_any() })
    };
    (0..array.len()).map(of_row).collect()
}

/// Returns a field's values without those of structs that are NULL, which are arbitrary.
fn visible(column: &ArrayRef, nulls: Option<&BooleanArray>) -> ArrayRef {
    let Some(nulls) = nulls else { return column.clone() };
    nullif(column, nulls).unwrap_or_else(|_| column.clone())
}

/// Returns dicts; lists of pairs where a key is a list or a struct, which no dict can have.
fn maps<'py>(py: Python<'py>, array: &MapArray) -> Result<Column<'py>, Unfit> {
    let is_dict = !array.key_type().is_nested();
    let offsets = array.value_offsets();
    let of_row = |row: usize| -> Result<_, Unfit> {
        if array.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        let (start, end) = (offsets[row] as usize, offsets[row + 1] as usize);
        let keys = values(py, &array.keys().slice(start, end - start))?;
        let values = values(py, &array.values().slice(start, end - start))?;
        let pairs = keys.into_iter().zip(values);
        if !is_dict {
            let pairs = pairs.map(|(key, value)| PyTuple::new(py, [key, value]));
            return Ok(PyList::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?.into_any());
        }
        let dict = PyDict::new(py);
        for (key, value) in pairs {
            if dict.contains(&key)? {
                let what = format!(
                    "a map has the key {} twice, which a dict can't have: use to_arrow()",
                    key.repr()?
                );
                return Err(Unfit::Sentence(what));
            }
            dict.set_item(key, value)?;
        }
        Ok(dict.into_any())
    };
    (0..array.len()).map(of_row).collect()
}

fn unions<'py>(py: Python<'py>, array: &UnionArray) -> Result<Column<'py>, Unfit> {
    let of_row = |row| Ok(values(py, &array.value(row))?.swap_remove(0));
    (0..array.len()).map(of_row).collect()
}
