//! Data pages without values: in front of others, between them and behind them.

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Fields, Int32Type};
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::WriterVersion;
use parquet::schema::types::ColumnPath;
use pelton_tests::compare::assert_same;
use pelton_tests::document::{Chunk, Document, Page, page_header};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::Value;

use super::ways;
use crate::support::{Scratch, rows, sql};

const ROWS: i32 = 90;

/// Returns columns of every kind of decoder: dictionary indices, plain numbers and strings, delta
/// encodings, lists and structs.
fn batch() -> RecordBatch {
    let ids = || 0..ROWS;
    let id: ArrayRef = Arc::new(Int32Array::from_iter_values(ids()));
    let part: ArrayRef = Arc::new(ids().map(|row| (row % 3 != 0).then_some(row)).collect::<Int32Array>());
    let text = |row: i32| format!("text {}", row % 11);
    let word: ArrayRef = Arc::new(ids().map(|row| Some(text(row))).collect::<StringArray>());
    let maybe: ArrayRef =
        Arc::new(ids().map(|row| (row % 4 > 0).then(|| text(row))).collect::<StringArray>());
    let flag: ArrayRef = Arc::new(ids().map(|row| Some(row % 5 == 0)).collect::<BooleanArray>());
    let lists = ids().map(|row| (row % 7 > 0).then(|| (0..row % 4).map(Some).collect::<Vec<_>>()));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
    let fields =
        Fields::from(vec![Field::new("x", DataType::Int32, true), Field::new("y", DataType::Utf8, true)]);
    let pair: ArrayRef = Arc::new(StructArray::new(fields, vec![part.clone(), maybe.clone()], None));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", id.clone()),
        ("part", part),
        ("coded", word.clone()),
        ("plain", word.clone()),
        ("lengths", maybe.clone()),
        ("front", word),
        ("deltas", id),
        ("flag", flag),
        ("list", list),
        ("pair", pair),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn document(version: WriterVersion) -> Document {
    let mut properties = small_pages(Compression::UNCOMPRESSED, 10, 45)
        .set_writer_version(version)
        .set_dictionary_enabled(false);
    let path = |name: &str| ColumnPath::from(name);
    properties = properties
        .set_column_dictionary_enabled(path("coded"), true)
        .set_column_encoding(path("plain"), Encoding::PLAIN)
        .set_column_encoding(path("lengths"), Encoding::DELTA_LENGTH_BYTE_ARRAY)
        .set_column_encoding(path("front"), Encoding::DELTA_BYTE_ARRAY)
        .set_column_encoding(path("deltas"), Encoding::DELTA_BINARY_PACKED);
    Document::parse(&parquet(&[batch()], properties.build()))
}

/// Returns a page of no values like another one.
fn emptied(page: &Page) -> Page {
    let mut page = page.clone();
    let body = if page.header.int(page_header::PAGE_TYPE) == 3 {
        // DataPageHeaderV2: values, nulls, rows, bytes of definition and of repetition levels
        let header = page.header.inner(page_header::DATA_V2);
        [1, 2, 3, 5, 6].into_iter().for_each(|field| header.set(field, Value::I32(0)));
        Vec::new()
    } else {
        page.header.inner(page_header::DATA_V1).set(1, Value::I32(0));
        // levels of no bytes, should there be levels
        vec![0; 4]
    };
    page.claim(body.len() as i32);
    page.set_body(body);
    page
}

/// Puts an empty page in front of each data page, and two behind the last.
fn with_empty_pages(chunk: &mut Chunk) {
    let mut pages = Vec::new();
    for page in chunk.pages.drain(..) {
        if page.is_data() {
            pages.push(emptied(&page));
        }
        pages.push(page);
    }
    let last = emptied(&pages[pages.len() - 1]);
    pages.extend([last.clone(), last]);
    chunk.pages = pages;
    chunk.column_index = None;
    if let Some(index) = &mut chunk.offset_index {
        let locations = index.list(1);
        let mut end = locations[locations.len() - 1].clone();
        // PageLocation.first_row_index
        end.fields().set(3, Value::I64(45));
        let doubled = locations.drain(..).flat_map(|location| [location.clone(), location]);
        *locations = doubled.collect::<Vec<_>>().into_iter().chain([end.clone(), end]).collect();
    }
}

#[test]
fn they_are_passed_over() {
    let scratch = Scratch::new();
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for has_index in [true, false] {
            let mut document = document(version);
            if !has_index {
                document.drop_page_index();
            }
            let sound = scratch.write("sound.parquet", &document.write());
            document.row_groups.iter_mut().flatten().for_each(with_empty_pages);
            let odd = scratch.write("odd.parquet", &document.write());
            for rest in [
                "ORDER BY id",
                "WHERE id BETWEEN 17 AND 61 ORDER BY id",
                "WHERE coded = 'text 3' ORDER BY id",
                "WHERE part IS NULL AND front > 'text 4' ORDER BY id",
                "WHERE id IN (3, 44, 45, 89) ORDER BY id",
            ] {
                for (way, engine) in ways() {
                    let ask = |path: &str| sql(engine, &format!("SELECT * FROM '{path}' {rest}"));
                    let context = format!("{version:?}, index {has_index}, {way}: {rest}");
                    let found = ask(&odd).unwrap_or_else(|e| panic!("{context}: {e}"));
                    let expected = ask(&sound).expect("a good file");
                    assert!(rows(&expected) > 0, "{context}");
                    assert_same(&found, &expected, &context);
                }
            }
        }
    }
}

/// Pages of version 2 say how many rows they have.
#[test]
fn values_without_rows_are_refused() {
    for (column, name, rows, words) in
        [(8, "list.list.item", 0, "values in 0 rows"), (0, "id", 9, "it has 10 values in 9 rows")]
    {
        let mut document = document(WriterVersion::PARQUET_2_0);
        document.drop_page_index();
        let page = &mut document.row_groups[0][column].pages[1];
        page.header.inner(page_header::DATA_V2).set(3, Value::I32(rows));
        let place = format!("row group 0, column {name}, page 1: ");
        super::refused(&document.write(), "SELECT * FROM '$'", &[&place, words]);
    }
}
