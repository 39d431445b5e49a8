//! One flipped bit in each kind of place.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton::Engine;
use pelton_random::Random;
use pelton_tests::compare::assert_same;
use pelton_tests::document::{Document, page_header};
use pelton_tests::file::{codecs, parquet, small_pages};
use pelton_tests::thrift::Value;

use super::{WORD, chunk, place, properties, refused, sample, sample_file};
use crate::support::{Scratch, check_message, engine, read};

/// Reads a damaged file: an error of one line that starts with its path, or rows.
fn outcome(engine: &Engine, scratch: &Scratch, file: &[u8]) -> Option<Vec<RecordBatch>> {
    let path = scratch.write("flipped.parquet", file);
    match read(engine, &path) {
        Ok(rows) => Some(rows),
        Err(message) => {
            check_message(&message);
            assert!(message.starts_with(&format!("{path}: ")), "{message}");
            None
        }
    }
}

/// Damaged part.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Header,
    Dictionary,
    Data,
}

/// Returns the ranges of the parts of that kind in a file.
fn parts(file: &[u8], part: Part) -> Vec<std::ops::Range<usize>> {
    let document = Document::parse(file);
    let mut at = 4;
    let mut found = Vec::new();
    for page in document.row_groups.iter().flatten().flat_map(|chunk| &chunk.pages) {
        let header = at..at + page.header.write().len();
        let body = header.end..header.end + page.body.len();
        at = body.end;
        match part {
            Part::Header => found.push(header),
            Part::Dictionary if !page.is_data() => found.push(body),
            Part::Data if page.is_data() => found.push(body),
            _ => {}
        }
    }
    assert!(!found.is_empty(), "no {part:?}");
    found
}

fn flip_some(file: &[u8], part: Part, count: usize, mut check: impl FnMut(&[u8], usize)) {
    let ranges = parts(file, part);
    let mut random = Random::new(file.len() as u64);
    for _ in 0..count {
        let range = random.pick(&ranges).clone();
        let at = range.start + random.below(range.len());
        let mut damaged = file.to_vec();
        damaged[at] ^= 1 << random.below(8);
        check(&damaged, at);
    }
}

/// A header says how many values and bytes there are, and how they are encoded; none of it can be
/// wrong by one bit and still fit the rest.
#[test]
fn page_headers_never_give_other_rows() {
    let (engine, scratch) = (engine(), Scratch::new());
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let file = parquet(&[sample()], properties(Compression::SNAPPY).set_writer_version(version).build());
        flip_some(&file, Part::Header, 400, |damaged, at| {
            if let Some(rows) = outcome(&engine, &scratch, damaged) {
                assert_same(&rows, &[sample()], &format!("byte {at}"));
            }
        });
    }
}

/// Codecs without a checksum let some flips through as other values, but not as another number of
/// values.
#[test]
fn pages_keep_their_number_of_rows() {
    let (engine, scratch) = (engine(), Scratch::new());
    for (name, codec) in codecs() {
        let file = sample_file(codec);
        for part in [Part::Dictionary, Part::Data] {
            flip_some(&file, part, 60, |damaged, at| {
                let Some(rows) = outcome(&engine, &scratch, damaged) else { return };
                assert_eq!(crate::support::rows(&rows), super::ROWS, "{name}, byte {at}");
                // gzip carries a CRC-32 of the page
                if name == "gzip" {
                    assert_same(&rows, &[sample()], &format!("gzip, byte {at}"));
                }
            });
        }
    }
}

#[test]
fn with_checksums_every_flip_in_a_page_is_found() {
    let engine = Engine::builder().threads(2).verify_checksums(true).build().expect("an engine");
    let scratch = Scratch::new();
    for (name, codec) in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let file = parquet(&[sample()], properties(codec).set_writer_version(version).build());
            let mut document = Document::parse(&file);
            document.add_checksums();
            let file = document.write();
            let rows = outcome(&engine, &scratch, &file).expect("the file is good");
            assert_same(&rows, &[sample()], name);
            for part in [Part::Dictionary, Part::Data] {
                flip_some(&file, part, 30, |damaged, at| {
                    let path = scratch.write("flipped.parquet", damaged);
                    let message = read(&engine, &path).expect_err("a flipped bit went through");
                    check_message(&message);
                    assert!(
                        message.contains("page checksum differs: the header says "),
                        "{name}, byte {at}: {message}"
                    );
                });
            }
        }
    }
}

#[test]
fn a_checksum_error_names_its_page() {
    let mut document = Document::parse(&sample_file(Compression::GZIP(Default::default())));
    document.add_checksums();
    let page = &mut chunk(&mut document, 1, WORD).pages[2];
    let Value::I32(crc) = page.header.at(page_header::CRC) else { panic!("no CRC") };
    *crc ^= 0x10;
    let scratch = Scratch::new();
    let path = scratch.write("crc.parquet", &document.write());
    let engine = Engine::builder().threads(2).verify_checksums(true).build().expect("an engine");
    let message = read(&engine, &path).expect_err("a wrong checksum went through");
    assert!(
        message.starts_with(&format!("{path}: {}page checksum differs", place(1, "word", 2))),
        "{message}"
    );
    // without the setting, the page is not checked
    let rows = read(&super::engine(), &path).expect("the page itself is good");
    assert_same(&rows, &[sample()], "a wrong checksum, not looked at");
}

#[test]
fn a_page_that_does_not_decompress_is_named() {
    for (name, codec) in codecs() {
        // a raw snappy, lz4 or brotli stream of other bytes may be a stream as well, but not of
        // this size
        if name == "uncompressed" {
            continue;
        }
        let mut document = super::plain_document(codec);
        let page = &mut chunk(&mut document, 1, super::ID).pages[2];
        let length = page.body.len();
        page.body[length / 2..].fill(0xff);
        refused(&document.write(), &[&place(1, "id", 2)]);
    }
}

#[test]
fn the_column_of_a_value_that_does_not_decode_is_named() {
    // 20000 rows in one page a column, decoded in batches of 8192: the second batch of `a` fails
    // after pages of `b` were handed out for the first
    let values = |seed: usize| -> ArrayRef {
        let words = (0..20_000).map(|row| format!("word {}", (row * seed) % 13));
        Arc::new(StringArray::from_iter_values(words))
    };
    let batch =
        RecordBatch::try_from_iter([("a", values(5)), ("b", values(7))]).expect("columns of one length");
    let codec = Compression::UNCOMPRESSED;
    let mut document = Document::parse(&parquet(&[batch], small_pages(codec, 20_000, 20_000).build()));
    let page = &mut chunk(&mut document, 0, 0).pages[1];
    let length = page.body.len();
    page.body[length * 3 / 4..].fill(0xff);
    refused(&document.write(), &[&place(0, "a", 1), "cannot decode"]);
}
