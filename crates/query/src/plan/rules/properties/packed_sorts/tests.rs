//! Orders of rows against Arrow's.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int8Array, Int64Array,
    StringArray, StringViewArray, UInt64Array,
};
use arrow::compute::{SortColumn, SortOptions, concat, lexsort_to_indices};
use pelton_random::Random;

use super::keys::Key;
use super::words::{self, sorted};

fn value(random: &mut Random) -> Option<i64> {
    (random.below(5) > 0).then(|| random.below(7) as i64 - 3)
}

/// Returns values of a random type, with NULL or without.
fn values(random: &mut Random, kind: usize, rows: usize) -> ArrayRef {
    let has_nulls = random.below(2) == 0;
    let mut next = || value(random).or((!has_nulls).then_some(0));
    let values: Vec<Option<i64>> = (0..rows).map(|_| next()).collect();
    let values = values.iter().copied();
    match kind {
        0 => Arc::new(values.map(|value| value.map(|value| value as i8)).collect::<Int8Array>()),
        1 => Arc::new(values.map(|value| value.map(|value| value << 20)).collect::<Int64Array>()),
        2 => Arc::new(values.map(|value| value.map(|value| value as u64)).collect::<UInt64Array>()),
        3 => Arc::new(values.map(|value| value.map(|value| value as i32)).collect::<Date32Array>()),
        4 => Arc::new(values.map(|value| value.map(|value| value > 0)).collect::<BooleanArray>()),
        5 => Arc::new(values.map(|value| value.map(i128::from)).collect::<Decimal128Array>()),
        6 => {
            let texts = ["", "a", "a\0", "ab", "abcdefg", "abcdefgh", "abcdefgz and more"];
            Arc::new(values.map(|value| value.map(|v| texts[(v + 3) as usize])).collect::<StringViewArray>())
        }
        7 => {
            // with a common beginning, and differences behind the first bytes
            let ends = ["", "1", "2", "same beginning 1", "same beginning 2", "same beginning", "z"];
            let text = |v: i64| format!("https://example.com/{}", ends[(v + 3) as usize]);
            Arc::new(values.map(|value| value.map(text)).collect::<StringArray>())
        }
        _ => {
            let special = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1.5];
            Arc::new(values.map(|value| value.map(|v| special[(v + 3) as usize])).collect::<Float64Array>())
        }
    }
}

#[tokio::test]
async fn orders_are_those_of_compared_rows() {
    let mut random = Random::new(7);
    for _ in 0..400 {
        let (count, rows, parts) = (1 + random.below(3), random.below(90), 1 + random.below(4));
        let kinds: Vec<usize> = (0..count).map(|_| random.below(9)).collect();
        let options: Vec<SortOptions> = kinds
            .iter()
            .map(|_| SortOptions { descending: random.below(2) == 0, nulls_first: random.below(2) == 0 })
            .collect();
        let mut columns = Vec::new();
        let mut keys = Vec::new();
        for (kind, options) in kinds.iter().zip(&options) {
            let arrays: Vec<ArrayRef> = (0..parts).map(|_| values(&mut random, *kind, rows)).collect();
            let mut key = Key::new(*options);
            arrays.iter().for_each(|array| assert!(key.push(array).expect("values")));
            key.finish();
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            let column = concat(&arrays).expect("one array");
            columns.push(SortColumn { values: column, options: Some(*options) });
            keys.push(key);
        }
        // the row is the last key, so that the order is the only one
        let numbers = (0..(rows * parts) as u64).collect::<Vec<_>>();
        columns.push(SortColumn { values: Arc::new(UInt64Array::from(numbers)), options: None });
        let expected = lexsort_to_indices(&columns, None).expect("an order");
        words::shorten(&mut keys, rows * parts);
        let found = match words::bits(&keys, rows * parts) {
            ..=64 if random.below(2) == 0 => sorted::<u64>(keys, rows * parts).await,
            ..=128 => sorted::<u128>(keys, rows * parts).await,
            _ => continue,
        };
        assert_eq!(found, expected.values().to_vec(), "{kinds:?} {options:?}");
    }
}

#[tokio::test]
async fn many_rows_are_sorted_in_parts() {
    let mut random = Random::new(3);
    let numbers: Vec<i64> = (0..300_000).map(|_| random.below(1 << 40) as i64 >> random.below(40)).collect();
    for options in [SortOptions::default(), SortOptions { descending: true, nulls_first: false }] {
        let mut key = Key::new(options);
        assert!(key.push(&(Arc::new(Int64Array::from(numbers.clone())) as ArrayRef)).expect("numbers"));
        let mut expected: Vec<u32> = (0..numbers.len() as u32).collect();
        expected.sort_by_key(|row| {
            if options.descending { -numbers[*row as usize] } else { numbers[*row as usize] }
        });
        assert_eq!(sorted::<u64>(vec![key], numbers.len()).await, expected);
    }
}

#[test]
fn bits_are_those_of_the_range() {
    let key = |values: Vec<Option<i64>>| {
        let mut key = Key::new(SortOptions::default());
        assert!(key.push(&(Arc::new(Int64Array::from(values)) as ArrayRef)).expect("numbers"));
        key.bits()
    };
    assert_eq!(key(vec![Some(5), Some(5)]), 0);
    assert_eq!(key(vec![Some(5), None]), 1);
    assert_eq!(key(vec![None, None]), 1);
    assert_eq!(key(vec![Some(-1), Some(6)]), 3);
    assert_eq!(key(vec![Some(-1), None, Some(6)]), 4);
    assert_eq!(key(vec![Some(i64::MIN), Some(i64::MAX)]), 64);
    assert_eq!(key(vec![Some(i64::MIN), None, Some(i64::MAX)]), 65);
}

#[test]
fn decimals_have_64_bits_or_do_not_fit() {
    let mut key = Key::new(SortOptions::default());
    let mut fits = |values: Vec<Option<i128>>| {
        key.push(&(Arc::new(Decimal128Array::from(values)) as ArrayRef)).expect("decimals")
    };
    assert!(fits(vec![Some(i128::from(i64::MAX)), None, Some(i128::from(i64::MIN))]));
    assert!(!fits(vec![Some(i128::from(i64::MAX) + 1)]));
}
