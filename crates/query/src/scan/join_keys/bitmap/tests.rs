use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, UInt64Array};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::Int64Type;
use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool, UnboundedMemoryPool};
use pelton_random::Random;

use super::*;

const MANY_WORDS: usize = 1 << 20;

fn empty() -> KeyBitmap {
    let pool: Arc<dyn MemoryPool> = Arc::new(UnboundedMemoryPool::default());
    KeyBitmap::new(MemoryConsumer::new("test").register(&pool))
}

fn of(keys: &dyn Array) -> KeyBitmap {
    let mut bitmap = empty();
    bitmap.add(keys, MANY_WORDS).expect("a small range");
    bitmap
}

fn found(bitmap: &KeyBitmap, values: &dyn Array) -> Vec<bool> {
    let found = bitmap.contains(values).expect("a type of keys");
    assert_eq!(found.null_count(), 0);
    found.values().iter().collect()
}

fn converted(array: &ArrayRef, to: &DataType) -> ArrayRef {
    cast_with_options(array, to, &CastOptions::default()).expect("numbers")
}

/// Returns numbers between -`spread` and `spread`, some of them null.
fn numbers(random: &mut Random, spread: usize, count: usize) -> Vec<Option<i64>> {
    let number = |random: &mut Random| random.below(2 * spread) as i64 - spread as i64;
    (0..count).map(|_| (random.below(9) > 0).then(|| number(random))).collect()
}

#[test]
fn each_type_finds_its_keys_and_no_other_values() {
    let mut random = Random::new(35);
    let types = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Date32,
    ];
    for data_type in types {
        assert!(KeyBitmap::takes(&data_type));
        for (spread, count) in [(3, 10), (70, 40), (100, 0), (5000, 300), (100_000, 2000)] {
            // numbers that the type has not become null
            let typed = |numbers: Vec<Option<i64>>| {
                let whole: ArrayRef = Arc::new(Int64Array::from(numbers));
                if data_type == DataType::Date32 {
                    return converted(&converted(&whole, &DataType::Int32), &data_type);
                }
                converted(&whole, &data_type)
            };
            let as_numbers = |array: &ArrayRef| -> Vec<Option<i64>> {
                let is_date = data_type == DataType::Date32;
                let array = if is_date { converted(array, &DataType::Int32) } else { array.clone() };
                converted(&array, &DataType::Int64).as_primitive::<Int64Type>().iter().collect()
            };
            let parts = [typed(numbers(&mut random, spread, count)), typed(numbers(&mut random, spread, 50))];
            let expected: HashSet<i64> = parts.iter().flat_map(&as_numbers).flatten().collect();
            let mut both = of(&parts[0]);
            both.add(&parts[1], MANY_WORDS).expect("a small range");
            let mut united = of(&parts[0]);
            united.merge(&of(&parts[1]), MANY_WORDS).expect("a small range");
            let tested = typed(numbers(&mut random, spread * 2, 1000));
            let expected: Vec<bool> = as_numbers(&tested)
                .into_iter()
                .map(|value| value.is_some_and(|value| expected.contains(&value)))
                .collect();
            for bitmap in [both, united] {
                assert_eq!(found(&bitmap, &tested), expected, "{data_type} {spread}");
                let bitmap = bitmap.finished();
                assert_eq!(found(&bitmap, &tested), expected, "{data_type} {spread}");
                assert_eq!(found(&bitmap, &tested.slice(7, 130)), expected[7..137]);
            }
        }
    }
}

#[test]
fn both_ends_of_the_type_have_keys() {
    for (keys, others) in [
        ([i64::MIN, i64::MIN + 700], [i64::MAX, 0]),
        ([i64::MAX, i64::MAX - 700], [i64::MIN, -1]),
        ([-1, 0], [i64::MIN, i64::MAX]),
    ] {
        let bitmap = of(&Int64Array::from(keys.to_vec())).finished();
        assert_eq!(found(&bitmap, &Int64Array::from(keys.to_vec())), [true, true]);
        assert_eq!(found(&bitmap, &Int64Array::from(others.to_vec())), [false, false]);
    }
    let keys = UInt64Array::from(vec![u64::MAX, u64::MAX - 100, i64::MAX as u64 + 1]);
    let bitmap = of(&keys.slice(0, 2)).finished();
    assert_eq!(found(&bitmap, &keys), [true, true, false]);
}

#[test]
fn a_wide_range_is_refused() {
    let mut bitmap = empty();
    let ends = Int64Array::from(vec![i64::MIN, i64::MAX]);
    assert!(bitmap.add(&ends, usize::MAX >> 16).is_err());
    let mut bitmap = of(&Int64Array::from(vec![0]));
    assert!(bitmap.add(&Int64Array::from(vec![64 * 10]), 10).is_err());
    assert!(bitmap.merge(&of(&Int64Array::from(vec![-64 * 10])), 10).is_err());
    bitmap.add(&Int64Array::from(vec![64 * 9]), 10).expect("ten words");
    assert!(empty().add(&Float64Array::from(vec![1.0]), MANY_WORDS).is_err());
    assert!(bitmap.contains(&Float64Array::from(vec![1.0])).is_none());
}

/// Spare words do not count.
#[test]
fn keys_in_any_order_fit_into_the_words_of_their_range() {
    let mut random = Random::new(7);
    for most_words in [10, 100, 1000] {
        for _ in 0..50 {
            let (mut bitmap, mut other) = (empty(), empty());
            let mut keys: Vec<i64> = (0..300).map(|_| 64 * random.below(most_words) as i64).collect();
            keys.extend([0, 64 * (most_words as i64 - 1)]);
            for (number, &key) in keys.iter().enumerate() {
                let part = if number % 3 == 0 { &mut other } else { &mut bitmap };
                part.add(&Int64Array::from(vec![key]), most_words).expect("as many words");
            }
            bitmap.merge(&other, most_words).expect("as many words");
            assert!(bitmap.words.len() <= 3 * most_words, "{} words", bitmap.words.len());
            let keys = Int64Array::from(keys);
            assert!(found(&bitmap.finished(), &keys).into_iter().all(|is_found| is_found));
        }
    }
}

/// Keys that go away from the middle in turns copy the words as rarely as rising ones.
#[test]
fn spare_words_are_in_proportion_to_those_with_keys() {
    let mut random = Random::new(8);
    let (middle, many) = (1 << 20, 4000);
    let rising = (0..many).collect::<Vec<i64>>();
    let in_turns = (0..many).map(|key| if key % 2 == 0 { -key } else { key }).collect::<Vec<i64>>();
    let mixed = (0..many).map(|_| random.below(many as usize) as i64).collect::<Vec<i64>>();
    for order in [rising, in_turns, mixed] {
        let (mut bitmap, mut copies, mut last) = (empty(), 0, 0);
        for key in order {
            bitmap.add(&Int64Array::from(vec![64 * (middle + key)]), MANY_WORDS).expect("a small range");
            copies += usize::from(bitmap.words.as_ptr() as usize != last);
            last = bitmap.words.as_ptr() as usize;
        }
        assert!(copies <= 40, "{copies} copies");
        assert!(bitmap.words.len() <= 3 * bitmap.used().len(), "{} words", bitmap.words.len());
    }
}

#[test]
fn words_are_reserved() {
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(4096));
    let mut bitmap = KeyBitmap::new(MemoryConsumer::new("test").register(&pool));
    bitmap.add(&Int64Array::from(vec![5, 64 * 200]), MANY_WORDS).expect("it fits");
    assert_eq!(pool.reserved(), 201 * 8);
    assert!(bitmap.add(&Int64Array::from(vec![64 * 2000]), MANY_WORDS).is_err());
    bitmap.add(&Int64Array::from(vec![64 * 210]), 300).expect("it fits");
    assert_eq!(pool.reserved(), 300 * 8);
    let bitmap = bitmap.finished();
    assert_eq!((pool.reserved(), bitmap.bytes()), (211 * 8, 211 * 8));
    assert!((bitmap.density() - 3.0 / (211.0 * 64.0)).abs() < 1e-9);
    drop(bitmap);
    assert_eq!(pool.reserved(), 0);
}
