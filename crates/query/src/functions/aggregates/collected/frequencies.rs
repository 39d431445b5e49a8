//! Aggregates of the frequencies of values: mode, histogram and entropy.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, MapArray, StructArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, sort_to_indices, take};
use arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::{Result, ScalarValue};

use super::{Entry, Group, Takes, rows_of};

pub(super) const TABLE: &[Entry] = &[
    Entry { names: &["mode"], takes: Takes::Any, has_second: false, gives: |of, _| of.clone(), finish: mode },
    Entry {
        names: &["histogram"],
        takes: Takes::Any,
        has_second: false,
        gives: |of, _| histogram_type(of),
        finish: histogram,
    },
    Entry {
        names: &["entropy"],
        takes: Takes::Any,
        has_second: false,
        gives: |_, _| DataType::Float64,
        finish: entropy,
    },
];

/// Returns the row of each different value's first occurrence, and its count, in that order.
pub(super) fn counted(values: &ArrayRef) -> Result<Vec<(usize, u64)>> {
    let rows = rows_of(values)?;
    let mut places = HashMap::new();
    let mut counted: Vec<(usize, u64)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let place = *places.entry(row).or_insert(counted.len());
        match counted.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => counted.push((index, 1)),
        }
    }
    Ok(counted)
}

/// Returns the most frequent value; of several, the first.
fn mode(group: &Group<'_>) -> Result<ScalarValue> {
    let mut most: Option<(usize, u64)> = None;
    for (first, count) in counted(group.values)? {
        if most.is_none_or(|(_, greatest)| count > greatest) {
            most = Some((first, count));
        }
    }
    match most {
        Some((first, _)) => ScalarValue::try_from_array(group.values, first),
        None => ScalarValue::try_from(group.gives),
    }
}

fn histogram_type(of: &DataType) -> DataType {
    DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entry(of)), false)), false)
}

fn entry(of: &DataType) -> Fields {
    let key = Field::new("key", of.clone(), false);
    let value = Field::new("value", DataType::UInt64, true);
    Fields::from(vec![key, value])
}

/// Returns the values and their counts, in the order of the values.
fn histogram(group: &Group<'_>) -> Result<ScalarValue> {
    if group.values.is_empty() {
        return ScalarValue::try_from(group.gives);
    }
    let counted = counted(group.values)?;
    let firsts: UInt64Array = counted.iter().map(|(first, _)| *first as u64).collect();
    let counts: ArrayRef = Arc::new(counted.iter().map(|(_, count)| *count).collect::<UInt64Array>());
    let keys = take(group.values, &firsts, None)?;
    let order = sort_to_indices(&keys, Some(SortOptions::default()), None)?;
    let columns = vec![take(&keys, &order, None)?, take(&counts, &order, None)?];
    let offsets = OffsetBuffer::from_lengths([keys.len()]);
    let fields = entry(group.values.data_type());
    let entries = StructArray::try_new(fields.clone(), columns, None)?;
    let field = Arc::new(Field::new("entries", DataType::Struct(fields), false));
    Ok(ScalarValue::Map(Arc::new(MapArray::try_new(field, offsets, entries, None, false)?)))
}

/// Returns the entropy of the frequencies, in bits.
fn entropy(group: &Group<'_>) -> Result<ScalarValue> {
    let total = group.values.len() as f64;
    let parts = counted(group.values)?.into_iter().map(|(_, count)| {
        let share = count as f64 / total;
        -share * share.log2()
    });
    Ok(ScalarValue::Float64(Some(parts.sum::<f64>().max(0.0))))
}
