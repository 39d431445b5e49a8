//! Every codec, version of pages and shape of column, with further content of a file: values stay,
//! and so does everything in headers and footer except places, sizes and the codec.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BinaryArray, Int64Array, RecordBatch};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::basic::Compression;
use parquet::file::metadata::{KeyValue, PageIndexPolicy};
use parquet::file::properties::WriterVersion;
use parquet::file::reader::{FileReader, SerializedFileReader};
use pelton::Engine;
use pelton_pages::header;
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat, nested};
use pelton_tests::compare::assert_same;
use pelton_tests::document::{Document, column, file_metadata, page_header, row_group};
use pelton_tests::file::{codecs, parquet, small_pages};
use pelton_tests::thrift::{Struct, Value};

use super::{GZIP, GZIP_4K, PACKINGS, largest_distance, repack, rows};
use crate::support::{Scratch, read, with_totals};

const MARK: &str = "pelton.deflate.window";

/// Content of a file in addition to values.
#[derive(Clone, Copy, Debug)]
enum Extras {
    /// Page index and bloom filters.
    Indexes,
    /// A CRC-32 for each page, no page index, and fields in its headers and footer that the format
    /// does not have.
    Checksums,
}

fn source(batch: &RecordBatch, codec: Compression, version: WriterVersion, extras: Extras) -> Vec<u8> {
    let properties = small_pages(codec, 60, 200).set_writer_version(version);
    let user = vec![KeyValue::new("made by".to_owned(), "a test".to_owned())];
    let properties = properties.set_key_value_metadata(Some(user));
    match extras {
        Extras::Indexes => {
            let file =
                parquet(std::slice::from_ref(batch), properties.set_bloom_filter_enabled(true).build());
            let with_filters = SerializedFileReader::new(Bytes::from(file.clone())).expect("a good file");
            let chunk = with_filters.metadata().row_group(0).column(0);
            assert!(chunk.bloom_filter_offset().is_some() && chunk.offset_index_offset().is_some());
            file
        }
        Extras::Checksums => {
            let mut document = Document::parse(&parquet(std::slice::from_ref(batch), properties.build()));
            document.drop_page_index();
            document.add_checksums();
            let unknown = || Value::Struct(Struct(vec![(3, Value::Binary(b"who knows".to_vec()))]));
            document.footer.set(70, unknown());
            document.pages().for_each(|page| page.header.set(40, unknown()));
            for chunk in document.row_groups.iter_mut().flatten() {
                chunk.meta().set(33, Value::List(5, vec![Value::I32(-7); 20]));
                chunk.chunk.set(90, Value::Double(*b"a double"));
            }
            document.write()
        }
    }
}

/// Sets a number to 0, if it exists.
fn blank(fields: &mut Struct, id: i16) {
    if fields.get(id).is_some() {
        fields.set(id, Value::I64(0));
    }
}

/// Describes a file without the parts that repacking may change.
fn lasting(file: &[u8]) -> String {
    let mut document = Document::parse(file);
    for group in document.footer.list(file_metadata::ROW_GROUPS) {
        let group = group.fields();
        group.list(row_group::COLUMNS).clear();
        // both sizes, and the first page's place
        for id in [2, 5, 6] {
            blank(group, id);
        }
    }
    // keys and values
    if document.footer.get(5).is_some() {
        document
            .footer
            .list(5)
            .retain_mut(|pair| pair.fields().get(1) != Some(&Value::Binary(MARK.as_bytes().to_vec())));
    }
    for chunk in document.row_groups.iter_mut().flatten() {
        chunk.chunk.set(2, Value::I64(0));
        let meta = chunk.meta();
        let places = [column::DATA_PAGE_OFFSET, column::DICTIONARY_PAGE_OFFSET];
        for id in
            [column::CODEC, column::UNCOMPRESSED_SIZE, column::COMPRESSED_SIZE].into_iter().chain(places)
        {
            blank(meta, id);
        }
        for location in chunk.offset_index.iter_mut().flat_map(|index| index.list(1)) {
            location.fields().set(1, Value::I64(0));
            location.fields().set(2, Value::I64(0));
        }
        for page in &mut chunk.pages {
            page.body.clear();
            page.header.set(page_header::COMPRESSED_SIZE, Value::I32(0));
            blank(&mut page.header, page_header::CRC);
            if page.header.get(page_header::DATA_V2).is_some() {
                page.header.inner(page_header::DATA_V2).remove(7);
            }
        }
    }
    format!("{document:?}")
}

/// Returns the bloom filters' bytes, one chunk after the other.
fn filters(file: &[u8]) -> Vec<Vec<u8>> {
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).expect("a good file");
    let chunks = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
    let filter = |offset: i64, length: i32| file[offset as usize..][..length as usize].to_vec();
    chunks.filter_map(|c| Some(filter(c.bloom_filter_offset()?, c.bloom_filter_length()?))).collect()
}

/// Sizes and places that a footer and an index give are those of the pages that are there.
fn check_places(file: &[u8], codec: i64, context: &str) {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(Bytes::copy_from_slice(file), options);
    let metadata = reader.expect("a good footer").metadata().clone();
    let mut end_of_last = 4;
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let (mut plain, mut packed) = (0, 0);
        assert_eq!(group.file_offset().unwrap_or(end_of_last), end_of_last, "{context}");
        for (leaf, chunk) in group.columns().iter().enumerate() {
            let (start, length) = chunk.byte_range();
            assert_eq!(start as i64, end_of_last, "{context}: chunks follow each other");
            end_of_last += length as i64;
            let mut at = start as usize;
            let mut data = Vec::new();
            let mut chunk_plain = 0;
            while at < (start + length) as usize {
                let (parsed, head) = header::parse(&file[at..]).expect(context);
                let header::Parsed::Page(page) = parsed else { panic!("{context}: another page") };
                if !matches!(page.kind, header::PageKind::Dictionary { .. }) {
                    data.push((at as i64, (head + page.compressed_size) as i32));
                }
                chunk_plain += (head + page.uncompressed_size) as i64;
                at += head + page.compressed_size;
            }
            assert_eq!(at, (start + length) as usize, "{context}");
            assert_eq!(chunk.uncompressed_size(), chunk_plain, "{context}");
            assert_eq!(data.first().map(|page| page.0), Some(chunk.data_page_offset()), "{context}");
            plain += chunk_plain;
            packed += length as i64;
            if let Some(offsets) = metadata.offset_index() {
                let locations = offsets[index][leaf].page_locations().iter();
                let found: Vec<_> = locations.map(|page| (page.offset, page.compressed_page_size)).collect();
                assert_eq!(found, data, "{context}");
            }
        }
        assert_eq!((group.total_byte_size(), group.compressed_size()), (plain, packed), "{context}");
    }
    for chunk in Document::parse(file).row_groups.iter_mut().flatten() {
        assert_eq!(chunk.meta().int(column::CODEC), codec, "{context}");
    }
}

fn check(engine: &Engine, scratch: &Scratch, batch: &RecordBatch, source: &[u8], context: &str) {
    let path = scratch.write("in.parquet", source);
    let expected = read(engine, &path).expect("a good file");
    for (packing, codec) in PACKINGS {
        let context = format!("{context} to {packing:?}");
        let packed = repack(engine, &path, packing).unwrap_or_else(|e| panic!("{context}: {e}"));
        let out = scratch.write("out.parquet", &packed);
        assert_same(&rows(&packed), std::slice::from_ref(batch), &context);
        let found = read(engine, &out).unwrap_or_else(|e| panic!("{context}: {e}"));
        assert_same(&found, &expected, &context);
        assert_eq!(lasting(&packed), lasting(source), "{context}");
        assert_eq!(filters(&packed), filters(source), "{context}");
        check_places(&packed, codec, &context);
        let (farthest, pages) = largest_distance(&packed);
        let has_values = batch.columns().iter().any(|column| column.null_count() < column.len());
        let is_gzip = packing == GZIP || packing == GZIP_4K;
        assert!(pages == 0 || is_gzip, "{context}");
        // a page of version 2 with a value or none is not made smaller
        assert!(pages > 0 || !is_gzip || !has_values || batch.num_rows() == 1, "{context}");
        assert!(packing != GZIP_4K || farthest <= 4096, "{context}: {farthest} back");
    }
}

fn every_file(make: fn(Shape) -> RecordBatch, nulls: f64) {
    let scratch = Scratch::new();
    let engine = Engine::builder().threads(2).verify_checksums(true).build().expect("an engine");
    let batch = make(Shape { rows: 450, nulls, distinct: 40, seed: 51 });
    for (name, codec) in codecs() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for extras in [Extras::Indexes, Extras::Checksums] {
                let file = source(&batch, codec, version, extras);
                check(&engine, &scratch, &batch, &file, &format!("{name}, {version:?}, {extras:?}"));
            }
        }
    }
}

#[test]
fn columns_of_every_type() {
    every_file(flat, 0.2);
}

#[test]
fn columns_without_nulls() {
    every_file(flat, 0.0);
}

#[test]
fn columns_with_children() {
    every_file(nested, 0.2);
}

#[test]
fn columns_of_nothing_but_nulls() {
    every_file(flat, 1.0);
}

/// `id` counts, `bytes` are some that hardly repeat.
fn numbered(rows: usize, bytes: usize) -> RecordBatch {
    let mut random = Random::new(54);
    let value = |_| (0..bytes).map(|_| random.below(40) as u8).collect::<Vec<_>>();
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..rows).map(value)));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    RecordBatch::try_from_iter([("id", ids), ("bytes", values)]).expect("columns of one length")
}

/// Pages that are found by the offset index, by parquet-rs and by Pelton.
#[test]
fn single_pages_are_found() {
    let scratch = Scratch::new();
    let engine = crate::support::engine();
    let batch = numbered(600, 300);
    let properties = small_pages(Compression::SNAPPY, 50, 300).build();
    let path = scratch.write("in.parquet", &parquet(std::slice::from_ref(&batch), properties));
    let packed = repack(&engine, &path, GZIP_4K).expect("a good file");
    let steps = [RowSelector::skip(410), RowSelector::select(20), RowSelector::skip(170)];
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(Bytes::from(packed.clone()), options);
    let reader = reader.expect("it has an index").with_row_selection(RowSelection::from(steps.to_vec()));
    let found: Vec<_> = reader.build().expect("a reader").collect::<Result<_, _>>().expect("good pages");
    assert_same(&found, &[batch.slice(410, 20)], "by parquet-rs");
    let out = scratch.write("out.parquet", &packed);
    for name in [&path, &out] {
        let query = format!("SELECT * FROM '{name}' WHERE id >= 410 AND id < 430");
        let (found, totals) = with_totals(&engine, &query);
        assert_same(&found, &[batch.slice(410, 20)], name);
        // of 24 pages, the row group's first is ruled out by statistics, and the others by the page
        // index
        assert!(totals.pages_read < 6, "{totals:?}");
    }
}

/// Files without rows, of one row, and with a page of more bytes than are read at a time.
#[test]
fn small_and_large_ones() {
    let scratch = Scratch::new();
    let engine = crate::support::engine();
    for (rows, bytes) in [(0, 0), (1, 10), (40, 250_000)] {
        let batch = numbered(rows, bytes);
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = small_pages(Compression::UNCOMPRESSED, 1 << 20, 1 << 20)
                .set_data_page_size_limit(1 << 30)
                .set_dictionary_enabled(false)
                .set_writer_version(version);
            let file = parquet(std::slice::from_ref(&batch), properties.build());
            let largest = Document::parse(&file).pages().map(|page| page.body.len()).max();
            assert_eq!(largest > Some(9 << 20), rows == 40, "{largest:?}");
            check(&engine, &scratch, &batch, &file, &format!("{rows} rows"));
        }
    }
}
