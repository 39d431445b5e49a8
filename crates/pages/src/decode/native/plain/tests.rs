use arrow::array::{Array, AsArray};
use arrow::datatypes::{Decimal128Type, Int32Type};

use super::*;

#[test]
fn a_dictionary_has_its_values_and_a_null_behind_them() {
    let values: Vec<u8> = [-1i32, 2, 3].iter().flat_map(|value| value.to_le_bytes()).collect();
    let found = Plain::Same(4).dictionary(&values, 3, false, &DataType::Int32).expect("three values");
    assert_eq!(
        (found.as_primitive::<Int32Type>().values().to_vec(), found.null_count()),
        (vec![-1, 2, 3], 0)
    );
    let of = DataType::Decimal128(9, 2);
    let found = Plain::Widen4.dictionary(&values, 2, true, &of).expect("two values");
    let values_of: Vec<_> = found.as_primitive::<Decimal128Type>().iter().collect();
    assert_eq!((values_of, found.data_type()), (vec![Some(-1), Some(2), None], &of));
    assert!(Plain::Same(4).dictionary(&values, 4, false, &DataType::Int32).is_none());
    assert!(Plain::Same(8).dictionary(&values, usize::MAX, true, &DataType::Int64).is_none());
}

#[test]
fn values_are_spread_and_widened() {
    let values: Vec<u8> = [-1i32, 2, 3].iter().flat_map(|value| value.to_le_bytes()).collect();
    let present = BooleanBuffer::from(vec![false, true, true, false, true, false]);
    let mut to = MutableBuffer::new(0);
    Plain::Same(4).append(&values, Some(&present), &mut to);
    assert_eq!(to.typed_data::<i32>(), [0, -1, 2, 0, 3, 0]);
    let mut to = MutableBuffer::new(0);
    Plain::Widen4.append(&values, Some(&present), &mut to);
    assert_eq!(to.typed_data::<i128>(), [0, -1, 2, 0, 3, 0]);
    let values: Vec<u8> = [i64::MIN, 7].iter().flat_map(|value| value.to_le_bytes()).collect();
    Plain::Widen8.append(&values, None, &mut to);
    assert_eq!(to.typed_data::<i128>()[6..], [i128::from(i64::MIN), 7]);
}
