//! Keys of RANGE frames as numbers in the order of the rows.

use std::collections::VecDeque;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, Scalar, new_empty_array};
use arrow::compute::kernels::numeric::{add, sub};
use arrow::compute::{SortOptions, cast};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::common::{ScalarValue, internal_datafusion_err};
use datafusion::error::Result;

/// The first or the last keys of a frame.
#[derive(Debug, Clone)]
pub(super) enum Distance {
    /// With the partition.
    Partition,
    /// With the key of the current row.
    Peers,
    /// A distance before it, in the order of the rows.
    Before(ScalarValue),
    /// A distance after it.
    After(ScalarValue),
}

impl Distance {
    /// Returns the distance from the key of the current row; `None` without one.
    fn by(&self) -> Option<&ScalarValue> {
        match self {
            Self::Before(by) | Self::After(by) => Some(by),
            Self::Partition | Self::Peers => None,
        }
    }
}

/// The frame of a row, by keys.
#[derive(Debug, Clone)]
pub(super) struct Distances {
    pub start: Distance,
    pub end: Distance,
    /// The order of the keys.
    pub options: SortOptions,
}

impl Distances {
    /// Returns whether keys of a type, and the keys at the distances, can be compared.
    pub fn can_compare(&self, data_type: &DataType) -> bool {
        let keys = new_empty_array(data_type);
        numbers(&keys).is_some() && self.places(&keys).is_ok()
    }

    /// Returns whether distances have parts of the unit that dates are compared in.
    pub fn are_finer(&self) -> bool {
        [&self.start, &self.end].into_iter().filter_map(Distance::by).any(|by| match by {
            ScalarValue::IntervalMonthDayNano(Some(interval)) => interval.nanoseconds % UNIT != 0,
            _ => false,
        })
    }

    /// Returns the type that keys of a type are compared in: a date at a distance with hours is a
    /// time, which an addition to a date would cut off.
    pub fn compared_type(&self, data_type: &DataType) -> DataType {
        let mut intervals = [&self.start, &self.end].into_iter().filter_map(Distance::by);
        match data_type {
            DataType::Date32 if intervals.any(has_hours) => DataType::Timestamp(TimeUnit::Millisecond, None),
            other => other.clone(),
        }
    }

    /// Returns the places by which a border may go back from one row to the next: none, unless
    /// months are added to times. The last days of a month then have one date, and a row at noon
    /// may come before one at midnight.
    pub fn steps_back(&self, data_type: &DataType) -> i128 {
        let unit = match data_type {
            DataType::Timestamp(TimeUnit::Second, _) => 1,
            DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000,
            DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000_000,
            DataType::Timestamp(TimeUnit::Nanosecond, _) => 1_000_000_000,
            _ => return 0,
        };
        let has_months = [&self.start, &self.end].into_iter().filter_map(Distance::by).any(has_months);
        // less than a day of 25 hours, in time zones
        if has_months { 2 * 24 * 3600 * unit } else { 0 }
    }

    /// Returns the places of keys, and the first and the last place in the frame of each.
    fn places(&self, keys: &ArrayRef) -> Result<[Vec<i128>; 3]> {
        let keys = &cast(keys, &self.compared_type(keys.data_type()))?;
        let places = self.ordered(keys)?;
        let [first, last] = [&self.start, &self.end].map(|distance| self.at(keys, &places, distance));
        Ok([places, first?, last?])
    }

    fn at(&self, keys: &ArrayRef, places: &[i128], distance: &Distance) -> Result<Vec<i128>> {
        let (by, is_after) = match distance {
            Distance::Partition | Distance::Peers => return Ok(places.to_vec()),
            Distance::Before(by) => (by, false),
            Distance::After(by) => (by, true),
        };
        let is_plus = is_after != self.options.descending;
        let scalar = by.to_scalar()?;
        let moved = if is_plus { add(keys, &scalar) } else { sub(keys, &scalar) };
        if let Ok(moved) = moved {
            return self.ordered(&same_type(keys, moved)?);
        }
        // a key beyond its type's range is beyond all others
        let beyond = if is_after { LAST } else { FIRST };
        let moved = (0..keys.len()).map(|row| {
            let key = Scalar::new(keys.slice(row, 1));
            let moved = if is_plus { add(&key, &scalar) } else { sub(&key, &scalar) };
            match moved {
                _ if keys.is_null(row) => Ok(places[row]),
                Ok(moved) => Ok(self.ordered(&same_type(keys, moved)?)?[0]),
                // the calendar ends before the type does
                Err(error) if keys.data_type().is_temporal() => Err(error.into()),
                Err(_) => Ok(beyond),
            }
        });
        moved.collect()
    }

    /// Returns numbers in the order of the rows.
    fn ordered(&self, keys: &ArrayRef) -> Result<Vec<i128>> {
        let numbers = numbers(keys)
            .ok_or_else(|| internal_datafusion_err!("a RANGE frame over {}", keys.data_type()))?;
        let null = if self.options.nulls_first { NULL_FIRST } else { NULL_LAST };
        let nulls = keys.nulls().filter(|nulls| nulls.null_count() > 0);
        let place = |(row, number): (usize, i128)| match nulls {
            Some(nulls) if nulls.is_null(row) => null,
            _ if self.options.descending => (!number).clamp(FIRST, LAST),
            _ => number.clamp(FIRST, LAST),
        };
        Ok(numbers.into_iter().enumerate().map(place).collect())
    }
}

/// The place of a NULL before all keys.
const NULL_FIRST: i128 = i128::MIN;
/// The place of a NULL after all keys.
const NULL_LAST: i128 = i128::MAX;
/// The least place of a key.
const FIRST: i128 = NULL_FIRST + 1;
/// The greatest place of a key.
const LAST: i128 = NULL_LAST - 1;

/// Nanoseconds of the unit that dates at distances are compared in.
const UNIT: i64 = 1_000_000;

/// Returns whether an interval has a part of a day.
fn has_hours(interval: &ScalarValue) -> bool {
    match interval {
        ScalarValue::IntervalDayTime(Some(interval)) => interval.milliseconds != 0,
        ScalarValue::IntervalMonthDayNano(Some(interval)) => interval.nanoseconds != 0,
        _ => false,
    }
}

/// Returns whether an interval has months.
fn has_months(interval: &ScalarValue) -> bool {
    match interval {
        ScalarValue::IntervalYearMonth(Some(months)) => *months != 0,
        ScalarValue::IntervalMonthDayNano(Some(interval)) => interval.months != 0,
        _ => false,
    }
}

/// Returns moved keys if their numbers have the unit of the keys.
fn same_type(keys: &ArrayRef, moved: ArrayRef) -> Result<ArrayRef> {
    let is_same = match (keys.data_type(), moved.data_type()) {
        (DataType::Decimal128(_, scale), DataType::Decimal128(_, other)) => scale == other,
        (one, other) => one == other,
    };
    let error = || internal_datafusion_err!("{} at a distance of {}", moved.data_type(), keys.data_type());
    is_same.then_some(&moved).cloned().ok_or_else(error)
}

/// Returns values as numbers in their order; `None` for a type without distances.
fn numbers(values: &ArrayRef) -> Option<Vec<i128>> {
    fn widened<T: ArrowPrimitiveType>(values: &ArrayRef) -> Vec<i128>
    where
        T::Native: Into<i128>,
    {
        values.as_primitive::<T>().values().iter().map(|value| (*value).into()).collect()
    }
    Some(match values.data_type() {
        DataType::Int8 => widened::<Int8Type>(values),
        DataType::Int16 => widened::<Int16Type>(values),
        DataType::Int32 => widened::<Int32Type>(values),
        DataType::Int64 => widened::<Int64Type>(values),
        DataType::UInt8 => widened::<UInt8Type>(values),
        DataType::UInt16 => widened::<UInt16Type>(values),
        DataType::UInt32 => widened::<UInt32Type>(values),
        DataType::UInt64 => widened::<UInt64Type>(values),
        DataType::Decimal128(..) => widened::<Decimal128Type>(values),
        DataType::Date32 => widened::<Date32Type>(values),
        DataType::Date64 => widened::<Date64Type>(values),
        DataType::Timestamp(TimeUnit::Second, _) => widened::<TimestampSecondType>(values),
        DataType::Timestamp(TimeUnit::Millisecond, _) => widened::<TimestampMillisecondType>(values),
        DataType::Timestamp(TimeUnit::Microsecond, _) => widened::<TimestampMicrosecondType>(values),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => widened::<TimestampNanosecondType>(values),
        DataType::Float32 => values
            .as_primitive::<Float32Type>()
            .values()
            .iter()
            .map(|value| total(f64::from(*value)))
            .collect(),
        DataType::Float64 => {
            values.as_primitive::<Float64Type>().values().iter().map(|value| total(*value)).collect()
        }
        _ => return None,
    })
}

/// Returns a double's number in the total order of doubles (IEEE 754-2019, section 5.10).
fn total(value: f64) -> i128 {
    let bits = value.to_bits() as i64;
    i128::from(bits ^ ((bits >> 63) as u64 >> 1) as i64)
}

/// The keys of rows for the search of frames, and how far it has come.
#[derive(Default)]
pub(super) struct Keys {
    /// Number of the first row that is held.
    base: u64,
    /// The place of each row's key, and the first and the last place in its frame.
    places: VecDeque<[i128; 3]>,
    /// `None` before the first keys.
    edges: Option<[bool; 2]>,
    /// Borders of the last frame.
    start: u64,
    stop: u64,
    /// Places by which a border may go back.
    steps_back: i128,
    /// First row that later borders may be at, if they may go back.
    needed: u64,
}

impl Keys {
    /// Returns no keys, with the places by which a border may go back.
    pub fn new(steps_back: i128) -> Self {
        Self { steps_back, ..Self::default() }
    }

    /// Adds the keys of a batch.
    ///
    /// # Errors
    /// They can't be compared.
    pub fn add(&mut self, keys: &ArrayRef, distances: &Distances) -> Result<()> {
        let is_edge = |distance: &Distance| matches!(distance, Distance::Partition);
        self.edges = Some([is_edge(&distances.start), is_edge(&distances.end)]);
        let [places, first, last] = distances.places(keys)?;
        let rows = places.into_iter().zip(first).zip(last);
        self.places.extend(rows.map(|((place, first), last)| [place, first, last]));
        Ok(())
    }

    fn row(&self, row: u64) -> Option<&[i128; 3]> {
        self.places.get((row - self.base) as usize)
    }

    /// Returns the first row of the partition, from another one on, that is not before a border.
    fn first(&self, mut row: u64, known: u64, is_before: impl Fn(i128) -> bool) -> u64 {
        if self.steps_back > 0 {
            let is_inside = |row: u64| self.row(row).is_some_and(|key| !is_before(key[0]));
            while row > self.needed && is_inside(row - 1) {
                row -= 1;
            }
        }
        while row < known && self.row(row).is_some_and(|key| is_before(key[0])) {
            row += 1;
        }
        row
    }

    /// Returns the frame of a row, in a partition that ends at `end` or goes on; `None` if that
    /// depends on further rows.
    pub fn frame(&mut self, row: u64, partition: u64, end: Option<u64>) -> Option<Range<u64>> {
        let known = end.unwrap_or(self.base + self.places.len() as u64);
        let ([_, first, last], edges) = (*self.row(row)?, self.edges?);
        self.start = self.first(self.start, known, |place| place < first);
        self.stop = self.first(self.stop, known, |place| place <= last);
        if self.steps_back > 0 {
            let least = first.min(last).saturating_sub(self.steps_back);
            while self.needed < known && self.row(self.needed).is_some_and(|key| key[0] < least) {
                self.needed += 1;
            }
        }
        let start = if edges[0] { partition } else { self.start };
        let stop = if edges[1] { end? } else { self.stop };
        let is_open = (start == known && !edges[0]) || (stop == known && !edges[1]);
        (end.is_some() || !is_open).then_some(start..stop)
    }

    /// Returns the first row that later borders may be at, if they may go back.
    pub fn needed(&self) -> Option<u64> {
        (self.steps_back > 0).then_some(self.needed)
    }

    /// Begins a partition at a row.
    pub fn enter_partition(&mut self, row: u64) {
        (self.start, self.stop, self.needed) = (row, row, row);
    }

    /// Drops the keys that no frame from a row on needs.
    pub fn forget(&mut self, row: u64) {
        let Some(edges) = self.edges else { return };
        let start = if edges[0] { row } else { self.start.min(row) };
        let needed = match self.needed() {
            Some(needed) => needed.min(row),
            None if edges[1] => start,
            None => start.min(self.stop),
        };
        while self.base < needed && self.places.pop_front().is_some() {
            self.base += 1;
        }
    }

    /// Returns the bytes that are held.
    pub fn size(&self) -> usize {
        self.places.capacity() * size_of::<[i128; 3]>()
    }
}
