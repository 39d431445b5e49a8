//! Conversion of plain values of a fixed width.

use arrow::array::{ArrayData, ArrayRef, BooleanBufferBuilder, make_array};
use arrow::buffer::{BooleanBuffer, MutableBuffer, NullBuffer};
use arrow::datatypes::{DataType, TimeUnit};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit as ParquetUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// Widths of plain values in the file and in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    /// Values of this number of bytes, which are copied: both forms are little-endian.
    Same(usize),
    /// Integers of 4 bytes that become 16 bytes wide.
    Widen4,
    /// Integers of 8 bytes that become 16 bytes wide.
    Widen8,
}

impl Plain {
    /// Returns the conversion of a column's plain values; `None` for other types.
    pub fn of(column: &ColumnDescriptor, to: &DataType) -> Option<Self> {
        Some(match (column.physical_type(), to) {
            (
                Type::INT32,
                DataType::Int32 | DataType::UInt32 | DataType::Date32 | DataType::Decimal32(..),
            )
            | (Type::FLOAT, DataType::Float32) => Self::Same(4),
            (Type::INT64, DataType::Int64 | DataType::UInt64 | DataType::Decimal64(..))
            | (Type::DOUBLE, DataType::Float64) => Self::Same(8),
            (Type::INT64, DataType::Timestamp(to, _)) if unit(column).as_ref() == Some(to) => Self::Same(8),
            (Type::INT32, DataType::Decimal128(..)) => Self::Widen4,
            (Type::INT64, DataType::Decimal128(..)) => Self::Widen8,
            _ => return None,
        })
    }

    /// Returns the bytes of a value in the file.
    pub fn width(self) -> usize {
        match self {
            Self::Same(width) => width,
            Self::Widen4 => 4,
            Self::Widen8 => 8,
        }
    }

    /// Returns the bytes of a value in memory.
    pub fn widened(self) -> usize {
        match self {
            Self::Same(width) => width,
            Self::Widen4 | Self::Widen8 => size_of::<i128>(),
        }
    }

    /// Appends one value for each `present` row, and zeros for the other rows.
    pub fn append(self, values: &[u8], present: Option<&BooleanBuffer>, to: &mut MutableBuffer) {
        let Some(present) = present else { return self.append_all(values, to) };
        let (mut rows, mut rest) = (0, values);
        for (from, end) in present.set_slices() {
            to.extend_zeros((from - rows) * self.widened());
            let (values, others) = rest.split_at((end - from) * self.width());
            self.append_all(values, to);
            (rows, rest) = (end, others);
        }
        to.extend_zeros((present.len() - rows) * self.widened());
    }

    /// Returns the first `count` values of a dictionary, followed by a null if the column is
    /// optional; `None` if there are fewer values.
    pub fn dictionary(
        self,
        values: &[u8],
        count: usize,
        is_optional: bool,
        to: &DataType,
    ) -> Option<ArrayRef> {
        let values = values.get(..count.checked_mul(self.width())?)?;
        let rows = count + usize::from(is_optional);
        let mut buffer = MutableBuffer::new(rows * self.widened());
        self.append_all(values, &mut buffer);
        let mut data = ArrayData::builder(to.clone()).len(rows);
        if is_optional {
            buffer.extend_zeros(self.widened());
            let mut present = BooleanBufferBuilder::new(rows);
            present.append_n(count, true);
            present.append(false);
            data = data.nulls(Some(NullBuffer::new(present.finish())));
        }
        data.add_buffer(buffer.into()).build().ok().map(make_array)
    }

    fn append_all(self, values: &[u8], to: &mut MutableBuffer) {
        match self {
            Self::Same(_) => to.extend_from_slice(values),
            Self::Widen4 => {
                to.extend(
                    values.as_chunks::<4>().0.iter().map(|&value| i128::from(i32::from_le_bytes(value))),
                );
            }
            Self::Widen8 => {
                to.extend(
                    values.as_chunks::<8>().0.iter().map(|&value| i128::from(i64::from_le_bytes(value))),
                );
            }
        }
    }
}

/// Returns the unit of a column's timestamps.
fn unit(column: &ColumnDescriptor) -> Option<TimeUnit> {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(timestamp)), _) => Some(match timestamp.unit {
            ParquetUnit::MILLIS => TimeUnit::Millisecond,
            ParquetUnit::MICROS => TimeUnit::Microsecond,
            ParquetUnit::NANOS => TimeUnit::Nanosecond,
        }),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Some(TimeUnit::Millisecond),
        (_, ConvertedType::TIMESTAMP_MICROS) => Some(TimeUnit::Microsecond),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
