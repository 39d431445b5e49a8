//! Canonical floats: one bit pattern for all NaNs, and one zero.
//!
//! Arrow compares floats by IEEE 754's totalOrder, in which NaNs with a sign come before all
//! numbers and NaNs of different bits differ. SQL has one NaN, greater than all numbers. With one
//! bit pattern for it, that of [`f64::NAN`], Arrow's order is SQL's.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, make_array};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float16Type, Float32Type, Float64Type};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::utils::normalize_float_zero;

/// Returns whether values of a type may be NaN, or have such values in them.
pub(crate) fn has_floats(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float16 | DataType::Float32 | DataType::Float64 => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_floats(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_floats(field.data_type())),
        DataType::Dictionary(_, values) => has_floats(values),
        _ => false,
    }
}

/// Returns the same values with one bit pattern for NaN. An array that has no other is not copied.
///
/// # Errors
/// The array is broken.
pub(crate) fn canonical_nans(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    map_floats(array, &|floats| match floats.data_type() {
        DataType::Float16 => canonical::<Float16Type>(floats),
        DataType::Float32 => canonical::<Float32Type>(floats),
        _ => canonical::<Float64Type>(floats),
    })
}

/// Returns the same values with 0.0 for -0.0. An array that has none is not copied.
///
/// # Errors
/// The array is broken.
pub(crate) fn one_zero(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    map_floats(array, &normalize_float_zero)
}

/// Applies a function to the arrays of floats in an array, at every depth.
fn map_floats(array: &ArrayRef, map: &dyn Fn(&ArrayRef) -> ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        data_type if data_type.is_floating() => Ok(map(array)),
        data_type if has_floats(data_type) => {
            let data = array.to_data();
            let mut children = Vec::with_capacity(data.child_data().len());
            let mut is_changed = false;
            for child in data.child_data() {
                let child = make_array(child.clone());
                let mapped = map_floats(&child, map)?;
                is_changed |= !Arc::ptr_eq(&child, &mapped);
                children.push(mapped.to_data());
            }
            match is_changed {
                true => Ok(make_array(data.into_builder().child_data(children).build()?)),
                false => Ok(array.clone()),
            }
        }
        _ => Ok(array.clone()),
    }
}

/// Returns the same rows with one bit pattern for NaN.
///
/// # Errors
/// An array is broken.
pub(crate) fn canonical_batch(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    if !batch.schema_ref().fields().iter().any(|field| has_floats(field.data_type())) {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().map(canonical_nans).collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

fn canonical<T: Float>(array: &ArrayRef) -> ArrayRef {
    let floats: &PrimitiveArray<T> = array.as_primitive();
    // no branch, so that the loop is vectorised
    let is_odd = floats.values().iter().fold(false, |found, &value| found | T::is_odd(value));
    match is_odd {
        true => Arc::new(floats.unary::<_, T>(|value| if T::is_odd(value) { T::CANONICAL } else { value })),
        false => array.clone(),
    }
}

/// A float type with its canonical NaN.
trait Float: ArrowPrimitiveType {
    const CANONICAL: Self::Native;

    /// Returns whether a value is a NaN with other bits than the canonical one.
    fn is_odd(value: Self::Native) -> bool;
}

impl Float for Float16Type {
    const CANONICAL: Self::Native = Self::Native::NAN;

    fn is_odd(value: Self::Native) -> bool {
        value.is_nan() & (value.to_bits() != Self::CANONICAL.to_bits())
    }
}

impl Float for Float32Type {
    const CANONICAL: f32 = f32::NAN;

    fn is_odd(value: f32) -> bool {
        value.is_nan() & (value.to_bits() != Self::CANONICAL.to_bits())
    }
}

impl Float for Float64Type {
    const CANONICAL: f64 = f64::NAN;

    fn is_odd(value: f64) -> bool {
        value.is_nan() & (value.to_bits() != Self::CANONICAL.to_bits())
    }
}

#[cfg(test)]
mod tests;
