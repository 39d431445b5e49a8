use arrow::datatypes::DataType::{
    Date32, Decimal128, Float32, Float64, Int8, Int16, Int32, Int64, Timestamp, UInt8, UInt32, UInt64,
    Utf8View,
};
use arrow::datatypes::{DataType, Field, TimeUnit};

use super::common_type;

#[test]
fn types_widen_without_a_loss() {
    let microseconds = Timestamp(TimeUnit::Microsecond, None);
    let cases = [
        (Int32, Int64, Some(Int64)),
        (Int8, UInt8, Some(Int16)),
        (UInt32, Int32, Some(Int64)),
        (UInt64, Int64, Some(Decimal128(20, 0))),
        (UInt8, UInt32, Some(UInt32)),
        (Int16, Float32, Some(Float32)),
        (Int32, Float32, Some(Float64)),
        (Float32, Float64, Some(Float64)),
        (Int64, Float64, None),
        (Decimal128(5, 2), Int64, Some(Decimal128(21, 2))),
        (Decimal128(5, 2), Decimal128(6, 4), Some(Decimal128(7, 4))),
        (Decimal128(38, 0), Decimal128(38, 10), None),
        (Date32, microseconds.clone(), Some(microseconds.clone())),
        (Timestamp(TimeUnit::Millisecond, None), microseconds.clone(), Some(microseconds.clone())),
        (Timestamp(TimeUnit::Microsecond, Some("UTC".into())), microseconds, None),
        (Int32, Utf8View, None),
        (DataType::Null, Utf8View, Some(Utf8View)),
    ];
    for (a, b, expected) in cases {
        assert_eq!(common_type(&a, &b), expected, "{a} and {b}");
        assert_eq!(common_type(&b, &a), expected, "{b} and {a}");
    }
}

#[test]
fn structs_widen_field_by_field() {
    let of = |x: DataType, y: DataType| {
        DataType::Struct(vec![Field::new("x", x, true), Field::new("y", y, true)].into())
    };
    assert_eq!(common_type(&of(Int32, Int64), &of(Int64, Int32)), Some(of(Int64, Int64)));
    assert_eq!(common_type(&of(Int32, Int64), &of(Int64, Utf8View)), None);
    let other = DataType::Struct(vec![Field::new("z", Int32, true)].into());
    assert_eq!(common_type(&of(Int32, Int64), &other), None);
}
