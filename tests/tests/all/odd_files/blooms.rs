//! Bloom filters of any damage: pages are read without them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::basic::Compression;
use pelton_tests::document::{column, file_metadata, footer, row_group};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::{Struct, Value};

use super::{gives, with_footer};
use crate::support::{Scratch, engine, rows, sql};

fn file() -> Vec<u8> {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..30));
    let word: ArrayRef = Arc::new(StringArray::from_iter_values((0..30).map(|row| format!("w{row}"))));
    let batch = RecordBatch::try_from_iter([("id", id), ("word", word)]).expect("columns of one length");
    let properties = small_pages(Compression::UNCOMPRESSED, 30, 30)
        .set_dictionary_enabled(false)
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_max_ndv(30);
    parquet(&[batch], properties.build())
}

/// Returns the footer's metadata of the first column chunk.
fn meta(footer: &mut Struct) -> &mut Struct {
    footer.list(file_metadata::ROW_GROUPS)[0].fields().list(row_group::COLUMNS)[0].fields().inner(3)
}

fn found(file: &[u8]) {
    gives(file, "SELECT word FROM '$' WHERE id = 7", "word", &["w7"]);
}

#[test]
fn filters_that_are_not_where_or_what_the_footer_says() {
    let sound = file();
    found(&sound);
    let end = sound.len() as i64;
    for (offset, length) in
        [(0, 0), (4, 0), (4, 8), (4, 47), (end, 32), (end - 8, 100), (i64::MAX, 32), (-5, 32), (4, -1)]
    {
        found(&with_footer(&sound, |footer| {
            let meta = meta(footer);
            meta.set(column::BLOOM_FILTER_OFFSET, Value::I64(offset));
            meta.set(column::BLOOM_FILTER_LENGTH, Value::I32(length));
        }));
    }
    // the right place, and another length
    let (mut of_sound, _) = footer(&sound);
    let length = meta(&mut of_sound).int(column::BLOOM_FILTER_LENGTH) as i32;
    for other in [length - 32, length - 1, length + 1, length + 32, 1, 16] {
        found(&with_footer(&sound, |footer| {
            meta(footer).set(column::BLOOM_FILTER_LENGTH, Value::I32(other))
        }));
    }
}

/// Whatever a byte of a filter's header becomes.
#[test]
fn headers_that_are_none() {
    let sound = file();
    let (mut of_sound, _) = footer(&sound);
    let at = meta(&mut of_sound).int(column::BLOOM_FILTER_OFFSET) as usize;
    let (scratch, engine) = (Scratch::new(), engine());
    for header in at..at + 15 {
        for byte in [0, 1, 0x0c, 0x15, 0x1c, 0x40, 0x7f, 0x80, 0xff] {
            let mut odd = sound.clone();
            odd[header] = byte;
            let path = scratch.write("odd.parquet", &odd);
            let found = sql(&engine, &format!("SELECT word FROM '{path}' WHERE id = 7"));
            assert_eq!(found.map(|found| rows(&found)), Ok(1), "byte {header} is {byte}");
        }
    }
}
