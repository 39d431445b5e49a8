use std::sync::Arc;

use arrow::array::{ArrayRef, DictionaryArray, Int32Array, ListArray, StringArray, StringViewArray};
use arrow::datatypes::Int32Type;

use super::*;

#[test]
fn slices_have_what_is_in_them() {
    let long = "x".repeat(1000);
    let texts: Vec<&str> = (0..100).map(|i| if i < 50 { long.as_str() } else { "short" }).collect();
    let views = StringViewArray::from_iter_values(&texts);
    assert_eq!(bytes(&views), 100 * 16 + 50 * 1000);
    assert_eq!(bytes(&views.slice(50, 50)), 50 * 16);

    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>((0..100).map(|_| Some(vec![Some(1); 10])));
    assert!(bytes(&lists) >= 100 * 10 * 4);
    let parts: usize = (0..100).map(|row| bytes(&lists.slice(row, 1))).sum();
    assert!(parts < 2 * bytes(&lists), "{parts}");

    let values: ArrayRef = Arc::new(StringArray::from_iter_values((0..10_000).map(|_| &long)));
    let codes = DictionaryArray::new(Int32Array::from(vec![7; 10]), values);
    assert!((10 * 1000..20 * 1000).contains(&bytes(&codes)), "{}", bytes(&codes));
    assert_eq!(bytes(&codes.slice(0, 0)), 0);
}
