//! LZ4 in Hadoop's framing, which no Python engine writes any more: made here, by the framing's
//! description.

use arrow::array::RecordBatch;
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::compare::assert_same;
use pelton_tests::document::{Document, column, page_header};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::Value;

use crate::support::{Scratch, engine, read};

/// `CompressionCodec.LZ4`.
const LZ4: i32 = 5;

/// Splits a page's bytes into frames.
type Framing = fn(&[u8]) -> Vec<u8>;

fn word(value: usize) -> [u8; 4] {
    u32::try_from(value).expect("pages are small").to_be_bytes()
}

/// Returns one frame: uncompressed size, compressed size, block.
fn one_frame(plain: &[u8]) -> Vec<u8> {
    let block = lz4_flex::block::compress(plain);
    [&word(plain.len())[..], &word(block.len()), &block].concat()
}

/// Returns frames of up to 100 bytes, one after the other.
fn frames(plain: &[u8]) -> Vec<u8> {
    plain.chunks(100).flat_map(one_frame).collect()
}

/// Returns one uncompressed size, then compressed chunks until it is reached, as Hadoop writes more
/// than its buffer holds.
fn chunks_in_a_frame(plain: &[u8]) -> Vec<u8> {
    let chunks = plain.chunks(70).flat_map(|chunk| {
        let block = lz4_flex::block::compress(chunk);
        [&word(block.len())[..], &block].concat()
    });
    word(plain.len()).into_iter().chain(chunks).collect()
}

/// No frame: a raw block, as parquet-cpp once wrote under this name.
fn raw_block(plain: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(plain)
}

fn framed(batch: &RecordBatch, version: WriterVersion, framing: Framing) -> Vec<u8> {
    let properties = small_pages(Compression::UNCOMPRESSED, 60, 200).set_writer_version(version);
    let mut document = Document::parse(&parquet(std::slice::from_ref(batch), properties.build()));
    for chunk in document.row_groups.iter_mut().flatten() {
        chunk.meta().set(column::CODEC, Value::I32(LZ4));
        for page in &mut chunk.pages {
            // the levels of version 2 stay as they are
            let levels = match page.header.get(page_header::DATA_V2) {
                Some(_) => {
                    let header = page.header.inner(page_header::DATA_V2);
                    header.set(7, Value::Bool(true));
                    (header.int(5) + header.int(6)) as usize
                }
                None => 0,
            };
            let packed = framing(&page.body[levels..]);
            let body = [&page.body[..levels], &packed].concat();
            page.set_body(body);
        }
    }
    document.write()
}

#[test]
fn every_framing_is_read() {
    let batch = flat(Shape { rows: 500, nulls: 0.2, distinct: 30, seed: 31 });
    let scratch = Scratch::new();
    let engine = engine();
    let framings: [(&str, Framing); 4] = [
        ("one frame", one_frame),
        ("frames", frames),
        ("chunks in a frame", chunks_in_a_frame),
        ("a raw block", raw_block),
    ];
    for (name, framing) in framings {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let path = scratch.write("hadoop.parquet", &framed(&batch, version, framing));
            let rows = read(&engine, &path).unwrap_or_else(|e| panic!("{name}, {version:?}: {e}"));
            assert_same(&rows, std::slice::from_ref(&batch), &format!("{name}, {version:?}"));
        }
    }
}
