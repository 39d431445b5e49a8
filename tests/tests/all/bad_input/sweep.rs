//! Every byte of small files, wrong in two ways. In processes of their own, so that a crash is one
//! failed test, and so that memory can be measured.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterPropertiesBuilder, WriterVersion};
use pelton::Engine;
use pelton_tests::child;
use pelton_tests::columns::{Shape, nested};
use pelton_tests::file::{codecs, parquet, small_pages};

use crate::support::{Scratch, check_message, rows};

/// Maximum resident memory of a process: more than one with DataFusion has. The files are a few KB;
/// a lie that is believed costs gigabytes.
const MEMORY: u64 = 300 << 20;

/// One bit, and every bit: the two ways in which a byte is changed.
const MASKS: [u8; 2] = [0x04, 0xff];

const ROWS: usize = 60;

fn small() -> RecordBatch {
    let count = ROWS as i64;
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values((0..count).map(|n| n * n)));
    let word: ArrayRef =
        Arc::new(StringArray::from_iter((0..count).map(|n| (n % 5 != 0).then(|| format!("w{}", n % 7)))));
    RecordBatch::try_from_iter([("id", id), ("word", word)]).expect("columns of one length")
}

fn typed() -> RecordBatch {
    let count = ROWS as i32;
    let int: ArrayRef = Arc::new(Int32Array::from_iter_values((0..count).map(|n| n * 1001)));
    let float: ArrayRef = Arc::new(Float64Array::from_iter_values((0..count).map(|n| f64::from(n) / 3.0)));
    let flag: ArrayRef =
        Arc::new(BooleanArray::from_iter((0..count).map(|n| (n % 3 != 0).then_some(n % 2 == 0))));
    let text: ArrayRef = Arc::new(StringArray::from_iter_values((0..count).map(|n| format!("prefix {n}"))));
    let columns = [("int", int), ("float", float), ("flag", flag), ("text", text)];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn properties(codec: Compression) -> WriterPropertiesBuilder {
    small_pages(codec, 30, ROWS)
}

/// Returns the files of the sweep by name.
fn file(name: &str) -> Vec<u8> {
    let plain = properties(Compression::UNCOMPRESSED);
    if let Some((_, codec)) = codecs().into_iter().find(|(codec, _)| *codec == name) {
        return parquet(&[small()], properties(codec).build());
    }
    match name {
        "version2" => {
            let properties = properties(Compression::SNAPPY).set_writer_version(WriterVersion::PARQUET_2_0);
            parquet(&[small()], properties.build())
        }
        "plain" => parquet(&[typed()], plain.set_dictionary_enabled(false).build()),
        "delta" => {
            let properties = plain
                .set_dictionary_enabled(false)
                .set_column_encoding("int".into(), Encoding::DELTA_BINARY_PACKED)
                .set_column_encoding("float".into(), Encoding::BYTE_STREAM_SPLIT)
                .set_column_encoding("flag".into(), Encoding::RLE)
                .set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY);
            parquet(&[typed()], properties.build())
        }
        "delta_length" => {
            let properties = plain
                .set_dictionary_enabled(false)
                .set_column_encoding("text".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY);
            parquet(&[typed()], properties.build())
        }
        "nested" => {
            let batch = nested(Shape { rows: ROWS, nulls: 0.2, distinct: 9, seed: 3 });
            let some = batch.project(&[1, 4, 6]).expect("columns that there are");
            parquet(&[some], plain.build())
        }
        "bloom" => parquet(
            &[small()],
            properties(Compression::SNAPPY)
                .set_bloom_filter_enabled(true)
                .set_bloom_filter_max_ndv(8)
                .build(),
        ),
        other => panic!("no file {other}"),
    }
}

/// In a child: `file from to`, the bytes to change.
#[test]
fn in_child_sweeps() {
    let Some(argument) = child::argument() else { return };
    let words: Vec<&str> = argument.split(' ').collect();
    let (name, from, to): (_, usize, usize) =
        (words[0], words[1].parse().expect("a number"), words[2].parse().expect("a number"));
    let good = file(name);
    let count = match name {
        "nested" => "SELECT count(list), count(point), count(structs) FROM '$'".to_owned(),
        "plain" | "delta" | "delta_length" => {
            "SELECT int, float, flag, text FROM '$' WHERE int >= 5000".to_owned()
        }
        _ => "SELECT id, word FROM '$' WHERE id > 20 AND word <> 'w3'".to_owned(),
    };
    let all = if name == "nested" { "SELECT list, point, structs FROM '$'" } else { "SELECT * FROM '$'" };
    let engine = Engine::builder().threads(1).memory_limit(64 << 20).build().expect("an engine");
    let scratch = Scratch::new();
    let (mut read, mut refused) = (0, 0);
    for at in from..to.min(good.len()) {
        for mask in MASKS {
            let mut damaged = good.clone();
            damaged[at] ^= mask;
            let path = scratch.write("swept.parquet", &damaged);
            // one of two queries: with a filter, and of everything
            let query = if at % 2 == 0 { &count } else { all };
            let outcome = catch_unwind(AssertUnwindSafe(|| engine.sql(&query.replace('$', &path))));
            match outcome {
                Err(_) => panic!("byte {at} of {name} with {mask:#x}: a panic came through"),
                Ok(Ok(batches)) => {
                    assert!(
                        rows(&batches) <= ROWS.max(3),
                        "byte {at} of {name} with {mask:#x}: {} rows",
                        rows(&batches)
                    );
                    read += 1;
                }
                Ok(Err(error)) => {
                    let message = error.to_string();
                    check_message(&message);
                    refused += 1;
                }
            }
        }
    }
    println!("\n{name}: {read} read, {refused} refused");
    assert!(refused > 0, "nothing was refused");
    child::report();
}

fn sweep(name: &str, range: impl Fn(usize, usize) -> std::ops::Range<usize>) {
    let good = file(name);
    let (_, footer) = pelton_tests::document::footer(&good);
    let range = range(footer, good.len());
    let argument = format!("{name} {} {}", range.start, range.end);
    let ended = child::run("bad_input::sweep::in_child_sweeps", &argument);
    assert!(ended.well, "{}", ended.output);
    assert!(ended.peak_memory < MEMORY, "{name}: {} MB resident", ended.peak_memory >> 20);
}

/// Returns the pages and the page index; how a footer is parsed does not depend on the codec.
fn pages(footer: usize, _: usize) -> std::ops::Range<usize> {
    0..footer
}

macro_rules! sweeps {
    ($($test:ident: $file:literal, $range:expr;)*) => {
        $(#[test] fn $test() { sweep($file, $range); })*
    };
}

sweeps! {
    every_byte_of_an_uncompressed_file: "uncompressed", |_, end| 0..end;
    every_byte_of_a_version_two_file: "version2", |_, end| 0..end;
    every_byte_of_a_nested_file: "nested", |_, end| 0..end;
    every_byte_of_a_file_with_bloom_filters: "bloom", |_, end| 0..end;
    every_byte_of_snappy_pages: "snappy", pages;
    every_byte_of_gzip_pages: "gzip", pages;
    every_byte_of_brotli_pages: "brotli", pages;
    every_byte_of_zstd_pages: "zstd", pages;
    every_byte_of_lz4_pages: "lz4", pages;
    every_byte_of_raw_lz4_pages: "lz4_raw", pages;
    every_byte_of_plain_pages: "plain", pages;
    every_byte_of_delta_pages: "delta", pages;
    every_byte_of_delta_length_pages: "delta_length", pages;
}
