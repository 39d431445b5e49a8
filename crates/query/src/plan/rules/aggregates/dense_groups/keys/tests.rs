use arrow::array::{BinaryViewArray, BooleanArray, StringViewArray, UInt32Array, UInt64Array};
use arrow::compute::take;

use super::*;

/// Encodes arrays, and checks that the values of the codes are those of the arrays.
fn check(arrays: &[ArrayRef]) -> KeyCodes {
    let mut key = KeyCodes::new(arrays[0].data_type().clone());
    for array in arrays {
        assert!(key.encode(array).expect("codes"));
        let values = key.values().expect("values");
        let decoded = take(&values, &UInt32Array::from(key.rows.clone()), None).expect("values of rows");
        assert_eq!(&decoded, array);
        assert_eq!(values.len(), key.domain());
    }
    key
}

#[test]
fn codes_of_numbers_have_their_values() {
    let numbers: Int64Array = (0..300).map(|row| (row % 7 > 0).then_some(row * 31 % 120)).collect();
    for data_type in [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Boolean,
    ] {
        assert!(KeyCodes::exist(&data_type));
        let array = cast(&numbers, &data_type).expect("numbers");
        check(&[array.slice(100, 50), array.clone(), array.slice(7, 1)]);
    }
    let days = cast(&numbers, &DataType::Int32).expect("numbers");
    check(&[cast(&days, &DataType::Date32).expect("days")]);
    let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 1 << 63, u64::MAX]));
    let mut key = KeyCodes::new(DataType::UInt64);
    assert!(!key.encode(&large).expect("too large a range"));
    check(&[Arc::new(UInt64Array::from(vec![u64::MAX, u64::MAX - 9, u64::MAX]))]);
}

#[test]
fn codes_of_texts_have_their_values_whatever_their_buffers() {
    let word = |number: usize| match number % 5 {
        0 => None,
        1 => Some(String::new()),
        2 => Some(format!("short {}", number % 9)),
        _ => Some(format!("a text of more than twelve bytes, {}", number % 11)),
    };
    // arrays with buffers of their own have the same views of different values
    let arrays: Vec<ArrayRef> = (0..6)
        .map(|first| Arc::new((first..first + 200).map(word).collect::<StringViewArray>()) as ArrayRef)
        .collect();
    let key = check(&[&arrays[..], &[arrays[0].slice(20, 30), arrays[5].clone()]].concat());
    assert!(key.domain() <= 22, "{}", key.domain());
    let bytes: BinaryViewArray = (0..50).map(|row| Some(vec![row % 3; usize::from(row % 20)])).collect();
    check(&[Arc::new(bytes)]);
}

#[test]
fn values_of_one_dictionary_are_searched_once() {
    let values: StringViewArray = (0..20).map(|row| Some(format!("value of a dictionary {row}"))).collect();
    let indices: UInt32Array = (0..8000).map(|row| row % 20).collect();
    let rows = take(&values, &indices, None).expect("rows");
    let key = check(&[rows.clone(), rows.slice(100, 700), rows]);
    assert!(key.searched() < 100, "{}", key.searched());
}

#[test]
fn too_many_values_have_no_codes() {
    let texts = |count: usize, each: usize| -> ArrayRef {
        Arc::new((0..count * each).map(|row| Some(format!("{}", row / each))).collect::<StringViewArray>())
    };
    let have_codes = |texts| KeyCodes::new(DataType::Utf8View).encode(&texts).expect("texts");
    assert!(have_codes(texts(MAX_TEXTS, 2)));
    assert!(!have_codes(texts(MAX_TEXTS + 1, 2)));
    assert!(have_codes(texts(PROBED_TEXTS, 1)));
    assert!(!have_codes(texts(PROBED_TEXTS + 1, 1)));
    let truth: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]));
    check(&[truth]);
}
