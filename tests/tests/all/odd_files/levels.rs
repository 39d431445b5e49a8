//! Levels: in the deprecated encoding BIT_PACKED, above the greatest of their column, and in
//! disagreement with a neighbour's.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Fields};
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::WriterVersion;
use pelton_tests::document::{Document, Page, page_header};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::Value;

use super::{gives, refused};

const ROWS: usize = 100;

/// Returns whether a row of `part` has a value.
fn is_there(row: usize) -> bool {
    row % 3 != 1 && row % 10 != 4
}

/// `part` has nulls and a dictionary, `plain` the same values without, `word` the same rows as
/// texts; `pair` has both.
fn document(version: WriterVersion) -> Document {
    let id: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let part = (0..ROWS).map(|row| is_there(row).then_some(row as i32 % 10));
    let part: ArrayRef = Arc::new(part.collect::<Int32Array>());
    let word = (0..ROWS).map(|row| is_there(row).then(|| format!("w{row}")));
    let word: ArrayRef = Arc::new(word.collect::<StringArray>());
    let fields =
        Fields::from(vec![Field::new("x", DataType::Int32, true), Field::new("y", DataType::Utf8, true)]);
    let nulls = (0..ROWS).map(|row| row % 4 != 2).collect();
    let pair: ArrayRef = Arc::new(StructArray::new(fields, vec![part.clone(), word.clone()], Some(nulls)));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("id", id), ("part", part.clone()), ("plain", part), ("word", word), ("pair", pair)];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = small_pages(Compression::UNCOMPRESSED, 50, ROWS)
        .set_writer_version(version)
        .set_dictionary_enabled(false)
        .set_column_encoding("word".into(), Encoding::PLAIN)
        .set_column_dictionary_enabled("part".into(), true);
    let mut document = Document::parse(&parquet(&[batch], properties.build()));
    document.drop_page_index();
    document
}

const PART: usize = 1;
const PLAIN: usize = 2;
const WORD: usize = 3;
const Y: usize = 5;

/// Returns the data pages of a column.
fn pages(document: &mut Document, column: usize) -> impl Iterator<Item = &mut Page> {
    document.row_groups[0][column].pages.iter_mut().filter(|page| page.is_data())
}

/// Replaces the levels of a page of version 1, which have their length in front.
fn with_levels(page: &mut Page, levels: &[u8]) {
    let length = u32::from_le_bytes(page.body[..4].try_into().expect("four bytes")) as usize;
    let body = [levels, &page.body[4 + length..]].concat();
    page.claim(body.len() as i32);
    page.set_body(body);
}

/// From the highest bit of each byte, without a length in front (parquet-format, Encodings.md,
/// "Bit-packed (Deprecated)").
#[test]
fn bit_packed_levels_are_read_from_the_high_bit() {
    let mut document = document(WriterVersion::PARQUET_1_0);
    for column in [PART, PLAIN, WORD] {
        for (number, page) in pages(&mut document, column).enumerate() {
            let mut levels = vec![0u8; 7];
            (0..50)
                .filter(|row| is_there(number * 50 + row))
                .for_each(|row| levels[row / 8] |= 0x80 >> (row % 8));
            with_levels(page, &levels);
            // DataPageHeader.definition_level_encoding, 4 is BIT_PACKED
            page.header.inner(page_header::DATA_V1).set(3, Value::I32(4));
        }
    }
    let file = document.write();
    let sum: usize = (0..ROWS).filter(|&row| is_there(row)).map(|row| row % 10).sum();
    let count = (0..ROWS).filter(|&row| is_there(row)).count();
    for column in ["part", "plain"] {
        gives(&file, &format!("SELECT sum({column}) AS n FROM '$'"), "n", &[&sum.to_string()]);
        let query = format!("SELECT id FROM '$' WHERE {column} = 5 AND id < 40 ORDER BY id");
        gives(&file, &query, "id", &["5", "15", "35"]);
    }
    gives(&file, "SELECT count(word) AS n FROM '$' WHERE id >= 0", "n", &[&count.to_string()]);
    gives(&file, "SELECT word FROM '$' WHERE id = 99", "word", &["w99"]);
    gives(&file, "SELECT count(*) AS n FROM '$' WHERE part IS NULL", "n", &[&(ROWS - count).to_string()]);
    // cut short
    let page = &mut pages(&mut document, PLAIN).nth(1).expect("two pages");
    page.body.truncate(5);
    let body = page.body.clone();
    page.claim(5);
    page.set_body(body);
    refused(&document.write(), "SELECT plain FROM '$'", &["row group 0, column plain, page 1: ", "levels"]);
}

#[test]
fn levels_above_the_greatest_are_refused() {
    for (column, name) in [(PART, "part"), (PLAIN, "plain"), (WORD, "word")] {
        for run in [2, 3, 0x81] {
            let mut document = document(WriterVersion::PARQUET_1_0);
            let page = pages(&mut document, column).next().expect("a page");
            // a run of 50 times a level that one bit does not hold
            with_levels(page, &[2, 0, 0, 0, 100, run]);
            let words = [&format!("row group 0, column {name}, page "), "cannot decode"];
            refused(&document.write(), &format!("SELECT {name} FROM '$'"), &words);
            let query = format!("SELECT id FROM '$' WHERE {name} IS NOT NULL");
            let query = if name == "word" { query } else { format!("SELECT id FROM '$' WHERE {name} < 5") };
            refused(&document.write(), &query, &words);
        }
    }
}

#[test]
fn levels_in_other_encodings_are_refused() {
    for encoding in [0, 5, 8] {
        let mut document = document(WriterVersion::PARQUET_1_0);
        let page = pages(&mut document, PLAIN).next().expect("a page");
        page.header.inner(page_header::DATA_V1).set(3, Value::I32(encoding));
        let words = ["row group 0, column plain, page 0: ", "its definition levels are in"];
        refused(&document.write(), "SELECT plain FROM '$'", &words);
    }
}

/// Every field of a struct tells alike whether the struct is null.
#[test]
fn leaves_of_a_struct_that_disagree_are_refused() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let mut document = document(version);
        gives(&document.write(), "SELECT count(pair) AS n FROM '$' WHERE id >= 0", "n", &["75"]);
        let page = pages(&mut document, Y).next().expect("a page");
        match version {
            // no struct is null, but its field is
            WriterVersion::PARQUET_1_0 => with_levels(page, &[2, 0, 0, 0, 100, 1]),
            WriterVersion::PARQUET_2_0 => {
                let header = page.header.inner(page_header::DATA_V2);
                let length = header.int(5) as usize;
                header.set(5, Value::I32(2));
                header.set(2, Value::I32(50));
                let body = [&[100, 1], &page.body[length..]].concat();
                page.claim(body.len() as i32);
                page.set_body(body);
            }
        }
        let words = ["row group 0, column pair.y, page ", "other nulls or lists around its values"];
        refused(&document.write(), "SELECT pair FROM '$'", &words);
    }
}
