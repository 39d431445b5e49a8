//! Unusual footers of real writers.

use std::sync::Arc;

use arrow::array::*;
use parquet::basic::Compression;
use pelton_tests::document::{Document, column, file_metadata, page_header, row_group};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::{Struct, Value};

use super::{gives, texts, with_footer};
use crate::support::{Scratch, engine, sql};

/// `ColumnChunk.meta_data`, `FileMetaData.created_by`, `ColumnMetaData.encodings`.
const META_DATA: i16 = 3;
const CREATED_BY: i16 = 6;
const ENCODINGS: i16 = 2;

/// Thrift types.
const I16: u8 = 4;
const I64: u8 = 6;

fn file(has_dictionary: bool) -> Vec<u8> {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..40));
    let word: ArrayRef = Arc::new(StringArray::from_iter_values((0..40).map(|row| ["p", "q", "r"][row % 3])));
    let batch = RecordBatch::try_from_iter([("id", id), ("word", word)]).expect("columns of one length");
    let properties = small_pages(Compression::SNAPPY, 10, 20).set_dictionary_enabled(has_dictionary);
    parquet(&[batch], properties.build())
}

/// Changes the footer's metadata of each column chunk.
fn chunks(footer: &mut Struct, mut change: impl FnMut(&mut Struct)) {
    for group in footer.list(file_metadata::ROW_GROUPS) {
        for chunk in group.fields().list(row_group::COLUMNS) {
            change(chunk.fields().inner(META_DATA));
        }
    }
}

fn read(file: &[u8]) {
    gives(file, "SELECT count(*) AS n, sum(id) AS s, max(word) AS m FROM '$'", "s", &["780"]);
    gives(file, "SELECT count(*) AS n FROM '$'", "n", &["40"]);
    gives(file, "SELECT id FROM '$' WHERE word = 'q' AND id < 9 ORDER BY id", "id", &["1", "4", "7"]);
}

#[test]
fn a_dictionary_at_offset_zero_is_none() {
    let odd = with_footer(&file(false), |footer| {
        chunks(footer, |meta| meta.set(column::DICTIONARY_PAGE_OFFSET, Value::I64(0)));
    });
    read(&odd);
}

/// The compact protocol writes integers of all widths alike, and some writers name another width
/// than the format.
#[test]
fn integers_of_other_widths() {
    for kind in [I16, I64] {
        let odd = with_footer(&file(true), |footer| {
            chunks(footer, |meta| {
                let values: Vec<i64> = meta.list(ENCODINGS).iter().map(Value::int).collect();
                let values = values.into_iter().map(|value| match kind {
                    I16 => Value::I16(value as i16),
                    _ => Value::I64(value),
                });
                meta.set(ENCODINGS, Value::List(kind, values.collect()));
                // SizeStatistics; the histograms of levels are lists
                let levels = Value::List(I16, vec![Value::I16(20)]);
                meta.set(16, Value::Struct(Struct(vec![(3, levels)])));
            });
        });
        read(&odd);
    }
    let mut document = Document::parse(&file(true));
    for page in document.pages() {
        for field in [page_header::PAGE_TYPE, page_header::UNCOMPRESSED_SIZE, page_header::COMPRESSED_SIZE] {
            let value = page.header.int(field);
            page.header.set(field, Value::I64(value));
        }
        for body in [page_header::DATA_V1, page_header::DICTIONARY] {
            if page.header.get(body).is_some() {
                let values = page.header.inner(body).int(1);
                page.header.inner(body).set(1, Value::I64(values));
            }
        }
    }
    read(&document.write());
}

#[test]
fn no_rows_in_the_footer_and_some_in_its_row_groups() {
    let odd = with_footer(&file(true), |footer| footer.set(file_metadata::NUM_ROWS, Value::I64(0)));
    read(&odd);
    // another count that does not add up is no such writer's
    let odd = with_footer(&file(true), |footer| footer.set(file_metadata::NUM_ROWS, Value::I64(39)));
    super::refused(&odd, "SELECT * FROM '$'", &["the footer says 39 rows, its row groups 40"]);
}

/// parquet-mr before 1.2.9 left the header of the dictionary page out of the sizes of its chunk.
#[test]
fn chunks_without_the_header_of_their_dictionary() {
    let short = |created_by: &str| {
        let mut document = Document::parse(&file(true));
        document.drop_page_index();
        with_footer(&document.write(), |footer| {
            footer.set(CREATED_BY, Value::Binary(created_by.as_bytes().to_vec()));
            chunks(footer, |meta| {
                for field in [column::COMPRESSED_SIZE, column::UNCOMPRESSED_SIZE] {
                    let size = meta.int(field);
                    meta.set(field, Value::I64(size - 15));
                }
            });
        })
    };
    read(&short("parquet-mr version 1.2.8 (build abc)"));
    read(&short("parquet-mr"));
    let words = ["row group 0, column id, page 2: ", "bad page header"];
    super::refused(&short("parquet-mr version 1.2.9"), "SELECT * FROM '$'", &words);
}

/// `5%+2` has no escape: a plus sign is no hexadecimal digit.
#[test]
fn names_of_folders() {
    let scratch = Scratch::new();
    for folder in ["city=5%+2", "city=a%20b", "city=__HIVE_DEFAULT_PARTITION__", "city=100%"] {
        scratch.write(&format!("t/{folder}/a.parquet"), &file(true));
    }
    let ask = |what: &str| {
        let query = format!("SELECT {what} AS c FROM '{}' GROUP BY city ORDER BY city", scratch.name("t"));
        texts(&sql(&engine(), &query).expect("a table"), "c")
    };
    assert_eq!(ask("city"), ["100%", "5%+2", "a b", "NULL"]);
    assert_eq!(ask("count(*)"), ["40"; 4]);
    // NULL is no value
    let query = format!("SELECT count(DISTINCT city) AS c FROM '{}'", scratch.name("t"));
    assert_eq!(texts(&sql(&engine(), &query).expect("a table"), "c"), ["3"]);
}
