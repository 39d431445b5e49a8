//! Damaged pages of dictionary indices, under conditions that are decided on them.

use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton::Engine;
use pelton_random::Random;
use pelton_tests::document::Document;
use pelton_tests::file::parquet;

use super::{PART, WORD, chunk, place, properties, sample};
use crate::support::{Scratch, check_message, engine, rows, sql};

/// Conditions on the two columns that have dictionaries worth the name, 17 words and 200 parts.
const WORDS: &str = "word <> 'the word 3'";
const PARTS: &str = "part < 1000 OR part IS NULL";

fn document(version: WriterVersion) -> Document {
    let properties = properties(Compression::UNCOMPRESSED).set_writer_version(version);
    Document::parse(&parquet(&[sample()], properties.build()))
}

/// Rows that pass, or the error without the file's name.
fn count(engine: &Engine, file: &[u8], condition: &str) -> Result<usize, String> {
    let scratch = Scratch::new();
    let path = scratch.write("bad.parquet", file);
    let found = sql(engine, &format!("SELECT id FROM '{path}' WHERE {condition}"));
    found.map(|batches| rows(&batches)).map_err(|message| {
        check_message(&message);
        message
            .strip_prefix(&format!("{path}: "))
            .unwrap_or_else(|| panic!("no path in front: {message}"))
            .to_owned()
    })
}

/// Returns the second page of a column, changed.
fn changed(column: usize, version: WriterVersion, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut document = document(version);
    let page = &mut chunk(&mut document, 0, column).pages[2];
    let mut body = page.body.clone();
    change(&mut body);
    page.claim(body.len() as i32);
    page.set_body(body);
    document.write()
}

fn refused(file: &[u8], condition: &str, column: &str, words: &str) {
    let message = count(&engine(), file, condition).expect_err("it is damaged");
    assert!(message.starts_with(&place(0, column, 2)), "{message}");
    assert!(message.contains(words), "no {words:?} in {message}");
}

#[test]
fn codes_that_are_none_are_refused() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        // five bits, so that up to 31 fits
        let beyond = changed(WORD, version, |body| body[2..].fill(0xff));
        refused(&beyond, WORDS, "word", "it has a code that is none of the 17 of its dictionary");
        let wide = changed(WORD, version, |body| body[0] = 33);
        refused(&wide, WORDS, "word", "its codes have 33 bits, the most are 32");
        let short = changed(WORD, version, |body| body.truncate(20));
        refused(&short, WORDS, "word", "RLE: the input ends");
        let none = changed(WORD, version, |body| body.truncate(0));
        refused(&none, WORDS, "word", "RLE: the input ends");
    }
}

#[test]
fn levels_that_are_none_are_refused() {
    let long = changed(PART, WriterVersion::PARQUET_1_0, |body| body[..4].fill(0xff));
    refused(&long, PARTS, "part", "its levels end behind it");
    let short = changed(PART, WriterVersion::PARQUET_1_0, |body| body.truncate(3));
    refused(&short, PARTS, "part", "its levels end behind it");
    let empty = changed(PART, WriterVersion::PARQUET_1_0, |body| body[4] = 0);
    refused(&empty, PARTS, "part", "RLE: the run at byte 0 has no values");
}

/// Whatever a byte becomes: an error that names the file, or the rows that decoding first gives.
#[test]
fn a_byte_of_a_coded_page_changed() {
    let (on, mut random) = (engine(), Random::new(17));
    let off = Engine::builder().threads(2).encoded_filters(false).build().expect("an engine");
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (column, condition) in [(WORD, WORDS), (PART, PARTS)] {
            let length = document(version).row_groups[0][column].pages[2].body.len();
            for at in 0..length {
                let byte = random.next() as u8;
                let file = changed(column, version, |body| body[at] = byte);
                let context = format!("{version:?}, column {column}: byte {at} is {byte}");
                match (count(&on, &file, condition), count(&off, &file, condition)) {
                    (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{context}"),
                    (Ok(found), Err(message)) => panic!("{context}: {found} rows in place of: {message}"),
                    (Err(_), _) => {}
                }
            }
        }
    }
}
