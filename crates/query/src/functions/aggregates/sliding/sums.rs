//! Sums and means of doubles over a sliding frame.
//!
//! DataFusion subtracts the values that leave the frame from the rounded sum: after infinity, NaN
//! or a number that is large beside the others, the sums of later rows are wrong. Here a sum is
//! exact, and infinities and NaN are counted.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::Float64Type;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::exact::ExactSum;
use crate::error::{Error, wrap};

/// The sum or the mean of the doubles in a frame.
#[derive(Debug, Default)]
pub(crate) struct SlidingSum {
    sum: ExactSum,
    numbers: u64,
    nans: u64,
    infinities: u64,
    negative_infinities: u64,
    is_mean: bool,
}

impl SlidingSum {
    /// Returns a sum.
    pub fn sum() -> Self {
        Self::default()
    }

    /// Returns a mean.
    pub fn mean() -> Self {
        Self { is_mean: true, ..Self::default() }
    }

    /// Returns the count that a value belongs to.
    fn count(&mut self, value: f64) -> &mut u64 {
        match value {
            value if value.is_nan() => &mut self.nans,
            f64::INFINITY => &mut self.infinities,
            f64::NEG_INFINITY => &mut self.negative_infinities,
            _ => &mut self.numbers,
        }
    }

    /// Adds a value that comes into the frame.
    pub fn add(&mut self, value: f64) {
        *self.count(value) += 1;
        if value.is_finite() {
            self.sum.add(value);
        }
    }

    /// Subtracts a value that leaves the frame.
    pub fn subtract(&mut self, value: f64) {
        *self.count(value) -= 1;
        if value.is_finite() {
            self.sum.add(-value);
        }
    }

    /// Returns the sum or the mean; `None` of no values.
    pub fn total(&self) -> Option<f64> {
        let count = self.numbers + self.nans + self.infinities + self.negative_infinities;
        if count == 0 {
            return None;
        }
        let sum = match (self.nans, self.infinities, self.negative_infinities) {
            (0, 0, 0) => self.sum.total(),
            (0, _, 0) => f64::INFINITY,
            (0, 0, _) => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
        Some(if self.is_mean { sum / count as f64 } else { sum })
    }
}

impl Accumulator for SlidingSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        values[0].as_primitive::<Float64Type>().iter().flatten().for_each(|value| self.add(value));
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        values[0].as_primitive::<Float64Type>().iter().flatten().for_each(|value| self.subtract(value));
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Float64(self.total()))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.sum.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Err(wrap(Error::Internal("the sum of a frame is handed on to no other".to_owned())))
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Err(wrap(Error::Internal("the sum of a frame takes no other's".to_owned())))
    }
}

#[cfg(test)]
mod tests;
