//! Quantiles: of the values themselves, and between them.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, sort_to_indices, take};
use arrow::datatypes::{DataType, Field, Float64Type};
use datafusion::common::{Result, ScalarValue};

use super::moments::doubles;
use super::{Entry, Group, Takes};
use crate::error::{Error, wrap};

pub(super) const TABLE: &[Entry] = &[
    Entry {
        names: &["quantile_disc", "quantile", "percentile_disc"],
        takes: Takes::Any,
        has_second: true,
        gives: |of, second| for_each(of.clone(), second),
        finish: discrete,
    },
    Entry {
        names: &["quantile_cont"],
        takes: Takes::Doubles,
        has_second: true,
        gives: |_, second| for_each(DataType::Float64, second),
        finish: continuous,
    },
    Entry {
        names: &["median"],
        takes: Takes::Doubles,
        has_second: false,
        gives: |_, _| DataType::Float64,
        finish: median,
    },
    Entry {
        names: &["mad"],
        takes: Takes::Doubles,
        has_second: false,
        gives: |_, _| DataType::Float64,
        finish: deviation,
    },
];

/// Returns the type for one fraction, or a list for a list of them.
fn for_each(of: DataType, fractions: Option<&DataType>) -> DataType {
    match fractions {
        Some(DataType::List(_)) => DataType::new_list(of, true),
        _ => of,
    }
}

/// Returns the fractions that are asked for, and whether they are a list.
fn fractions(group: &Group<'_>) -> Result<(Vec<f64>, bool)> {
    let refused = |found: &str| {
        wrap(Error::Query(format!(
            "a quantile is of a fraction from 0 to 1, and got {found}: write 0.5 for the median"
        )))
    };
    let (fractions, is_list) = match group.second {
        Some(ScalarValue::Float64(Some(fraction))) => (vec![*fraction], false),
        Some(ScalarValue::List(list)) if !list.is_null(0) => {
            let values = list.value(0);
            (values.as_primitive::<Float64Type>().iter().map(Option::unwrap_or_default).collect(), true)
        }
        _ => return Err(refused("NULL")),
    };
    match fractions.iter().find(|fraction| !(-1.0..=1.0).contains(*fraction)) {
        Some(beyond) => Err(refused(&beyond.to_string())),
        None => Ok((fractions, is_list)),
    }
}

/// Returns the index of a fraction among sorted values. A negative one counts from the greatest.
fn index(fraction: f64, count: usize) -> usize {
    let size = count as f64;
    let place = |fraction: f64| (count - (size - fraction * size).floor() as usize).max(1) - 1;
    match fraction.is_sign_negative() {
        true => count - 1 - place(-fraction),
        false => place(fraction),
    }
}

/// Returns values in a list, if one was asked for.
fn listed(values: ArrayRef, is_list: bool) -> Result<ScalarValue> {
    if !is_list {
        return ScalarValue::try_from_array(&values, 0);
    }
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths([values.len()]);
    Ok(ScalarValue::List(Arc::new(ListArray::try_new(field, offsets, values, None)?)))
}

fn discrete(group: &Group<'_>) -> Result<ScalarValue> {
    let (fractions, is_list) = fractions(group)?;
    let count = group.values.len();
    if count == 0 {
        return ScalarValue::try_from(group.gives);
    }
    let order = sort_to_indices(group.values, Some(SortOptions::default()), None)?;
    let chosen = fractions.into_iter().map(|fraction| u64::from(order.value(index(fraction, count))));
    listed(take(group.values, &chosen.collect::<UInt64Array>(), None)?, is_list)
}

fn continuous(group: &Group<'_>) -> Result<ScalarValue> {
    let (fractions, is_list) = fractions(group)?;
    if group.values.is_empty() {
        return ScalarValue::try_from(group.gives);
    }
    let mut values = doubles(group).to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let between = fractions.into_iter().map(|fraction| {
        let fraction = if fraction.is_sign_negative() { 1.0 + fraction } else { fraction };
        interpolated(&values, fraction)
    });
    listed(Arc::new(between.collect::<Float64Array>()), is_list)
}

fn median(group: &Group<'_>) -> Result<ScalarValue> {
    let half = ScalarValue::Float64(Some(0.5));
    continuous(&Group { second: Some(&half), ..*group })
}

/// Returns the value at a share of the way through sorted values.
fn interpolated(values: &[f64], fraction: f64) -> f64 {
    let place = fraction * (values.len() as f64 - 1.0);
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    match (values.get(low), values.get(high)) {
        (Some(low_value), Some(high_value)) if low != high && low_value != high_value => {
            low_value + (high_value - low_value) * (place - place.floor())
        }
        (Some(value), _) => *value,
        _ => f64::NAN,
    }
}

/// Returns the median of the distances from the median.
fn deviation(group: &Group<'_>) -> Result<ScalarValue> {
    if group.values.is_empty() {
        return ScalarValue::try_from(group.gives);
    }
    let mut values = doubles(group).to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let median = interpolated(&values, 0.5);
    let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    distances.sort_unstable_by(f64::total_cmp);
    Ok(ScalarValue::Float64(Some(interpolated(&distances, 0.5))))
}
