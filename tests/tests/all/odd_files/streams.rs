//! Compressed pages with bytes behind them, and front-coded strings with a prefix that does not
//! exist.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::basic::{Compression, Encoding};
use pelton_tests::document::{Document, column};
use pelton_tests::file::{codecs, parquet, small_pages};
use pelton_tests::thrift::Value;

use super::{gives, refused};

fn document(codec: Compression, encoding: Encoding) -> Document {
    let words: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..200).map(|row| format!("the word {}", row / 9))));
    let batch = RecordBatch::try_from_iter([("word", words)]).expect("one column");
    let properties = small_pages(codec, 100, 200)
        .set_dictionary_enabled(false)
        .set_column_encoding("word".into(), encoding);
    Document::parse(&parquet(&[batch], properties.build()))
}

/// Other readers refuse them too; the end of a Brotli stream is not checked.
#[test]
fn bytes_behind_a_compressed_page_are_refused() {
    for (name, codec) in codecs() {
        if matches!(codec, Compression::UNCOMPRESSED | Compression::BROTLI(_)) {
            continue;
        }
        for tail in [&[0][..], &[1, 2, 3, 4, 5], &[0x28, 0xb5, 0x2f, 0xfd]] {
            let mut document = document(codec, Encoding::PLAIN);
            document.drop_page_index();
            let page = &mut document.row_groups[0][0].pages[1];
            let body = [&page.body[..], tail].concat();
            page.set_body(body);
            println!("{name}: {tail:?}");
            refused(&document.write(), "SELECT max(word) FROM '$'", &["row group 0, column word, page 1: "]);
        }
    }
    let mut zstd = document(Compression::ZSTD(Default::default()), Encoding::PLAIN);
    let page = &mut zstd.row_groups[0][0].pages[0];
    let body = [&page.body[..], &[7]].concat();
    page.set_body(body);
    let words = ["column word, page 0: ", "the compressed data goes on after its end"];
    refused(&zstd.write(), "SELECT max(word) FROM '$'", &words);
}

#[test]
fn prefixes_longer_than_what_came_before_are_refused() {
    let mut sound = document(Compression::UNCOMPRESSED, Encoding::DELTA_BYTE_ARRAY);
    gives(&sound.write(), "SELECT max(word) AS m FROM '$'", "m", &["the word 9"]);
    // block size, miniblocks and count take a byte or two each; then the first prefix, zigzag,
    // which is 0
    let page = &mut sound.row_groups[0][0].pages[1];
    assert_eq!(page.body[..5], [0x80, 1, 4, 100, 0]);
    page.body[4] = 2;
    let words =
        ["row group 0, column word, page 1: ", "value 0 shares more than there is with the one before it"];
    refused(&sound.write(), "SELECT max(word) FROM '$'", &words);
}

/// Wrong counts, as large as possible: the page's number of values is a limit.
#[test]
fn counts_of_lengths_that_lie_are_refused() {
    for encoding in [Encoding::DELTA_BYTE_ARRAY, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
        for count in
            [&[99][..], &[101], &[0xff, 0xff, 0xff, 0xff, 0x0f], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x20]]
        {
            let mut document = document(Compression::UNCOMPRESSED, encoding);
            let chunk = &mut document.row_groups[0][0];
            let page = &mut chunk.pages[0];
            let body = [&page.body[..3], count, &page.body[4..]].concat();
            page.claim(body.len() as i32);
            page.set_body(body);
            let size = chunk.meta().int(column::UNCOMPRESSED_SIZE);
            chunk.meta().set(column::UNCOMPRESSED_SIZE, Value::I64(size + 10));
            let words = ["row group 0, column word, page 0: ", "DELTA_BINARY_PACKED: "];
            refused(&document.write(), "SELECT max(word) FROM '$'", &words);
        }
    }
}
