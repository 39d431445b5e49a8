use arrow::array::{Float32Array, Float64Array, Int32Array, StructArray};
use arrow::datatypes::Field;

use super::*;

#[test]
fn nans_get_one_bit_pattern_at_every_depth() {
    let odd = f64::from_bits(0xFFF8_0000_0000_0001);
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(odd), Some(-0.0)]));
    let bits = |array: &ArrayRef| array.as_primitive::<Float64Type>().value(2).to_bits();
    assert_eq!(bits(&canonical_nans(&doubles).expect("floats")), f64::NAN.to_bits());
    let field = Arc::new(Field::new("x", DataType::Float64, true));
    let parts: ArrayRef = Arc::new(StructArray::from(vec![(field, doubles)]));
    let inner = canonical_nans(&parts).expect("a struct").as_struct().column(0).clone();
    assert_eq!(bits(&inner), f64::NAN.to_bits());
    assert!(inner.is_null(1) && inner.as_primitive::<Float64Type>().value(3).is_sign_negative());
}

#[test]
fn arrays_without_odd_nans_are_shared() {
    let single: ArrayRef = Arc::new(Float32Array::from(vec![f32::NAN, f32::INFINITY, -0.0]));
    let whole: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    for array in [single, whole] {
        assert!(Arc::ptr_eq(&array, &canonical_nans(&array).expect("an array")));
    }
}
