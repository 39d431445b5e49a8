//! Values that parquet-rs reads, in the form in which kernels give them.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::*;

use super::copy_out::{Kind, Value};

/// Returns the form in which kernels read a column of a type.
pub fn kind(data_type: &DataType) -> Kind {
    use DataType as D;
    match data_type {
        D::Boolean => Kind::Bool,
        D::Float32 => Kind::F32,
        D::Float64 => Kind::F64,
        D::Decimal128(..) => Kind::I128,
        D::Dictionary(_, values) => kind(values),
        D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Binary | D::LargeBinary | D::BinaryView => Kind::Bytes,
        D::FixedSizeBinary(_) => Kind::Bytes,
        _ => Kind::I64,
    }
}

/// Returns the values of an array.
pub fn values(array: &ArrayRef) -> Vec<Value> {
    (0..array.len()).map(|row| if array.is_null(row) { Value::Null } else { value(array, row) }).collect()
}

/// Returns the bytes of the longest value.
pub fn longest(values: &[Value]) -> usize {
    let lengths = values.iter().map(|value| match value {
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    });
    lengths.max().unwrap_or(0)
}

fn value(array: &ArrayRef, row: usize) -> Value {
    use DataType as D;
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    match array.data_type() {
        D::Boolean => Value::Bits(i128::from(array.as_boolean().value(row))),
        D::Float32 => Value::Bits(i128::from(array.as_primitive::<Float32Type>().value(row).to_bits())),
        D::Float64 => Value::Bits(i128::from(array.as_primitive::<Float64Type>().value(row).to_bits())),
        D::Decimal128(..) => Value::Bits(array.as_primitive::<Decimal128Type>().value(row)),
        D::Utf8 => bytes(array.as_string::<i32>().value(row).as_bytes()),
        D::LargeUtf8 => bytes(array.as_string::<i64>().value(row).as_bytes()),
        D::Utf8View => bytes(array.as_string_view().value(row).as_bytes()),
        D::Binary => bytes(array.as_binary::<i32>().value(row)),
        D::LargeBinary => bytes(array.as_binary::<i64>().value(row)),
        D::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(row)),
        D::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            value(dictionary.values(), dictionary.keys().value(row) as usize)
        }
        other => integer(array, row, other),
    }
}

/// Returns integers, dates and times from their bytes in memory.
fn integer(array: &ArrayRef, row: usize, data_type: &DataType) -> Value {
    let width = data_type.primitive_width().expect("a primitive type");
    let data = array.to_data();
    let at = (data.offset() + row) * width;
    let mut bytes = [0; 8];
    bytes[..width].copy_from_slice(&data.buffers()[0].as_slice()[at..at + width]);
    let bits = i64::from_le_bytes(bytes);
    let is_unsigned = matches!(data_type, DataType::UInt8 | DataType::UInt16 | DataType::UInt32);
    let unused = 64 - 8 * width as u32;
    let value = if is_unsigned { bits } else { bits << unused >> unused };
    Value::Bits(i128::from(value))
}
