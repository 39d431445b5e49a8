//! Functions that search lists for elements: common types, and NULL among the elements.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{filter, is_not_null};
use arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF};

use super::coercion::common_bytes;

/// Functions that search a list for an element, or for the elements of another list.
pub(super) const FIND_ELEMENTS: [&str; 9] = [
    "array_append",
    "array_has",
    "array_has_all",
    "array_has_any",
    "array_position",
    "array_positions",
    "array_remove",
    "array_remove_all",
    "array_remove_n",
];

/// Returns the types to which the arguments of such a function are cast. Numbers and times of day
/// of different types get their comparison type, which DataFusion lacks here.
///
/// # Errors
/// There is none.
pub(super) fn coerced(function: &ScalarUDF, types: &[DataType]) -> Result<Vec<DataType>> {
    let of_datafusion = |types: &[DataType]| {
        let field = |found: &DataType| Arc::new(Field::new("argument", found.clone(), true));
        let fields: Vec<FieldRef> = types.iter().map(field).collect();
        let fields = fields_with_udf(&fields, function)?;
        Ok(fields.iter().map(|field| field.data_type().clone()).collect())
    };
    let common = match types {
        [list, other, ..] if element(list).is_some() => {
            common(element(list).unwrap_or(list), element(other).unwrap_or(other))
        }
        _ => None,
    };
    let Some(common) = common else { return of_datafusion(types) };
    let mut types = types.to_vec();
    for found in types.iter_mut().take(2) {
        *found = match found {
            DataType::List(field) | DataType::FixedSizeList(field, _) => {
                DataType::List(Arc::new(field.as_ref().clone().with_data_type(common.clone())))
            }
            DataType::LargeList(field) => {
                DataType::LargeList(Arc::new(field.as_ref().clone().with_data_type(common.clone())))
            }
            _ => common.clone(),
        };
    }
    of_datafusion(&types)
}

fn element(list: &DataType) -> Option<&DataType> {
    match list {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        _ => None,
    }
}

/// Returns the comparison type of two different types; `None` if they are no numbers, times or
/// bytes.
fn common(left: &DataType, right: &DataType) -> Option<DataType> {
    let both = [left, right];
    if left == right {
        return None;
    }
    if both.iter().all(|found| matches!(found, DataType::Time32(_) | DataType::Time64(_))) {
        return Some(DataType::Time64(TimeUnit::Nanosecond));
    }
    if !both.iter().all(|found| found.is_numeric()) {
        return common_bytes(both.into_iter());
    }
    let float = both.into_iter().filter(|found| found.is_floating());
    if let Some(float) = float.max_by_key(|float| float.primitive_width()) {
        return Some(float.clone());
    }
    let (p1, s1) = digits(left)?;
    let (p2, s2) = digits(right)?;
    let scale = s1.max(s2);
    let whole = (i16::from(p1) - i16::from(s1)).max(i16::from(p2) - i16::from(s2));
    let is_whole = both.iter().all(|found| found.is_signed_integer());
    let precision = u8::try_from(whole + i16::from(scale)).ok()?.min(38);
    Some(if is_whole { DataType::Int64 } else { DataType::Decimal128(precision, scale) })
}

/// Returns the digits of a number, and how many of them are behind the point.
fn digits(number: &DataType) -> Option<(u8, i8)> {
    Some(match number {
        DataType::Int8 | DataType::UInt8 => (3, 0),
        DataType::Int16 | DataType::UInt16 => (5, 0),
        DataType::Int32 | DataType::UInt32 => (10, 0),
        DataType::Int64 | DataType::UInt64 => (20, 0),
        &DataType::Decimal128(precision, scale) => (precision, scale),
        _ => return None,
    })
}

/// Returns lists without the NULL among their elements, which is equal to no other.
///
/// # Errors
/// There is none.
pub(super) fn without_nulls(lists: &ColumnarValue) -> Result<ColumnarValue> {
    Ok(match lists {
        ColumnarValue::Array(lists) => ColumnarValue::Array(in_lists(lists)?),
        ColumnarValue::Scalar(list) => {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&in_lists(&list.to_array()?)?, 0)?)
        }
    })
}

fn in_lists(lists: &ArrayRef) -> Result<ArrayRef> {
    let Some(list) = lists.as_list_opt::<i32>() else { return Ok(lists.clone()) };
    if list.values().logical_null_count() == 0 {
        return Ok(lists.clone());
    }
    let is_there = is_not_null(list.values())?;
    let kept = list.offsets().windows(2).map(|ends| {
        let (start, end) = (ends[0] as usize, ends[1] as usize);
        is_there.slice(start, end - start).true_count()
    });
    let lengths: Vec<usize> = kept.collect();
    // elements before the first list and after the last one belong to no list
    let (first, last) = (list.offsets()[0] as usize, list.offsets()[list.len()] as usize);
    let values = filter(&list.values().slice(first, last - first), &is_there.slice(first, last - first))?;
    let DataType::List(field) = list.data_type() else { return Ok(lists.clone()) };
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(field.clone(), offsets, values, list.nulls().cloned())?))
}
