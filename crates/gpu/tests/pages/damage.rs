//! Damaged pages: an error, or the values that parquet-rs reads; and under the sanitizers no access
//! outside of buffers.

use std::panic::catch_unwind;
use std::sync::Arc;

use arrow::array::ArrayRef;
use bytes::Bytes;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use pelton_device_cuda::sanitizer;
use pelton_gpu::window::{DeviceWindow, Error};
use pelton_pages::ParquetFile;
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::file::parquet;

use super::copy_out::{Bench, Value};
use super::expected;
use super::files::{all, open, read, supported};

const ROWS: usize = 300;

/// Returns files of one row group each, in all encodings and with both versions of pages.
fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for (number, nulls) in [0.0, 0.3].into_iter().enumerate() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for (codec, has_dictionary) in [
                (Compression::UNCOMPRESSED, true),
                (Compression::UNCOMPRESSED, false),
                (Compression::LZ4_RAW, true),
            ] {
                let batch = flat(Shape { rows: ROWS, nulls, distinct: 60, seed: number as u64 });
                let mut properties = WriterProperties::builder()
                    .set_compression(codec)
                    .set_writer_version(version)
                    .set_dictionary_enabled(has_dictionary)
                    .set_data_page_row_count_limit(110)
                    .set_write_batch_size(110);
                let schema = ArrowSchemaConverter::new().convert(&batch.schema()).unwrap();
                for (index, column) in schema.columns().iter().enumerate() {
                    let encoding = match column.physical_type() {
                        Type::INT32 | Type::INT64 if index % 2 == 0 => Encoding::DELTA_BINARY_PACKED,
                        Type::BYTE_ARRAY if index % 2 == 0 => Encoding::DELTA_BYTE_ARRAY,
                        Type::BYTE_ARRAY => Encoding::DELTA_LENGTH_BYTE_ARRAY,
                        Type::FLOAT => Encoding::BYTE_STREAM_SPLIT,
                        _ => continue,
                    };
                    if !has_dictionary {
                        properties = properties.set_column_encoding(column.path().clone(), encoding);
                    }
                }
                files.push(parquet(&[batch], properties.build()));
            }
        }
    }
    files
}

/// Reads a column with parquet-rs; `None` for an error or a panic.
fn theirs(bytes: &[u8], leaf: usize) -> Option<ArrayRef> {
    let bytes = Bytes::copy_from_slice(bytes);
    let read = move || {
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).ok()?;
        let mask = ProjectionMask::leaves(builder.parquet_schema(), [leaf]);
        let mut reader = builder.with_projection(mask).with_batch_size(ROWS).build().ok()?;
        let batch = reader.next()?.ok()?;
        (batch.num_rows() == ROWS).then(|| batch.column(0).clone())
    };
    catch_unwind(read).ok().flatten()
}

fn ours(file: &Arc<ParquetFile>, leaf: usize) -> Result<DeviceWindow, Error> {
    let bench = Bench::shared();
    let window = bench.stage(&read(file, 0, &all(ROWS), &[leaf])?)?;
    window.check(&bench.compute)?;
    Ok(window)
}

/// Flips bits in a column's chunk, `tries` times; returns how often it was noticed.
fn damage(tries: usize, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let files = files();
    let mut noticed = 0;
    for number in 0..tries {
        let sound = random.pick(&files);
        let file = open(sound.clone()).unwrap();
        let leaf = *random.pick(&supported(&file));
        let (start, length) = file.row_group(0).unwrap().column(leaf).byte_range();
        let mut bytes = sound.clone();
        for _ in 0..1 + random.below(3) {
            let at = start as usize + random.below(length as usize);
            bytes[at] = match random.below(3) {
                0 => random.next() as u8,
                1 => bytes[at] ^ 1 << random.below(8),
                _ => *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            };
        }
        let file = open(bytes.clone()).expect("the footer is sound");
        let window = match ours(&file, leaf) {
            Ok(window) => window,
            Err(error) => {
                assert!(matches!(error, Error::Pages(_)), "seed {seed}, try {number}: {error}");
                noticed += 1;
                continue;
            }
        };
        let array = theirs(&bytes, leaf);
        let kind = expected::kind(file.schema().field(leaf).data_type());
        let values = array.as_ref().map(expected::values);
        // without parquet-rs's values the longest value of the damaged page is unknown
        let longest = values.as_ref().map_or(1 << 16, |values| expected::longest(values).max(1 << 10));
        let found = Bench::shared().column(&window, 0, kind, ROWS, longest);
        let is_bad = window.check(&Bench::shared().compute).is_err();
        let raw = read(&file, 0, &all(ROWS), &[leaf]).expect("it was read before");
        match Bench::shared().stage_flat(&raw, raw.clone()) {
            Ok(flat) => {
                let decoded = Bench::shared().column(&flat, 0, kind, ROWS, longest);
                assert!(is_bad || decoded.values == found.values, "seed {seed}, try {number}: decoded");
            }
            Err(error) => assert!(is_bad, "seed {seed}, try {number}: {error}"),
        }
        if is_bad {
            noticed += 1;
            continue;
        }
        let Some(values) = values else { continue };
        let name = file.schema().field(leaf).name();
        for (row, (found, expected)) in found.values.iter().zip(&values).enumerate() {
            let same = found == expected || matches!((found, expected), (Value::Unwanted, _));
            assert!(same, "seed {seed}, try {number}, {name}, row {row}: {found:?}, parquet-rs {expected:?}");
        }
    }
    noticed
}

#[test]
fn damaged_pages() {
    assert!(damage(400, 1) > 50);
}

#[test]
fn damaged_pages_under_the_sanitizers() {
    if !sanitizer::enter("damage::damaged_pages_under_the_sanitizers") {
        return; // it ran in the other process, and passed
    }
    assert!(damage(150, 2) > 20);
}
