//! Footers that name another codec than the pages have.

use parquet::basic::Compression;
use pelton_tests::document::column;
use pelton_tests::file::codecs;
use pelton_tests::thrift::Value;

use super::{WORD, chunk, plain_document, refused};

/// `CompressionCodec` of parquet.thrift.
const CODECS: [(&str, i32); 7] =
    [("uncompressed", 0), ("snappy", 1), ("gzip", 2), ("brotli", 4), ("lz4", 5), ("zstd", 6), ("lz4_raw", 7)];

fn with_codec(written: Compression, claimed: i32) -> Vec<u8> {
    let mut document = plain_document(written);
    chunk(&mut document, 1, WORD).meta().set(column::CODEC, Value::I32(claimed));
    document.write()
}

#[test]
fn pages_of_another_codec_are_refused() {
    for (written, codec) in codecs() {
        for (claimed, number) in CODECS {
            // parquet's old LZ4 may be a raw block as well
            if written == claimed || (written, claimed) == ("lz4_raw", "lz4") {
                continue;
            }
            refused(&with_codec(codec, number), &["row group 1, column word, page 0: "]);
        }
    }
}

#[test]
fn a_raw_block_under_the_old_lz4_name_is_read() {
    let scratch = crate::support::Scratch::new();
    let path = scratch.write("raw.parquet", &with_codec(Compression::LZ4_RAW, 5));
    let rows = crate::support::read(&crate::support::engine(), &path).expect("both are in use");
    pelton_tests::compare::assert_same(&rows, &[super::sample()], "a raw block as LZ4");
}

#[test]
fn a_codec_that_nobody_reads_is_refused() {
    let message = refused(&with_codec(Compression::SNAPPY, 3), &["codec LZO is not supported"]);
    assert!(message.starts_with("row group 1, column word: "), "{message}");
}

#[test]
fn a_codec_that_parquet_does_not_define_is_refused() {
    for number in [8, 99, -1, i32::MAX] {
        let message = refused(&with_codec(Compression::SNAPPY, number), &[]);
        assert_eq!(message, format!("row group 1, column word: codec {number} is not supported"));
    }
}
