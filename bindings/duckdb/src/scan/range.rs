//! Ranges: conditions `low <= value <= high` that users give to a scan.
//!
//! DuckDB's first interface does not pass `WHERE` to a table function, so that a scan reads rows
//! only to have them dropped.
//! `ranges := {'l_shipdate': {'min': DATE '1994-01-01', 'max': DATE '1994-12-31'}}` keeps them from
//! being read.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array, Scalar, StringArray};
use arrow::compute::kernels::cmp;
use arrow::compute::{CastOptions, and, and_kleene, cast, cast_with_options, or_kleene};
use arrow::datatypes::{DataType, Float64Type, TimeUnit};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use pelton_pages::Filter;
use pelton_pages::listing::hive::HiveValue;

use super::table::{Source, Table};
use crate::error::{Error, Result};
use crate::sys::{Type, Value};

/// A condition on one column: `low <= value <= high`. NULL is in no range.
#[derive(Debug, Clone)]
pub struct Range {
    /// The column of the table.
    pub column: usize,
    /// The smallest value that passes.
    pub low: Option<ArrayRef>,
    /// The largest value that passes.
    pub high: Option<ArrayRef>,
    /// All values that pass, if they are few; each is an array of one.
    pub values: Option<Vec<ArrayRef>>,
}

/// Returns the type of an array's values.
pub fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, of) => of,
        other => other,
    }
}

/// Reads the argument `ranges`: a struct with a field for each column, which is either a struct of
/// `min` and `max` or one value.
///
/// # Errors
/// It has another type, names an unknown column, or has a value that the column cannot have.
pub fn ranges(argument: &Value, table: &Table) -> Result<Vec<Range>> {
    let error = |what: String| Error::Argument(format!("ranges: {what}"));
    let fields = argument
        .fields()
        .ok_or_else(|| error("give a struct such as {'a': {'min': 1, 'max': 10}, 'b': 'x'}".to_owned()))?;
    let mut ranges = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        let found = table.columns.iter().position(|(column, _)| column.name.eq_ignore_ascii_case(&name));
        let column = found.ok_or_else(|| error(format!("there is no column {name}")))?;
        let of = arrow_type(&table.columns[column].0.of).ok_or_else(|| {
            error(format!(
                "column {name} has no ranges: numbers, dates, timestamps, strings and booleans have"
            ))
        })?;
        let scalar = |value: &Value| -> Result<Option<ArrayRef>> {
            let Some(text) = value.as_text() else { return Ok(None) };
            let is_moment = matches!(&of, DataType::Timestamp(_, Some(_)));
            if is_moment != value.is_moment() && matches!(&of, DataType::Timestamp(..)) {
                let wanted = if is_moment { "TIMESTAMP WITH TIME ZONE" } else { "TIMESTAMP" };
                return Err(error(format!("cast {text:?} to {wanted}, which {name} is")));
            }
            let exact = exact(&text, &of, value.is_double());
            exact.map(Some).ok_or_else(|| error(format!("{text:?} is no value of the column {name}")))
        };
        let (mut low, mut high) = (None, None);
        match value.fields() {
            Some(bounds) => {
                for (bound, value) in bounds {
                    match bound.to_ascii_lowercase().as_str() {
                        "min" => low = scalar(&value)?,
                        "max" => high = scalar(&value)?,
                        _ => return Err(error(format!("{name} has {bound:?}; a range has 'min' and 'max'"))),
                    }
                }
            }
            None => {
                let value = scalar(&value)?;
                let value = value.ok_or_else(|| error(format!("{name} is NULL, which is in no range")))?;
                (low, high) = (Some(value.clone()), Some(value));
            }
        }
        let (low, high) = in_total_order((low, high)).map_err(|e| error(format!("{name}: {e}")))?;
        ranges.push(Range { column, low, high, values: None });
    }
    Ok(ranges)
}

impl Range {
    /// Returns for each value whether it is in the range; null for null.
    ///
    /// # Errors
    /// The bounds cannot be converted to the values' type.
    pub fn holds(&self, values: &dyn Array) -> Result<BooleanArray, ArrowError> {
        if let Some(all) = &self.values {
            let mut is_one = BooleanArray::from(vec![false; values.len()]);
            for value in all {
                let is_this = self.compare(values, Some(value), cmp::eq)?;
                is_one = or_kleene(&is_one, is_this.as_ref().unwrap_or(&is_one))?;
            }
            return Ok(is_one);
        }
        let low = self.compare(values, self.low.as_ref(), cmp::gt_eq)?;
        let high = self.compare(values, self.high.as_ref(), cmp::lt_eq)?;
        match (low, high) {
            (Some(low), Some(high)) => and(&low, &high),
            (Some(one), None) | (None, Some(one)) => Ok(one),
            (None, None) => Ok(BooleanArray::new(
                arrow::buffer::BooleanBuffer::new_set(values.len()),
                values.logical_nulls(),
            )),
        }
    }

    /// Returns for each pair of bounds, of chunks or pages, whether a value between them may be in
    /// the range; null if unknown.
    ///
    /// # Errors
    /// As [`Range::holds`].
    pub fn may_hold(&self, mins: &dyn Array, maxes: &dyn Array) -> Result<BooleanArray, ArrowError> {
        let between = |low: Option<&ArrayRef>, high: Option<&ArrayRef>| {
            let low = self.compare(maxes, low, cmp::gt_eq)?;
            let high = self.compare(mins, high, cmp::lt_eq)?;
            let all = || BooleanArray::from(vec![true; mins.len()]);
            and_kleene(&low.unwrap_or_else(all), &high.unwrap_or_else(all))
        };
        let Some(values) = &self.values else { return between(self.low.as_ref(), self.high.as_ref()) };
        values.iter().try_fold(BooleanArray::from(vec![false; mins.len()]), |found, value| {
            or_kleene(&found, &between(Some(value), Some(value))?)
        })
    }

    fn compare(
        &self,
        values: &dyn Array,
        bound: Option<&ArrayRef>,
        how: impl Fn(&dyn arrow::array::Datum, &dyn arrow::array::Datum) -> Result<BooleanArray, ArrowError>,
    ) -> Result<Option<BooleanArray>, ArrowError> {
        let Some(bound) = bound else { return Ok(None) };
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let of = bound.data_type();
        let cast = cast_with_options(bound, values_of(values.data_type()), &options)?;
        if cast_with_options(&cast, of, &options)?.as_ref() == bound.as_ref() {
            return how(&values, &Scalar::new(cast)).map(Some);
        }
        // The file's values are coarser, such as milliseconds, and the bound lies between two of
        // them.
        how(&cast_with_options(values, of, &options)?, &Scalar::new(bound.clone())).map(Some)
    }

    /// Returns whether the value of a file's path is in the range.
    pub fn holds_path(&self, value: &HiveValue) -> bool {
        let array: ArrayRef = match value {
            HiveValue::Null => return false,
            HiveValue::Integer(value) => Arc::new(arrow::array::Int64Array::from(vec![*value])),
            HiveValue::Date(value) => Arc::new(arrow::array::Date32Array::from(vec![*value])),
            HiveValue::Text(value) => Arc::new(StringArray::from(vec![value.as_str()])),
        };
        // The bounds have the column's type, which is the value's.
        self.holds(&array).is_ok_and(|holds| holds.value(0))
    }

    /// Returns the source of the column's values in the table's files.
    pub fn source(&self, table: &Table) -> Source {
        table.columns[self.column].1
    }
}

impl Filter for Range {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String> {
        self.holds(batch.column(0)).map_err(|e| e.to_string())
    }

    fn note(&self, _: usize, _: usize) {}
}

/// Digits of a TIMESTAMP's fraction of a second.
const MICROSECOND_DIGITS: usize = 6;

/// The smallest and the largest value of a range, each an array of one.
pub type Bounds = (Option<ArrayRef>, Option<ArrayRef>);

/// Converts a text to a value of a type; `None` if it has none, or lies between two values: a
/// rounded bound would admit other rows than SQL does.
pub fn exact(text: &str, of: &DataType, is_double: bool) -> Option<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let cast = |array: &ArrayRef, to: &DataType| cast_with_options(array, to, &options).ok();
    let value = cast(&text, of)?;
    let finer = match of {
        // A type that holds all of DuckDB's decimals at their finest scale.
        DataType::Decimal128(..) => DataType::Decimal256(76, 38),
        DataType::Date32 => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            let has_nanoseconds =
                text.as_string::<i32>().value(0).split_once('.').is_some_and(|(_, fraction)| {
                    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
                    digits.skip(MICROSECOND_DIGITS).any(|digit| digit != b'0')
                });
            return (!has_nanoseconds).then_some(value);
        }
        DataType::Float32 if is_double => DataType::Float64,
        _ => return Some(value),
    };
    (cast(&value, &finer)? == cast(&text, &finer)?).then_some(value)
}

/// Returns the Arrow type of a DuckDB type that has ranges.
pub fn arrow_type(of: &Type) -> Option<DataType> {
    use TimeUnit::{Microsecond, Nanosecond};
    Some(match of {
        Type::Boolean => DataType::Boolean,
        Type::TinyInt => DataType::Int8,
        Type::SmallInt => DataType::Int16,
        Type::Integer => DataType::Int32,
        Type::BigInt => DataType::Int64,
        Type::UTinyInt => DataType::UInt8,
        Type::USmallInt => DataType::UInt16,
        Type::UInteger => DataType::UInt32,
        Type::UBigInt => DataType::UInt64,
        Type::Float => DataType::Float32,
        Type::Double => DataType::Float64,
        Type::Decimal(width, scale) => DataType::Decimal128(*width, i8::try_from(*scale).ok()?),
        Type::Date => DataType::Date32,
        Type::Timestamp => DataType::Timestamp(Microsecond, None),
        Type::TimestampNs => DataType::Timestamp(Nanosecond, None),
        Type::TimestampTz => DataType::Timestamp(Microsecond, Some("UTC".into())),
        Type::TimestampTzNs => DataType::Timestamp(Nanosecond, Some("UTC".into())),
        Type::Varchar => DataType::Utf8,
        _ => return None,
    })
}

/// Adjusts bounds for kernels that compare floats in IEEE 754's total order. In that order the two
/// zeros differ and NaN is beyond infinity. Here the zeros are equal, and a range with a bound
/// excludes NaN.
///
/// # Errors
/// The bounds cannot be converted to the column's type.
pub fn in_total_order((low, high): Bounds) -> Result<Bounds, ArrowError> {
    let of = low.as_ref().or(high.as_ref()).map(|bound| bound.data_type().clone());
    let Some(of) = of.filter(DataType::is_floating) else { return Ok((low, high)) };
    let low = low.as_ref().map_or(Ok(f64::NEG_INFINITY), number)?;
    let high = high.as_ref().map_or(Ok(f64::INFINITY), number)?;
    let (low, high) = match low.is_nan() {
        // SQL has no number beyond NaN.
        true => (f64::INFINITY, f64::NEG_INFINITY),
        false => (lower(low), upper(high)),
    };
    let bound = |value: f64| cast(&Float64Array::from(vec![value]), &of);
    Ok((Some(bound(low)?), Some(bound(high)?)))
}

fn number(bound: &ArrayRef) -> Result<f64, ArrowError> {
    Ok(cast(bound, &DataType::Float64)?.as_primitive::<Float64Type>().value(0))
}

fn lower(bound: f64) -> f64 {
    if bound == 0.0 { -0.0 } else { bound }
}

/// Returns all numbers are less than NaN.
fn upper(bound: f64) -> f64 {
    let number = if bound.is_nan() { f64::INFINITY } else { bound };
    if number == 0.0 { 0.0 } else { number }
}
