use std::sync::Arc;

use arrow::array::Int32Array;

use super::*;

#[test]
fn bounds_in_the_wrong_order_say_nothing() {
    let array = |values: Vec<Option<i32>>| Arc::new(Int32Array::from(values)) as ArrayRef;
    let mins = array(vec![Some(1), Some(9), None, Some(2)]);
    let maxes = array(vec![Some(1), Some(3), Some(4), None]);
    let found = in_order(mins, maxes).expect("bounds of one type");
    assert_eq!(&found.mins, &array(vec![Some(1), None, None, Some(2)]));
    assert_eq!(&found.maxes, &array(vec![Some(1), None, Some(4), None]));
}

#[test]
fn more_nulls_than_rows_are_unknown() {
    let rows = UInt64Array::from(vec![5, 5, 5]);
    let counts = UInt64Array::from(vec![Some(5), Some(u64::MAX), None]);
    let found = null_counts(&counts, &rows).expect("counts");
    assert_eq!(found, UInt64Array::from(vec![Some(5), None, None]));
}
