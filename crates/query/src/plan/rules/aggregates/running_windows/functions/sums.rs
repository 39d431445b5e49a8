//! `count`, `sum` and `avg`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Float64Array, Int64Array, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float64Type};
use datafusion::error::Result;
use pelton_dense::Summand;

use super::{Running, Step, walk};
use crate::functions::{Limit, Quotient, Visitor, visit};
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// A type that totals are added up in.
trait Addend: Copy + Default {
    /// Returns a sum, and whether it overflowed.
    fn plus(self, other: Self) -> (Self, bool);
}

impl Addend for i128 {
    fn plus(self, other: Self) -> (Self, bool) {
        self.overflowing_add(other)
    }
}

impl Addend for f64 {
    fn plus(self, other: Self) -> (Self, bool) {
        (self + other, false)
    }
}

/// A total over the rows of a partition until now.
#[derive(Debug, Default)]
struct Total<W> {
    total: W,
    /// Rows that are not NULL.
    count: u64,
}

/// Totals with the counts of their values.
struct Totals<W> {
    totals: Vec<W>,
    counts: Vec<u64>,
    /// A total was beyond its type.
    has_overflowed: bool,
}

impl<W> Totals<W> {
    /// Returns the places of totals over no values, which are NULL.
    fn nulls(&self) -> Option<NullBuffer> {
        let is_empty = |count: &u64| *count == 0;
        self.counts.iter().any(is_empty).then(|| self.counts.iter().map(|count| !is_empty(count)).collect())
    }
}

struct AddUp<'a, N, W> {
    values: &'a [N],
    nulls: Option<&'a NullBuffer>,
    total: &'a mut Total<W>,
    found: Totals<W>,
}

impl<N, W> Step for AddUp<'_, N, W>
where
    N: Copy + Into<W>,
    W: Addend,
{
    fn reset(&mut self) {
        *self.total = Total { total: W::default(), count: 0 };
    }

    fn add(&mut self, row: usize) {
        if self.nulls.is_none_or(|nulls| nulls.is_valid(row)) {
            let (total, overflowed) = self.total.total.plus(self.values[row].into());
            self.total.total = total;
            self.total.count += 1;
            self.found.has_overflowed |= overflowed;
        }
    }

    fn emit(&mut self) {
        self.found.totals.push(self.total.total);
        self.found.counts.push(self.total.count);
    }
}

/// Adds the values of a batch to a total.
struct Batch<'a, W> {
    total: &'a mut Total<W>,
    starts: &'a Starts,
    scope: Scope,
}

impl<W: Addend> Batch<'_, W> {
    fn totals<T>(self, array: &PrimitiveArray<T>) -> Totals<W>
    where
        T: ArrowPrimitiveType,
        T::Native: Into<W>,
    {
        let found = Totals { totals: Vec::new(), counts: Vec::new(), has_overflowed: false };
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut step = AddUp { values: array.values(), nulls, total: self.total, found };
        walk(&mut step, self.starts, self.scope);
        step.found
    }
}

impl Visitor for Batch<'_, i128> {
    type Output = Totals<i128>;

    fn visit<T>(self, array: &PrimitiveArray<T>) -> Totals<i128>
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        self.totals(array)
    }
}

/// A sum of integers or decimals, with an error on overflow.
pub(super) struct Sum {
    limit: Limit,
    total: Total<i128>,
}

impl Sum {
    /// Returns a sum over no rows.
    pub fn new(limit: Limit) -> Self {
        Self { limit, total: Total::default() }
    }
}

impl Running for Sum {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let found = visit(&arguments[0], Batch { total: &mut self.total, starts, scope })?;
        if found.has_overflowed {
            return Err(self.limit.overflow(None));
        }
        let nulls = found.nulls();
        self.limit.array(found.totals, nulls)
    }
}

/// An average of decimals.
pub(super) struct Average {
    quotient: Arc<Quotient>,
    /// The type of the totals, which has digits for any number of rows.
    total_type: DataType,
    total: Total<i128>,
}

impl Average {
    /// Returns an average over no rows.
    pub fn new(quotient: Arc<Quotient>, total_type: DataType) -> Self {
        Self { quotient, total_type, total: Total::default() }
    }
}

impl Running for Average {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let found = visit(&arguments[0], Batch { total: &mut self.total, starts, scope })?;
        let totals = Decimal128Array::from(found.totals).with_data_type(self.total_type.clone());
        self.quotient.of(&(Arc::new(totals) as ArrayRef), found.counts.into_iter().map(Some))
    }
}

/// A sum or an average of doubles, added up in the order of the rows.
pub(super) struct Doubles {
    total: Total<f64>,
    is_average: bool,
}

impl Doubles {
    /// Returns a sum over no rows.
    pub fn sum() -> Self {
        Self { total: Total::default(), is_average: false }
    }

    /// Returns an average over no rows.
    pub fn average() -> Self {
        Self { total: Total::default(), is_average: true }
    }
}

impl Running for Doubles {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let values = arguments[0].as_primitive::<Float64Type>();
        let mut found = Batch { total: &mut self.total, starts, scope }.totals(values);
        if self.is_average {
            found.totals.iter_mut().zip(&found.counts).for_each(|(total, count)| *total /= *count as f64);
        }
        let nulls = found.nulls();
        Ok(Arc::new(Float64Array::try_new(found.totals.into(), nulls)?))
    }
}

/// A count of rows that are not NULL.
#[derive(Default)]
pub(super) struct Count(i64);

struct CountUp<'a> {
    nulls: Option<NullBuffer>,
    count: &'a mut i64,
    counts: Vec<i64>,
}

impl Step for CountUp<'_> {
    fn reset(&mut self) {
        *self.count = 0;
    }

    fn add(&mut self, row: usize) {
        *self.count += i64::from(self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)));
    }

    fn emit(&mut self) {
        self.counts.push(*self.count);
    }
}

impl Running for Count {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let nulls = arguments[0].logical_nulls();
        let mut step = CountUp { nulls, count: &mut self.0, counts: Vec::new() };
        walk(&mut step, starts, scope);
        Ok(Arc::new(Int64Array::from(step.counts)))
    }
}
