//! Columns that no file has, and dictionaries of queries.

use bytes::Bytes;
use parquet::basic::Compression;
use pelton_gpu::window::{Constant, DictionaryInfo, RawColumn};
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::{parquet, small_pages};

use super::copy_out::{Bench, Kind, Value};
use super::files::{all, compare, open, read, reference, supported};

const ROWS: usize = 600;

#[test]
fn nulls_and_constants_beside_pages() {
    let batch = flat(Shape { rows: ROWS, nulls: 0.0, distinct: 9, seed: 5 });
    let file = open(parquet(&[batch], small_pages(Compression::UNCOMPRESSED, 100, ROWS).build())).unwrap();
    let mut raw = read(&file, 0, &all(ROWS), &[0]).unwrap();
    let constants = [
        (Constant::Bool(true), Kind::Bool, Value::Bits(1)),
        (Constant::Number(-5), Kind::I64, Value::Bits(-5)),
        (Constant::Number(i128::MIN + 1), Kind::I128, Value::Bits(i128::MIN + 1)),
        (Constant::Float32(1.5), Kind::F32, Value::Bits(i128::from(1.5f32.to_bits()))),
        (Constant::Float64(-2.5), Kind::F64, Value::Bits(i128::from((-2.5f64).to_bits()))),
        (Constant::Bytes(Bytes::from_static(b"2026-11")), Kind::Bytes, Value::Bytes(b"2026-11".to_vec())),
        (Constant::Bytes(Bytes::new()), Kind::Bytes, Value::Bytes(Vec::new())),
    ];
    raw.insert(0, RawColumn::Null);
    for (constant, ..) in &constants {
        raw.insert(usize::MAX, RawColumn::Constant(constant.clone()));
    }
    let bench = Bench::shared();
    let window = bench.stage(&raw).unwrap();
    window.check(&bench.compute).unwrap();
    for kind in [Kind::Bool, Kind::I64, Kind::Bytes] {
        let found = bench.column(&window, 0, kind, ROWS, 10);
        assert!(found.values.iter().all(|value| *value == Value::Null));
    }
    for (column, (constant, kind, expected)) in (2..).zip(&constants) {
        let found = bench.column(&window, column, *kind, ROWS, 10);
        assert!(found.values.iter().all(|value| value == expected), "{constant:?}");
        assert_eq!(found.coded, 0);
    }
    assert!(window.memory() > raw.bytes());
}

#[test]
fn which_columns_have_dictionaries() {
    let batch = flat(Shape { rows: ROWS, nulls: 0.0, distinct: 9, seed: 5 });
    let bytes = parquet(std::slice::from_ref(&batch), small_pages(Compression::SNAPPY, 100, ROWS).build());
    let file = open(bytes).unwrap();
    let leaf = |name: &str| batch.schema().index_of(name).unwrap();
    let raw = read(&file, 0, &all(ROWS), &[leaf("i64"), leaf("bool"), leaf("utf8")]).unwrap();
    let window = Bench::shared().stage(&raw).unwrap();
    assert!(matches!(window.dictionary(0), Some(DictionaryInfo { values: 1..=9 })));
    assert_eq!(window.dictionary(1), None);
    assert!(matches!(window.dictionary(2), Some(DictionaryInfo { values: 1..=9 })));
    assert_eq!(window.dictionary(3), None);
}

/// Pages in pinned memory equal the pages that they were copied from.
#[test]
fn pinned_pages() {
    let batch = flat(Shape { rows: ROWS, nulls: 0.3, distinct: 40, seed: 6 });
    let bytes = parquet(&[batch], small_pages(Compression::LZ4_RAW, 100, ROWS).build());
    let file = open(bytes.clone()).unwrap();
    let (leaves, bench) = (supported(&file), Bench::shared());
    let mut raw = read(&file, 0, &all(ROWS), &leaves).unwrap();
    raw.insert(3, RawColumn::Null);
    let size = raw.bytes();
    let raw = raw.pinned(&bench.gpu).unwrap();
    assert_eq!(raw.bytes(), size);
    let window = bench.stage(&raw).unwrap();
    drop(raw);
    window.check(&bench.compute).unwrap();
    let batch = reference(&bytes, 0).unwrap();
    for (index, &leaf) in leaves.iter().enumerate() {
        let column = index + usize::from(index >= 3);
        compare(&window, column, batch.column(leaf), &all(ROWS), batch.schema().field(leaf).name());
    }
}
