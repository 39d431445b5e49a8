//! Values of sort keys as numbers of 64 bits.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, BooleanBufferBuilder, PrimitiveArray};
use arrow::buffer::NullBuffer;
use arrow::compute::SortOptions;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

use datafusion::error::Result;

use super::texts::Texts;

/// Bit of the sign. Numbers with the other sign bit have their order without signs.
const SIGN: u64 = 1 << 63;

/// Returns whether values of a type can be numbers of 64 bits. Decimals may have more.
pub(super) fn is_packable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Duration(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Float32
        | DataType::Float64 => true,
        other => other.is_integer() || Texts::are_of(other),
    }
}

/// The values of one sort key, row after row.
pub(super) struct Key {
    options: SortOptions,
    /// Numbers in the ascending order of the values; any number for NULL.
    places: Vec<u64>,
    /// Arrays with NULL, with their first rows.
    nulls: Vec<(usize, NullBuffer)>,
    /// Texts, whose places are known when all are.
    texts: Option<Texts>,
    /// Lowest bits of the numbers that are left out.
    dropped: u32,
    /// The least and the greatest value that is not NULL; `None` before the first.
    bounds: Option<(u64, u64)>,
}

impl Key {
    /// Returns a key of no rows.
    pub fn new(options: SortOptions) -> Self {
        Self { options, places: Vec::new(), nulls: Vec::new(), texts: None, dropped: 0, bounds: None }
    }

    /// Adds values of a packable type. Returns whether each fits into 64 bits.
    ///
    /// # Errors
    /// A fault of Arrow's.
    pub fn push(&mut self, values: &ArrayRef) -> Result<bool> {
        if Texts::are_of(values.data_type()) {
            self.texts.get_or_insert_default().push(values)?;
            return Ok(true);
        }
        let first = self.places.len();
        let fits = self.push_places(values);
        let places = &self.places[first..];
        let nulls = values.nulls().filter(|nulls| nulls.null_count() > 0);
        let bounds = match nulls {
            None => bounds(places.iter().copied()),
            Some(nulls) => bounds(nulls.valid_indices().map(|row| places[row])),
        };
        if let Some(nulls) = nulls {
            self.nulls.push((first, nulls.clone()));
        }
        self.bounds = match (self.bounds, bounds) {
            (Some((least, greatest)), Some((low, high))) => Some((least.min(low), greatest.max(high))),
            (one, other) => one.or(other),
        };
        Ok(fits)
    }

    /// Computes the places of texts, when all are known.
    pub fn finish(&mut self) {
        let Self { places, nulls, texts, bounds, .. } = self;
        let Some(texts) = texts else { return };
        let mut valid = BooleanBufferBuilder::new(0);
        texts.places(|place| {
            valid.append(place.is_some());
            places.push(place.unwrap_or_default());
            if let Some(place) = place {
                let (least, greatest) = bounds.unwrap_or((place, place));
                *bounds = Some((least.min(place), greatest.max(place)));
            }
        });
        let valid = NullBuffer::new(valid.finish());
        if valid.null_count() > 0 {
            nulls.push((0, valid));
        }
    }

    /// Leaves so many of the lowest bits out, if the values are texts.
    pub fn drop_bits(&mut self, count: u32) {
        if self.texts.is_some() {
            self.dropped = count.min(self.bits());
        }
    }

    /// Returns whether the values are texts.
    pub fn is_text(&self) -> bool {
        self.texts.is_some()
    }

    /// Returns whether rows with equal numbers have equal values.
    pub fn is_exact(&self) -> bool {
        self.texts.as_ref().is_none_or(|texts| texts.are_exact() && self.dropped == 0)
    }

    /// Compares texts of two rows in the order of the sort.
    pub fn compare(&self, one: usize, other: usize) -> Ordering {
        let Some(texts) = &self.texts else { return Ordering::Equal };
        let is_null = |row| texts.is_null(row);
        match (is_null(one), is_null(other)) {
            (false, false) if self.options.descending => texts.compare(other, one),
            (false, false) => texts.compare(one, other),
            (one, other) if self.options.nulls_first => other.cmp(&one),
            (one, other) => one.cmp(&other),
        }
    }

    fn push_places(&mut self, values: &ArrayRef) -> bool {
        match values.data_type() {
            DataType::Boolean => {
                self.places.extend(values.as_boolean().values().iter().map(u64::from));
                true
            }
            DataType::UInt8 => self.unsigned::<UInt8Type>(values),
            DataType::UInt16 => self.unsigned::<UInt16Type>(values),
            DataType::UInt32 => self.unsigned::<UInt32Type>(values),
            DataType::UInt64 => self.unsigned::<UInt64Type>(values),
            DataType::Int8 => self.signed::<Int8Type>(values),
            DataType::Int16 => self.signed::<Int16Type>(values),
            DataType::Int32 => self.signed::<Int32Type>(values),
            DataType::Int64 => self.signed::<Int64Type>(values),
            DataType::Date32 => self.signed::<Date32Type>(values),
            DataType::Date64 => self.signed::<Date64Type>(values),
            DataType::Decimal32(..) => self.signed::<Decimal32Type>(values),
            DataType::Decimal64(..) => self.signed::<Decimal64Type>(values),
            DataType::Timestamp(TimeUnit::Second, _) => self.signed::<TimestampSecondType>(values),
            DataType::Timestamp(TimeUnit::Millisecond, _) => self.signed::<TimestampMillisecondType>(values),
            DataType::Timestamp(TimeUnit::Microsecond, _) => self.signed::<TimestampMicrosecondType>(values),
            DataType::Timestamp(TimeUnit::Nanosecond, _) => self.signed::<TimestampNanosecondType>(values),
            DataType::Time32(TimeUnit::Second) => self.signed::<Time32SecondType>(values),
            DataType::Time32(_) => self.signed::<Time32MillisecondType>(values),
            DataType::Time64(TimeUnit::Microsecond) => self.signed::<Time64MicrosecondType>(values),
            DataType::Time64(_) => self.signed::<Time64NanosecondType>(values),
            DataType::Duration(TimeUnit::Second) => self.signed::<DurationSecondType>(values),
            DataType::Duration(TimeUnit::Millisecond) => self.signed::<DurationMillisecondType>(values),
            DataType::Duration(TimeUnit::Microsecond) => self.signed::<DurationMicrosecondType>(values),
            DataType::Duration(TimeUnit::Nanosecond) => self.signed::<DurationNanosecondType>(values),
            DataType::Float32 => {
                let values = values.as_primitive::<Float32Type>().values().iter();
                self.places.extend(values.map(|value| total(f64::from(*value))));
                true
            }
            DataType::Float64 => {
                let values = values.as_primitive::<Float64Type>().values().iter();
                self.places.extend(values.map(|value| total(*value)));
                true
            }
            DataType::Decimal128(..) => {
                let values = values.as_primitive::<Decimal128Type>();
                self.places.extend(values.values().iter().map(|value| *value as u64 ^ SIGN));
                fit_64_bits(values)
            }
            _ => false,
        }
    }

    fn unsigned<T: ArrowPrimitiveType>(&mut self, values: &ArrayRef) -> bool
    where
        T::Native: Into<u64>,
    {
        self.places.extend(values.as_primitive::<T>().values().iter().map(|value| (*value).into()));
        true
    }

    fn signed<T: ArrowPrimitiveType>(&mut self, values: &ArrayRef) -> bool
    where
        T::Native: Into<i64>,
    {
        let values = values.as_primitive::<T>().values().iter();
        self.places.extend(values.map(|value| (*value).into() as u64 ^ SIGN));
        true
    }

    /// Returns the bits that tell the values apart.
    pub fn bits(&self) -> u32 {
        let range = self.bounds.map_or(0, |(least, greatest)| greatest - least);
        let greatest = u128::from(range) + u128::from(!self.nulls.is_empty());
        (u128::BITS - greatest.leading_zeros()).saturating_sub(self.dropped)
    }

    /// Calls `add` with each row and its number, of [`Self::bits`] bits, in the order of the sort.
    pub fn numbers(&self, mut add: impl FnMut(usize, u128)) {
        let dropped = self.dropped;
        let mut add = |row: usize, number: u128| add(row, number >> dropped);
        let (least, greatest) = self.bounds.unwrap_or_default();
        let is_descending = self.options.descending;
        let number =
            |place: u64| if is_descending { greatest.wrapping_sub(place) } else { place.wrapping_sub(least) };
        // NULL is before or after all values
        let (null, first) = match self.options.nulls_first {
            true => (0, u128::from(!self.nulls.is_empty())),
            false => (u128::from(greatest - least) + 1, 0),
        };
        let mut nulls = self.nulls.iter().peekable();
        let mut row = 0;
        while row < self.places.len() {
            if let Some((_, buffer)) = nulls.next_if(|(at, _)| *at == row) {
                for (place, is_valid) in self.places[row..].iter().zip(buffer) {
                    add(row, if is_valid { u128::from(number(*place)) + first } else { null });
                    row += 1;
                }
                continue;
            }
            let end = nulls.peek().map_or(self.places.len(), |(at, _)| *at);
            for place in &self.places[row..end] {
                add(row, u128::from(number(*place)) + first);
                row += 1;
            }
        }
    }

    /// Frees the numbers of the rows.
    pub fn forget_places(&mut self) {
        self.places = Vec::new();
    }

    /// Returns the bytes that a row takes.
    pub const ROW_BYTES: usize = size_of::<u64>();
}

/// Returns the least and the greatest number.
fn bounds(mut numbers: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    let first = numbers.next()?;
    Some(numbers.fold((first, first), |(least, greatest), number| (least.min(number), greatest.max(number))))
}

/// Returns whether all decimals that are not NULL fit into 64 bits.
fn fit_64_bits(values: &PrimitiveArray<Decimal128Type>) -> bool {
    let fits = |value: i128| i64::try_from(value).is_ok();
    match values.null_count() {
        0 => values.values().iter().all(|value| fits(*value)),
        _ => values.iter().flatten().all(fits),
    }
}

/// Returns a double's number in the total order of doubles (IEEE 754-2019, section 5.10).
fn total(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits ^ SIGN } else { !bits }
}
