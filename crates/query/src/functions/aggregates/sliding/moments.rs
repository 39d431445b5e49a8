//! Variances, deviations, covariances, correlations and regressions over a sliding frame.
//!
//! The sums of both arguments, of their squares and of their product are exact. They make up a
//! state from which DataFusion's aggregate computes the value. DataFusion removes a row by
//! inverting Welford's update. Its rounding errors stay, so that a frame of equal numbers can have
//! a negative variance.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::Float64Type;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Accumulator;

use super::Call;
use super::exact::ExactSum;
use crate::error::{Error, wrap};

/// Greatest number with squares that a frame can add up.
const LIMIT: f64 = 1e150;

/// The parts of an aggregate's state behind its count; `x` is its first argument.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout {
    /// Mean of x, squares of x.
    Variance,
    /// Means of x and y, products.
    Covariance,
    /// Mean and squares of x, mean and squares of y, products.
    Correlation,
    /// Means of y and x, squares of y and x, products.
    Regression,
}

impl Layout {
    /// Returns the layout of an aggregate's state; `None` for other aggregates.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "var" | "var_pop" | "stddev" | "stddev_pop" => Some(Self::Variance),
            "covar_samp" | "covar_pop" => Some(Self::Covariance),
            "corr" => Some(Self::Correlation),
            name if name.starts_with("regr_") => Some(Self::Regression),
            _ => None,
        }
    }
}

/// Accumulator of one of these aggregates over the rows in a frame.
#[derive(Debug)]
pub(super) struct SlidingMoments {
    layout: Layout,
    call: Call,
    count: u64,
    /// Rows with NaN or infinity, which are in no sum.
    no_numbers: u64,
    /// Rows with a number above [`LIMIT`], which are in no sum.
    too_large: u64,
    x: ExactSum,
    y: ExactSum,
    xx: ExactSum,
    yy: ExactSum,
    xy: ExactSum,
}

impl SlidingMoments {
    /// Makes one for an empty frame.
    pub fn new(layout: Layout, call: Call) -> Self {
        let [x, y, xx, yy, xy] = std::array::from_fn(|_| ExactSum::default());
        Self { layout, call, count: 0, no_numbers: 0, too_large: 0, x, y, xx, yy, xy }
    }

    fn each(values: &[ArrayRef], mut take: impl FnMut(f64, f64)) -> Result<()> {
        let x = values[0].as_primitive_opt::<Float64Type>();
        let y = values.get(1).unwrap_or(&values[0]).as_primitive_opt::<Float64Type>();
        let (Some(x), Some(y)) = (x, y) else {
            return Err(wrap(Error::Internal("moments are those of doubles".to_owned())));
        };
        x.iter().zip(y).filter_map(|(x, y)| x.zip(y)).for_each(|(x, y)| take(x, y));
        Ok(())
    }

    /// Returns the count for a row that the sums can't include.
    fn apart(&mut self, x: f64, y: f64) -> Option<&mut u64> {
        match (x.is_finite() && y.is_finite(), x.abs().max(y.abs()) > LIMIT) {
            (false, _) => Some(&mut self.no_numbers),
            (true, true) => Some(&mut self.too_large),
            (true, false) => None,
        }
    }

    fn add(&mut self, x: f64, y: f64, sign: f64) {
        self.x.add(sign * x);
        self.xx.add_product(sign * x, x);
        if !matches!(self.layout, Layout::Variance) {
            self.y.add(sign * y);
            self.yy.add_product(sign * y, y);
            self.xy.add_product(sign * x, y);
        }
    }

    /// Returns the sum of the products of the distances of two arguments from their means.
    fn central(&self, products: &ExactSum, left: &ExactSum, right: &ExactSum) -> f64 {
        let count = self.count as f64;
        let mut sum = products.times(count);
        sum.subtract_product(left, right);
        sum.total() / count
    }

    fn moments(&self) -> Vec<ScalarValue> {
        let count = self.count as f64;
        let number = |value: f64| ScalarValue::from(if self.no_numbers > 0 { f64::NAN } else { value });
        let mean = |sum: &ExactSum| number(sum.total() / count);
        let (x, y) = (mean(&self.x), mean(&self.y));
        let xx = number(self.central(&self.xx, &self.x, &self.x));
        let yy = number(self.central(&self.yy, &self.y, &self.y));
        let xy = number(self.central(&self.xy, &self.x, &self.y));
        let count = ScalarValue::from(self.count);
        match self.layout {
            Layout::Variance => vec![count, x, xx],
            Layout::Covariance => vec![count, x, y, xy],
            Layout::Correlation => vec![count, x, xx, y, yy, xy],
            Layout::Regression => vec![count, y, x, yy, xx, xy],
        }
    }
}

impl Accumulator for SlidingMoments {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        Self::each(values, |x, y| {
            self.count += 1;
            match self.apart(x, y) {
                Some(apart) => *apart += 1,
                None => self.add(x, y, 1.0),
            }
        })
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        Self::each(values, |x, y| {
            self.count -= 1;
            match self.apart(x, y) {
                Some(apart) => *apart -= 1,
                None => self.add(x, y, -1.0),
            }
        })
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut aggregate = self.call.accumulator()?;
        if self.count == 0 {
            return aggregate.evaluate();
        }
        if self.too_large > 0 && self.no_numbers == 0 {
            return Err(wrap(Error::Query(format!(
                "{} squares numbers, and a frame has one above {LIMIT:e}: divide its argument",
                self.call.name
            ))));
        }
        let state = self.moments().iter().map(ScalarValue::to_array).collect::<Result<Vec<_>>>()?;
        aggregate.merge_batch(&state)?;
        aggregate.evaluate()
    }

    fn size(&self) -> usize {
        let sums = [&self.x, &self.y, &self.xx, &self.yy, &self.xy];
        size_of_val(self) + sums.into_iter().map(ExactSum::size).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Err(wrap(Error::Internal("the moments of a frame are handed on to no other".to_owned())))
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Err(wrap(Error::Internal("the moments of a frame take no other's".to_owned())))
    }
}
