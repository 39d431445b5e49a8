//! Sizes and counts that lie, in page headers, footers and page indexes.

use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_tests::document::{Document, column, file_metadata, page_header, row_group};
use pelton_tests::file::parquet;
use pelton_tests::thrift::{Struct, Value};

use super::{ID, PART, WORD, chunk, place, plain_document, properties, refused, sample, sample_file};
use crate::support::{Scratch, engine, sql};

/// Thrift types of 32 and 64 bits, for integers that are longer than their type.
const I32: u8 = 5;

#[test]
fn a_page_that_claims_two_gigabytes_is_refused() {
    for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(Default::default())] {
        let mut document = plain_document(codec);
        chunk(&mut document, 1, WORD).pages[1].claim(i32::MAX);
        refused(
            &document.write(),
            &[&place(1, "word", 1), "it claims 2147483647 bytes, its whole chunk has"],
        );
    }
}

#[test]
fn a_page_that_claims_four_gigabytes_is_refused() {
    // as an unsigned 32-bit size it is a negative number to Thrift
    let mut document = plain_document(Compression::SNAPPY);
    chunk(&mut document, 0, ID).pages[0].claim(-1);
    refused(&document.write(), &[&place(0, "id", 0), "its uncompressed size is -1"]);
    // and a larger one does not fit its type: its zigzag code is out of range
    let mut document = plain_document(Compression::SNAPPY);
    let long = Value::Raw(I32, vec![0x80, 0x80, 0x80, 0x80, 0x20]);
    chunk(&mut document, 0, ID).pages[0].header.set(page_header::UNCOMPRESSED_SIZE, long);
    refused(&document.write(), &[&place(0, "id", 0), "an integer is too long"]);
}

#[test]
fn a_page_larger_than_its_chunk_is_refused() {
    for size in [1_000_000, i32::MAX] {
        let mut document = plain_document(Compression::SNAPPY);
        chunk(&mut document, 0, PART).pages[2].header.set(page_header::COMPRESSED_SIZE, Value::I32(size));
        refused(
            &document.write(),
            &[&place(0, "part", 2), &format!("the page is {size} bytes, its chunk has")],
        );
    }
    let mut document = plain_document(Compression::SNAPPY);
    chunk(&mut document, 0, PART).pages[2].header.set(page_header::COMPRESSED_SIZE, Value::I32(-5));
    refused(&document.write(), &[&place(0, "part", 2), "its compressed size is -5"]);
}

#[test]
fn a_page_smaller_or_larger_than_it_claims_is_refused() {
    for (_, codec) in pelton_tests::file::codecs() {
        for difference in [-1, 1] {
            let mut document = plain_document(codec);
            let page = &mut chunk(&mut document, 1, ID).pages[0];
            let size = page.header.int(page_header::UNCOMPRESSED_SIZE) as i32;
            page.claim(size + difference);
            refused(&document.write(), &[&place(1, "id", 0)]);
        }
    }
}

/// Returns the struct in a page's header that is for its type.
fn body(header: &mut Struct, id: i16) -> &mut Struct {
    header.inner(id)
}

#[test]
fn a_page_with_another_number_of_values_is_refused() {
    // num_values is field 1 of DataPageHeader
    for values in [0, 99, 101, i32::MAX, -1] {
        let mut document = plain_document(Compression::SNAPPY);
        let page = &mut chunk(&mut document, 0, ID).pages[1];
        body(&mut page.header, page_header::DATA_V1).set(1, Value::I32(values));
        refused(&document.write(), &["row group 0, column id, page "]);
    }
}

#[test]
fn a_dictionary_that_claims_more_values_than_bytes_is_refused() {
    for values in [1_000, i32::MAX] {
        let mut document = Document::parse(&sample_file(Compression::SNAPPY));
        let page = &mut chunk(&mut document, 0, WORD).pages[0];
        body(&mut page.header, page_header::DICTIONARY).set(1, Value::I32(values));
        refused(&document.write(), &[&place(0, "word", 0), &format!("{values} dictionary values")]);
    }
}

fn version_two(codec: Compression) -> Document {
    let properties = properties(codec).set_writer_version(WriterVersion::PARQUET_2_0);
    Document::parse(&parquet(&[sample()], properties.build()))
}

#[test]
fn levels_longer_than_their_page_are_refused() {
    // DataPageHeaderV2: 5 bytes of definition levels, 6 of repetition levels
    for field in [5, 6] {
        for length in [1_000_000, i32::MAX, -1] {
            let mut document = version_two(Compression::SNAPPY);
            let page = chunk(&mut document, 0, PART)
                .pages
                .iter_mut()
                .find(|page| page.is_data())
                .expect("a data page");
            body(&mut page.header, page_header::DATA_V2).set(field, Value::I32(length));
            refused(&document.write(), &["row group 0, column part, page ", "levels is"]);
        }
    }
}

#[test]
fn rows_and_nulls_that_lie_in_version_two_pages_never_give_other_rows() {
    // DataPageHeaderV2: 2 nulls, 3 rows
    for (field, value) in [(2, 0), (2, 100), (2, i32::MAX), (3, 0), (3, 99), (3, i32::MAX)] {
        let mut document = version_two(Compression::SNAPPY);
        let page =
            chunk(&mut document, 0, PART).pages.iter_mut().find(|page| page.is_data()).expect("a data page");
        body(&mut page.header, page_header::DATA_V2).set(field, Value::I32(value));
        let scratch = Scratch::new();
        let path = scratch.write("lie.parquet", &document.write());
        match crate::support::read(&engine(), &path) {
            Ok(rows) => {
                pelton_tests::compare::assert_same(&rows, &[sample()], &format!("field {field} is {value}"))
            }
            Err(message) => assert!(message.contains("row group 0, column part"), "{message}"),
        }
    }
}

#[test]
fn strings_longer_than_their_page_are_refused() {
    // a plain byte array starts with its length; in front of the first are the definition levels,
    // if any
    for length in [200u32, 100_000, u32::MAX] {
        let mut document = plain_document(Compression::UNCOMPRESSED);
        let page = &mut chunk(&mut document, 0, WORD).pages[2];
        page.body[..4].copy_from_slice(&length.to_le_bytes());
        refused(&document.write(), &[&place(0, "word", 2), "cannot decode"]);
    }
}

/// Changes one field of the first chunk's `ColumnMetaData`, of column `id` in row group 1.
fn with_meta(field: i16, value: i64) -> Vec<u8> {
    let mut document = plain_document(Compression::SNAPPY);
    document.drop_page_index();
    let file = document.write();
    // `write` would correct the size, so the footer is changed in the finished file
    let (mut footer, start) = pelton_tests::document::footer(&file);
    let group = footer.list(file_metadata::ROW_GROUPS)[1].fields();
    let chunk = group.list(row_group::COLUMNS)[0].fields();
    // ColumnChunk.meta_data
    chunk.inner(3).set(field, Value::I64(value));
    with_footer(&file[..start], &footer)
}

fn with_footer(pages: &[u8], footer: &Struct) -> Vec<u8> {
    let footer = footer.write();
    [pages, &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn a_chunk_outside_of_the_file_is_refused() {
    let chunk = "row group 1, column id: ";
    refused(
        &with_meta(column::COMPRESSED_SIZE, 1 << 40),
        &[chunk, "the file is truncated", "its chunk ends at byte"],
    );
    refused(&with_meta(column::COMPRESSED_SIZE, i64::MAX), &[chunk, "the file is truncated"]);
    refused(&with_meta(column::COMPRESSED_SIZE, -1), &[chunk, "negative"]);
    refused(&with_meta(column::DATA_PAGE_OFFSET, 1 << 40), &[chunk, "the file is truncated"]);
    refused(&with_meta(column::DATA_PAGE_OFFSET, i64::MAX), &[chunk]);
    refused(&with_meta(column::DATA_PAGE_OFFSET, -7), &[chunk, "negative"]);
    refused(&with_meta(column::DICTIONARY_PAGE_OFFSET, i64::MIN), &[chunk, "negative"]);
    refused(&with_meta(column::UNCOMPRESSED_SIZE, -1), &[chunk, "negative"]);
    refused(&with_meta(column::NUM_VALUES, -1), &[chunk, "negative"]);
    refused(&with_meta(column::NUM_VALUES, 1 << 50), &[chunk, "values, the row group 300 rows"]);
    refused(&with_meta(column::COMPRESSED_SIZE, 10), &["row group 1, column id, page 0: "]);
}

#[test]
fn row_counts_that_do_not_add_up_are_refused() {
    for rows in [-1, 0, 299, 301, i64::MAX] {
        let mut document = plain_document(Compression::SNAPPY);
        document.row_group(1).set(row_group::NUM_ROWS, Value::I64(rows));
        refused(&document.write(), &["row group 1"]);
    }
    // zero is the value of writers that do not know (`odd_files::footers`)
    for rows in [-1, 599, i64::MAX] {
        let mut document = plain_document(Compression::SNAPPY);
        document.footer.set(file_metadata::NUM_ROWS, Value::I64(rows));
        refused(&document.write(), &[&format!("the footer says {rows} rows")]);
    }
}

/// Returns a file with row counts that agree with each other on a number impossible for its pages.
fn with_rows(rows: i64) -> Vec<u8> {
    let mut document = plain_document(Compression::SNAPPY);
    document.row_groups.truncate(1);
    document.footer.list(file_metadata::ROW_GROUPS).truncate(1);
    document.drop_page_index();
    document.row_group(0).set(row_group::NUM_ROWS, Value::I64(rows));
    document.footer.set(file_metadata::NUM_ROWS, Value::I64(rows));
    for column in [ID, WORD, PART] {
        chunk(&mut document, 0, column).meta().set(column::NUM_VALUES, Value::I64(rows));
    }
    document.write()
}

#[test]
fn a_footer_that_claims_more_rows_than_there_are_is_refused() {
    for rows in [301, 1 << 33, 1 << 62] {
        refused(&with_rows(rows), &["row group 0, column ", "values"]);
        let scratch = Scratch::new();
        let path = scratch.write("rows.parquet", &with_rows(rows));
        let query = format!("SELECT sum(id) FROM '{path}' WHERE part > 7");
        let message = sql(&engine(), &query).expect_err("rows that are not there");
        // a count beyond any file of its size is refused before the pages are read
        let column = if rows == 1 << 62 { "column id" } else { "column part" };
        assert!(message.contains(&format!("row group 0, {column}")), "{message}");
    }
}

#[test]
fn a_footer_that_claims_fewer_rows_than_there_are_is_refused() {
    refused(&with_rows(150), &["row group 0, column ", "the pages hold 200 values, the footer says 150"]);
}

/// Bounds of pages can't be checked without the pages, but their number has to be that of the
/// pages.
#[test]
fn column_indexes_of_another_length_are_not_used() {
    // fields of ColumnIndex: null_pages, min_values, max_values, null_counts
    let scratch = Scratch::new();
    let engine = engine();
    let honest = scratch.write("honest.parquet", &plain_document(Compression::SNAPPY).write());
    for field in [1, 2, 3, 5] {
        for length in [0, 1, 2, 4, 50] {
            let mut document = plain_document(Compression::SNAPPY);
            for column in [ID, PART] {
                let index =
                    chunk(&mut document, 0, column).column_index.as_mut().expect("the writer makes one");
                let list = index.list(field);
                let last = list[0].clone();
                list.resize(length, last);
            }
            let path = scratch.write("index.parquet", &document.write());
            for condition in
                ["id >= 120 AND id < 180", "part = 1267", "part IS NULL", "part IS NOT NULL AND id > 7"]
            {
                let query = |path: &str| format!("SELECT * FROM '{path}' WHERE {condition}");
                let expected = sql(&engine, &query(&honest)).expect("the file is good");
                match sql(&engine, &query(&path)) {
                    Ok(rows) => {
                        let context = format!("field {field} of {length} entries, {condition}");
                        pelton_tests::compare::assert_same(&rows, &expected, &context);
                    }
                    Err(message) => crate::support::check_message(&message),
                }
            }
        }
    }
}

#[test]
fn page_indexes_that_lie_are_refused_or_not_used() {
    // fields of PageLocation: offset, compressed_page_size, first_row_index
    type Lie = fn(&mut Vec<Value>);
    let lies: [(&str, Lie); 9] = [
        ("offset in front", |pages| pages[1].fields().set(1, Value::I64(0))),
        ("negative offset", |pages| pages[1].fields().set(1, Value::I64(-1))),
        ("offset far behind", |pages| pages[1].fields().set(1, Value::I64(i64::MAX - 10))),
        ("huge size", |pages| pages[1].fields().set(2, Value::I32(i32::MAX))),
        ("negative size", |pages| pages[1].fields().set(2, Value::I32(-3))),
        ("rows out of order", |pages| pages[1].fields().set(3, Value::I64(250))),
        ("rows beyond the end", |pages| pages[2].fields().set(3, Value::I64(1 << 60))),
        ("other rows", |pages| pages[1].fields().set(3, Value::I64(90))),
        ("too few pages", |pages| pages.truncate(1)),
    ];
    let scratch = Scratch::new();
    let engine = engine();
    for (name, lie) in lies {
        let mut document = plain_document(Compression::SNAPPY);
        let file = document.write();
        // offsets are made to fit when a document is written: the lie goes into the finished file
        let chunk = chunk(&mut document, 0, ID);
        let index = chunk.offset_index.as_mut().expect("the writer makes one");
        let (mut footer, start) = pelton_tests::document::footer(&file);
        let entry = footer.list(file_metadata::ROW_GROUPS)[0].fields().list(row_group::COLUMNS)[0].fields();
        // ColumnChunk: 4 offset_index_offset, 5 offset_index_length
        let at = entry.int(4) as usize;
        *index = Struct::read(&file[at..]).0;
        lie(index.list(1));
        let bytes = index.write();
        entry.set(4, Value::I64(start as i64));
        entry.set(5, Value::I32(bytes.len() as i32));
        let path = scratch.write("index.parquet", &with_footer(&[&file[..start], &bytes].concat(), &footer));
        for query in [
            "SELECT id, word, part FROM '$' WHERE id >= 120 AND id < 180",
            "SELECT * FROM '$' WHERE part = 1267",
        ] {
            let query = query.replace('$', &path);
            let honest = query.replace(&path, &scratch.write("honest.parquet", &file));
            let honest = sql(&engine, &honest).expect("the file is good");
            match sql(&engine, &query) {
                Ok(rows) => pelton_tests::compare::assert_same(&rows, &honest, name),
                Err(message) => {
                    crate::support::check_message(&message);
                    assert!(message.contains("row group 0, column id"), "{name}: {message}");
                }
            }
        }
    }
}
