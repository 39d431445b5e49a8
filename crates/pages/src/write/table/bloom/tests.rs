use std::sync::Arc;

use parquet::schema::types::{ColumnPath, Type as Schema};

use super::*;

fn column(physical: Type) -> ColumnDescriptor {
    let schema = Schema::primitive_type_builder("a", physical).build().expect("a type");
    ColumnDescriptor::new(Arc::new(schema), 0, 0, ColumnPath::from("a"))
}

fn texts(words: &[&str]) -> Vec<u8> {
    words.iter().flat_map(|w| [&(w.len() as u32).to_le_bytes(), w.as_bytes()].concat()).collect()
}

fn numbers(range: std::ops::Range<i64>) -> Vec<u8> {
    range.flat_map(i64::to_le_bytes).collect()
}

#[test]
fn a_filter_knows_every_value_of_its_dictionary() {
    let words = ["", "a", "pelton", "a longer word than a block has bytes in it, by far"];
    let found = filter(&column(Type::BYTE_ARRAY), &texts(&words), 10_000).expect("a filter");
    assert!(words.iter().all(|word| found.check(word.as_bytes())));
    assert!((0..100).filter(|i| found.check(format!("no {i}").as_bytes())).count() < 10);

    let found = filter(&column(Type::INT64), &numbers(0..1000), 100_000).expect("a filter");
    assert!((0..1000i64).all(|i| found.check(&i)));
    assert!((1000..2000i64).filter(|i| found.check(i)).count() < 50);
}

#[test]
fn a_filter_that_is_too_large_for_its_chunk_is_none() {
    assert!(filter(&column(Type::INT64), &numbers(0..1000), 10_000).is_none());
}

#[test]
fn a_dictionary_that_does_not_hold_together_has_no_filter() {
    assert!(filter(&column(Type::BYTE_ARRAY), &[9, 0, 0, 0, 1], 10_000).is_none());
}
