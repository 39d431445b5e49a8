//! Statistics, page index and bloom filters: they exist, they are right, and they rule rows
//! out.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytes::Bytes;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;

use super::{PACKINGS, options, write};
use crate::support::{Scratch, engine, rows, with_totals};

/// Three row groups of several pages each: a sorted number, one of few values that are far apart,
/// texts of few and of many values.
const ROWS: i64 = 150_000;
const GROUP: usize = 50_000;

fn table() -> RecordBatch {
    let sorted: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let apart: ArrayRef =
        Arc::new(Int64Array::from_iter_values((0..ROWS).map(|i| i * 7919 % 1000 * 1_000_000)));
    let few: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..ROWS).map(|i| format!("word {}", i * 31 % 400 * 2))));
    let many: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..ROWS).map(|i| format!("text {:016x}", (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))),
    ));
    RecordBatch::try_from_iter([("sorted", sorted), ("apart", apart), ("few", few), ("many", many)])
        .expect("columns of one length")
}

#[test]
fn what_readers_prune_by_is_there_and_small() {
    let engine = engine();
    let batch = table();
    for packing in PACKINGS {
        let file = Bytes::from(write(
            &engine,
            &batch.schema(),
            std::slice::from_ref(&batch),
            options(packing, GROUP, 2),
        ));
        let metadata = ParquetMetaDataReader::new()
            .with_page_index_policy(PageIndexPolicy::Required)
            .parse_and_finish(&file)
            .expect("a good footer, and indexes");
        let offsets = metadata.offset_index().expect("an offset index");
        for (group, offsets) in metadata.row_groups().iter().zip(offsets) {
            for (column, index) in group.columns().iter().zip(offsets) {
                assert!(column.statistics().is_some_and(|s| s.min_bytes_opt().is_some()), "{packing:?}");
                let pages = index.page_locations();
                assert!(pages.len() > 1, "{packing:?}: {} has one page", column.column_path());
                assert_eq!(pages[0].offset, column.data_page_offset());
                let (start, length) = column.byte_range();
                let end = pages.last().map(|page| page.offset + i64::from(page.compressed_page_size));
                assert_eq!(end, Some((start + length) as i64), "{packing:?}: {}", column.column_path());
                assert!(
                    pages
                        .windows(2)
                        .all(|p| p[0].offset + i64::from(p[0].compressed_page_size) == p[1].offset)
                );
            }
        }
        let filtered: Vec<bool> =
            metadata.row_group(0).columns().iter().map(|c| c.bloom_filter_offset().is_some()).collect();
        assert_eq!(
            filtered,
            [false, true, true, false],
            "{packing:?}: of those that kept their dictionaries"
        );
        let filters: i32 = metadata
            .row_groups()
            .iter()
            .flat_map(|g| g.columns())
            .filter_map(|c| c.bloom_filter_length())
            .sum();
        assert!((filters as usize) < file.len() / 20, "{packing:?}: {filters} of {} bytes", file.len());
    }
}

#[test]
fn filters_know_what_is_there() {
    let engine = engine();
    let batch = table();
    let file = write(&engine, &batch.schema(), std::slice::from_ref(&batch), options(PACKINGS[2], GROUP, 2));
    let properties =
        parquet::file::properties::ReaderProperties::builder().set_read_bloom_filter(true).build();
    let with_filters = ReadOptionsBuilder::new().with_reader_properties(properties).build();
    let reader =
        SerializedFileReader::new_with_options(Bytes::from(file), with_filters).expect("a good file");
    for group in 0..3 {
        let group = reader.get_row_group(group).expect("a row group");
        let (apart, few) = (group.get_column_bloom_filter(1), group.get_column_bloom_filter(2));
        let (apart, few) = (apart.expect("a filter"), few.expect("a filter"));
        assert!((0..1000i64).all(|i| apart.check(&(i * 1_000_000))));
        assert!((0..400).all(|i| few.check(format!("word {}", i * 2).as_str())));
        let wrong = (0..1000i64).filter(|i| apart.check(&(i * 1_000_000 + 1))).count();
        assert!(wrong < 50, "{wrong} of 1000 that are not there");
    }
}

#[test]
fn without_filters_there_are_none() {
    let engine = engine();
    let batch = table();
    let mut chosen = options(PACKINGS[1], GROUP, 1);
    chosen.bloom_filters = false;
    let file = write(&engine, &batch.schema(), std::slice::from_ref(&batch), chosen);
    let reader = SerializedFileReader::new(Bytes::from(file)).expect("a good file");
    let columns = reader.metadata().row_groups().iter().flat_map(|group| group.columns());
    assert!(columns.into_iter().all(|column| column.bloom_filter_offset().is_none()));
}

#[test]
fn scans_rule_rows_out() {
    let (engine, scratch) = (engine(), Scratch::new());
    let batch = table();
    let file = write(&engine, &batch.schema(), &[batch], options(PACKINGS[2], GROUP, 2));
    let path = scratch.write("table.parquet", &file);
    let (found, totals) = with_totals(&engine, &format!("SELECT many FROM '{path}' WHERE sorted = 70007"));
    assert_eq!((rows(&found), totals.row_groups_pruned), (1, 2), "statistics");
    assert!(totals.pages_skipped > 0 && totals.rows_decoded < GROUP as u64, "page index: {totals:?}");
    let (found, totals) = with_totals(&engine, &format!("SELECT many FROM '{path}' WHERE few = 'word 7'"));
    assert_eq!((rows(&found), totals.row_groups_pruned), (0, 3), "bloom filters");
}
