//! Aggregates of the moments of numbers, and products.

use arrow::array::AsArray;
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, ScalarValue};

use super::{Entry, Group, Takes};

const fn entry(names: &'static [&'static str], finish: fn(&Group<'_>) -> Result<ScalarValue>) -> Entry {
    Entry { names, takes: Takes::Doubles, has_second: false, gives: |_, _| DataType::Float64, finish }
}

pub(super) const TABLE: &[Entry] = &[
    entry(&["product"], |group| {
        let values = doubles(group);
        Ok(ScalarValue::Float64((!values.is_empty()).then(|| values.iter().product())))
    }),
    entry(&["skewness"], |group| Ok(ScalarValue::Float64(skewness(doubles(group))))),
    entry(&["kurtosis"], |group| Ok(ScalarValue::Float64(kurtosis(doubles(group), true)))),
    entry(&["kurtosis_pop"], |group| Ok(ScalarValue::Float64(kurtosis(doubles(group), false)))),
];

/// Returns the numbers of a group.
pub(super) fn doubles<'a>(group: &'a Group<'_>) -> &'a [f64] {
    group.values.as_primitive::<Float64Type>().values()
}

/// Returns the mean of a power of the distances from the mean.
fn moment(values: &[f64], power: i32) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / count
}

/// Returns the skewness of a population that the numbers are a sample of.
fn skewness(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() <= 2 {
        return None;
    }
    let variance = moment(values, 2);
    if variance == 0.0 {
        return Some(f64::NAN);
    }
    Some((count * (count - 1.0)).sqrt() / (count - 2.0) * moment(values, 3) / variance.powf(1.5))
}

/// Returns the excess kurtosis of a sample's population, or of the numbers alone.
fn kurtosis(values: &[f64], is_sample: bool) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() <= if is_sample { 3 } else { 1 } {
        return None;
    }
    let variance = moment(values, 2);
    if variance <= 0.0 {
        return None;
    }
    let ratio = moment(values, 4) / (variance * variance);
    Some(match is_sample {
        true => {
            (count - 1.0) * ((count + 1.0) * ratio - 3.0 * (count - 1.0)) / ((count - 2.0) * (count - 3.0))
        }
        false => ratio - 3.0,
    })
}
