//! Columns as Arrow's arrays.

use std::sync::Arc;

use arrow::array::*;
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::*;

use super::{Column, Storage, Unit, Value};

/// Returns the field of a column.
pub fn field(column: &Column) -> Field {
    Field::new(&column.name, data_type(&column.storage), column.nullable)
}

fn data_type(storage: &Storage) -> DataType {
    let unit = |unit: &Unit| match unit {
        Unit::Millis => TimeUnit::Millisecond,
        Unit::Micros => TimeUnit::Microsecond,
        Unit::Nanos => TimeUnit::Nanosecond,
    };
    match storage {
        Storage::Bool => DataType::Boolean,
        Storage::Int(8) => DataType::Int8,
        Storage::Int(16) => DataType::Int16,
        Storage::Int(32) => DataType::Int32,
        Storage::Int(_) => DataType::Int64,
        Storage::UInt(8) => DataType::UInt8,
        Storage::UInt(16) => DataType::UInt16,
        Storage::UInt(32) => DataType::UInt32,
        Storage::UInt(_) => DataType::UInt64,
        Storage::Float => DataType::Float32,
        Storage::Double => DataType::Float64,
        Storage::Decimal(precision, scale) => DataType::Decimal128(*precision, *scale),
        Storage::Text => DataType::Utf8,
        Storage::Bytes => DataType::Binary,
        Storage::Fixed(size) => DataType::FixedSizeBinary(*size),
        Storage::Date => DataType::Date32,
        Storage::Time(Unit::Millis) => DataType::Time32(TimeUnit::Millisecond),
        Storage::Time(of) => DataType::Time64(unit(of)),
        Storage::Stamp(of, zoned) => DataType::Timestamp(unit(of), zoned.then(|| "UTC".into())),
        Storage::List(element) => DataType::List(Arc::new(Field::new_list_field(data_type(element), true))),
        Storage::Struct(fields) => DataType::Struct(struct_fields(fields)),
    }
}

fn struct_fields(fields: &[(String, Storage)]) -> Fields {
    fields.iter().map(|(name, storage)| Field::new(name, data_type(storage), true)).collect()
}

fn whole<T: ArrowPrimitiveType>(values: &[Option<Value>]) -> PrimitiveArray<T>
where
    T::Native: TryFrom<i128>,
{
    let one = |value: &Option<Value>| match value {
        Some(Value::Whole(value)) => T::Native::try_from(*value).ok(),
        _ => None,
    };
    values.iter().map(one).collect()
}

fn bytes(value: &Option<Value>) -> Option<&[u8]> {
    match value {
        Some(Value::Bytes(value)) => Some(value),
        _ => None,
    }
}

fn float(value: &Option<Value>) -> Option<f64> {
    match value {
        Some(Value::Float(value)) => Some(*value),
        _ => None,
    }
}

/// Returns values of one type as an array.
pub fn array(storage: &Storage, values: &[Option<Value>]) -> ArrayRef {
    match data_type(storage) {
        DataType::Boolean => {
            let one = |value: &Option<Value>| match value {
                Some(Value::Bool(value)) => Some(*value),
                _ => None,
            };
            Arc::new(values.iter().map(one).collect::<BooleanArray>())
        }
        DataType::Int8 => Arc::new(whole::<Int8Type>(values)),
        DataType::Int16 => Arc::new(whole::<Int16Type>(values)),
        DataType::Int32 => Arc::new(whole::<Int32Type>(values)),
        DataType::Int64 => Arc::new(whole::<Int64Type>(values)),
        DataType::UInt8 => Arc::new(whole::<UInt8Type>(values)),
        DataType::UInt16 => Arc::new(whole::<UInt16Type>(values)),
        DataType::UInt32 => Arc::new(whole::<UInt32Type>(values)),
        DataType::UInt64 => Arc::new(whole::<UInt64Type>(values)),
        DataType::Float32 => {
            Arc::new(values.iter().map(|v| float(v).map(|v| v as f32)).collect::<Float32Array>())
        }
        DataType::Float64 => Arc::new(values.iter().map(float).collect::<Float64Array>()),
        DataType::Date32 => Arc::new(whole::<Date32Type>(values)),
        DataType::Time32(_) => Arc::new(whole::<Time32MillisecondType>(values)),
        DataType::Time64(TimeUnit::Nanosecond) => Arc::new(whole::<Time64NanosecondType>(values)),
        DataType::Time64(_) => Arc::new(whole::<Time64MicrosecondType>(values)),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => {
            Arc::new(whole::<TimestampMillisecondType>(values).with_timezone_opt(zone))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
            Arc::new(whole::<TimestampNanosecondType>(values).with_timezone_opt(zone))
        }
        DataType::Timestamp(_, zone) => {
            Arc::new(whole::<TimestampMicrosecondType>(values).with_timezone_opt(zone))
        }
        DataType::Decimal128(precision, scale) => {
            let array = whole::<Decimal128Type>(values);
            Arc::new(array.with_precision_and_scale(precision, scale).expect("the precision is below 39"))
        }
        DataType::Binary => Arc::new(values.iter().map(bytes).collect::<BinaryArray>()),
        DataType::FixedSizeBinary(size) => {
            let values = values.iter().map(bytes);
            let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, size);
            Arc::new(array.expect("values have the size"))
        }
        DataType::List(field) => list(storage, field, values),
        DataType::Struct(fields) => structs(storage, fields, values),
        _ => {
            let one = |value: &Option<Value>| match value {
                Some(Value::Text(value)) => Some(value.clone()),
                _ => None,
            };
            Arc::new(values.iter().map(one).collect::<StringArray>())
        }
    }
}

fn parts(value: &Option<Value>) -> Option<&[Option<Value>]> {
    match value {
        Some(Value::Parts(parts)) => Some(parts),
        _ => None,
    }
}

fn list(storage: &Storage, field: FieldRef, values: &[Option<Value>]) -> ArrayRef {
    let Storage::List(element) = storage else { unreachable!("lists are of lists") };
    let lengths = values.iter().map(|value| parts(value).map_or(0, <[_]>::len));
    let offsets = OffsetBuffer::from_lengths(lengths);
    let all: Vec<Option<Value>> = values.iter().filter_map(parts).flatten().cloned().collect();
    let nulls = NullBuffer::from_iter(values.iter().map(Option::is_some));
    Arc::new(ListArray::new(field, offsets, array(element, &all), Some(nulls)))
}

fn structs(storage: &Storage, fields: Fields, values: &[Option<Value>]) -> ArrayRef {
    let Storage::Struct(named) = storage else { unreachable!("structs are of structs") };
    let column = |(index, (_, storage)): (usize, &(String, Storage))| {
        let of: Vec<Option<Value>> =
            values.iter().map(|value| parts(value).and_then(|parts| parts[index].clone())).collect();
        array(storage, &of)
    };
    let columns = named.iter().enumerate().map(column).collect();
    let nulls = NullBuffer::from_iter(values.iter().map(Option::is_some));
    Arc::new(StructArray::new(fields, columns, Some(nulls)))
}
