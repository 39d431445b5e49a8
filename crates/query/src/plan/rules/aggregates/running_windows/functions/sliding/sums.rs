//! `count`, `sum` and `avg` over sliding frames.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, Float64Array, Int64Array, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float64Type};
use datafusion::error::Result;
use pelton_dense::Summand;

use super::{Needed, Sliding, Tail};
use crate::functions::{Limit, Quotient, SlidingSum, Visitor, visit};

/// A total that rows are added to and taken from.
trait Total: Default + Send {
    type Value: Copy + Send;

    fn add(&mut self, value: Self::Value);

    fn subtract(&mut self, value: Self::Value);
}

/// A total of integers or decimals.
#[derive(Debug, Default)]
struct Exact {
    /// The total, modulo 2^128.
    low: i128,
    /// Times that the total went beyond 128 bits, less the times it came back.
    beyond: i64,
}

impl Total for Exact {
    type Value = i128;

    fn add(&mut self, value: i128) {
        let (low, has_overflowed) = self.low.overflowing_add(value);
        self.low = low;
        self.beyond += i64::from(has_overflowed) * value.signum() as i64;
    }

    fn subtract(&mut self, value: i128) {
        let (low, has_overflowed) = self.low.overflowing_sub(value);
        self.low = low;
        self.beyond -= i64::from(has_overflowed) * value.signum() as i64;
    }
}

impl Total for SlidingSum {
    type Value = f64;

    fn add(&mut self, value: f64) {
        self.add(value);
    }

    fn subtract(&mut self, value: f64) {
        self.subtract(value);
    }
}

/// The rows of the last frame, and their total.
struct Window<T: Total> {
    /// `None` for NULL.
    values: Tail<Option<T::Value>>,
    rows: Range<u64>,
    total: T,
    /// Rows that are not NULL.
    count: u64,
}

impl<T: Total> Default for Window<T> {
    fn default() -> Self {
        Self { values: Tail::default(), rows: 0..0, total: T::default(), count: 0 }
    }
}

impl<T: Total> Window<T> {
    /// Moves on to a frame.
    fn move_to(&mut self, frame: &Range<u64>) {
        let is_back = frame.start < self.rows.start || frame.end < self.rows.end;
        if is_back || frame.start >= self.rows.end {
            (self.rows, self.total, self.count) = (frame.start..frame.start, T::default(), 0);
        }
        for row in self.rows.end..frame.end {
            if let Some(value) = *self.values.row(row) {
                self.total.add(value);
                self.count += 1;
            }
        }
        for row in self.rows.start..frame.start {
            if let Some(value) = *self.values.row(row) {
                self.total.subtract(value);
                self.count -= 1;
            }
        }
        self.rows = frame.clone();
    }
}

/// Adds the values of a batch to those of the rows before.
struct Push<'a>(&'a mut Tail<Option<i128>>);

impl Visitor for Push<'_> {
    type Output = ();

    fn visit<T>(self, array: &PrimitiveArray<T>)
    where
        T: ArrowPrimitiveType + Send,
        T::Native: Summand,
    {
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            Some(_) => self.0.extend(array.iter().map(|value| value.map(Into::into))),
            None => self.0.extend(array.values().iter().map(|value| Some((*value).into()))),
        }
    }
}

/// Totals of frames, with the counts of their values.
struct Found {
    totals: Vec<i128>,
    counts: Vec<u64>,
    /// A total is beyond 128 bits.
    is_beyond: bool,
}

fn exact(window: &mut Window<Exact>, frames: &[Range<u64>]) -> Found {
    let (mut totals, mut counts) = (Vec::with_capacity(frames.len()), Vec::with_capacity(frames.len()));
    let mut is_beyond = false;
    for frame in frames {
        window.move_to(frame);
        totals.push(window.total.low);
        counts.push(window.count);
        is_beyond |= window.total.beyond != 0;
    }
    Found { totals, counts, is_beyond }
}

/// Returns the places of values over no rows, which are NULL.
fn nulls(counts: &[u64]) -> Option<NullBuffer> {
    counts.contains(&0).then(|| counts.iter().map(|count| *count > 0).collect())
}

/// A sum of integers or decimals.
pub(crate) struct Sums {
    limit: Limit,
    window: Window<Exact>,
}

impl Sums {
    /// Returns a sum over no rows.
    pub fn new(limit: Limit) -> Self {
        Self { limit, window: Window::default() }
    }
}

impl Sliding for Sums {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        visit(argument, Push(&mut self.window.values))
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let found = exact(&mut self.window, frames);
        if found.is_beyond {
            return Err(self.limit.overflow(None));
        }
        self.limit.array(found.totals, nulls(&found.counts))
    }

    fn forget(&mut self, needed: Needed) {
        self.window.values.forget(needed.first);
    }

    fn size(&self) -> usize {
        self.window.values.size()
    }
}

/// An average of decimals.
pub(crate) struct Averages {
    quotient: Arc<Quotient>,
    /// The type of the totals, which has digits for any number of rows.
    total_type: DataType,
    window: Window<Exact>,
}

impl Averages {
    /// Returns an average over no rows.
    pub fn new(quotient: Arc<Quotient>, total_type: DataType) -> Self {
        Self { quotient, total_type, window: Window::default() }
    }
}

impl Sliding for Averages {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        visit(argument, Push(&mut self.window.values))
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let found = exact(&mut self.window, frames);
        let totals = Decimal128Array::from(found.totals).with_data_type(self.total_type.clone());
        self.quotient.of(&(Arc::new(totals) as ArrayRef), found.counts.into_iter().map(Some))
    }

    fn forget(&mut self, needed: Needed) {
        self.window.values.forget(needed.first);
    }

    fn size(&self) -> usize {
        self.window.values.size()
    }
}

/// A sum or an average of doubles, exact until it is rounded once.
pub(crate) struct Doubles {
    window: Window<SlidingSum>,
    is_average: bool,
}

impl Doubles {
    /// Returns a sum over no rows.
    pub fn sum() -> Self {
        Self { window: Window::default(), is_average: false }
    }

    /// Returns an average over no rows.
    pub fn average() -> Self {
        Self { window: Window::default(), is_average: true }
    }
}

impl Sliding for Doubles {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        self.window.values.extend(argument.as_primitive::<Float64Type>());
        Ok(())
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let window = &mut self.window;
        let values = frames.iter().map(|frame| {
            window.move_to(frame);
            let total = window.total.total()?;
            Some(if self.is_average { total / window.count as f64 } else { total })
        });
        Ok(Arc::new(values.collect::<Float64Array>()))
    }

    fn forget(&mut self, needed: Needed) {
        self.window.values.forget(needed.first);
    }

    fn size(&self) -> usize {
        self.window.values.size()
    }
}

/// A count of rows that are not NULL.
#[derive(Default)]
pub(crate) struct Counts {
    /// Rows until now.
    rows: u64,
    /// Rows that are not NULL before each row from the second on.
    before: Tail<u64>,
    /// First row of the last frame, and the count before it.
    start: (u64, u64),
    /// Rows that are not NULL until now.
    valid: u64,
}

impl Counts {
    /// Returns the count before a row.
    fn before(&self, row: u64) -> u64 {
        if row == self.rows { self.valid } else { *self.before.row(row) }
    }
}

impl Sliding for Counts {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        let nulls = argument.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        let first = self.valid;
        match nulls {
            None => {
                self.before.extend(first..first + argument.len() as u64);
                self.valid += argument.len() as u64;
            }
            Some(nulls) => {
                let mut valid = first;
                self.before.extend(nulls.iter().map(|is_valid| {
                    valid += u64::from(is_valid);
                    valid - u64::from(is_valid)
                }));
                self.valid = valid;
            }
        }
        self.rows += argument.len() as u64;
        Ok(())
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let mut counts = Vec::with_capacity(frames.len());
        for frame in frames {
            if self.start.0 != frame.start {
                self.start = (frame.start, self.before(frame.start));
            }
            counts.push((self.before(frame.end) - self.start.1) as i64);
        }
        Ok(Arc::new(Int64Array::from(counts)))
    }

    fn forget(&mut self, needed: Needed) {
        self.before.forget(needed.first);
    }

    fn size(&self) -> usize {
        self.before.size()
    }
}
