//! Raw pages of synthetic slots.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding};

use super::chunk;
use crate::error::{Cause, Place};
use crate::header::{PageHeader, PageKind};
use crate::load::fetch::{RowRanges, Slot, SlotState, Wanted};

fn header(kind: PageKind, values: u32, encoding: Encoding, plain: usize, packed: usize) -> PageHeader {
    PageHeader {
        kind,
        num_values: values,
        encoding,
        uncompressed_size: plain,
        compressed_size: packed,
        crc: None,
    }
}

const V1: PageKind = PageKind::DataV1 { definition_levels: Encoding::RLE, repetition_levels: Encoding::RLE };

fn v2(rows: u32, levels: u32) -> PageKind {
    PageKind::DataV2 {
        num_nulls: 0,
        num_rows: rows,
        definition_bytes: levels,
        repetition_bytes: 0,
        is_compressed: true,
    }
}

fn slot(page: usize, rows: std::ops::Range<usize>, header: PageHeader) -> Slot {
    let bytes = Bytes::from(vec![page as u8; header.compressed_size]);
    Slot { page, rows: Some(rows), state: SlotState::Read(header, bytes) }
}

fn dictionary() -> Slot {
    slot(0, 0..0, header(PageKind::Dictionary { is_sorted: false }, 2, Encoding::PLAIN, 8, 8))
}

#[test]
fn pages_that_were_skipped_are_left_out() {
    let coded = header(V1, 10, Encoding::RLE_DICTIONARY, 20, 20);
    let skipped = Slot { page: 2, rows: Some(10..20), state: SlotState::Skipped(None) };
    let slots = vec![dictionary(), slot(1, 0..10, coded), skipped, slot(3, 20..30, coded)];
    let chunk = chunk(4, Place::default(), Compression::UNCOMPRESSED, slots).unwrap();
    assert_eq!(chunk.leaf, 4);
    assert_eq!(chunk.dictionary.as_ref().unwrap().header.num_values, 2);
    let pages: Vec<_> = chunk.pages.iter().map(|page| (page.page, page.rows.clone())).collect();
    assert_eq!(pages, [(1, 0..10), (3, 20..30)]);
    assert_eq!(chunk.bytes(), 48);
}

#[test]
fn codes_need_a_dictionary() {
    let coded = header(V1, 10, Encoding::PLAIN_DICTIONARY, 20, 20);
    let error = chunk(0, Place::default(), Compression::SNAPPY, vec![slot(0, 0..10, coded)]).unwrap_err();
    assert_eq!(error.place.page, Some(0));
    assert!(matches!(error.cause, Cause::Decode(_)), "{error}");
}

#[test]
fn values_are_rows() {
    let odd = header(v2(9, 0), 10, Encoding::PLAIN, 40, 40);
    let error = chunk(0, Place::default(), Compression::SNAPPY, vec![slot(0, 0..9, odd)]).unwrap_err();
    assert!(matches!(error.cause, Cause::BadHeader(_)), "{error}");
}

#[test]
fn what_is_compressed_of_a_page() {
    let pages = vec![
        slot(1, 0..10, header(V1, 10, Encoding::PLAIN, 40, 20)),
        slot(2, 10..20, header(v2(10, 3), 10, Encoding::PLAIN, 43, 20)),
        slot(3, 20..30, header(v2(10, 3), 10, Encoding::PLAIN, 3, 5)),
    ];
    let packed = chunk(0, Place::default(), Compression::SNAPPY, pages.clone()).unwrap();
    let parts = |index: usize| {
        let body = packed.body(&packed.pages[index]).unwrap();
        (body.levels.map(|levels| levels.len()), body.values.len(), body.plain_size)
    };
    assert_eq!(parts(0), (None, 20, Some(40)));
    assert_eq!(parts(1), (Some(3), 17, Some(40)));
    // a page of nulls
    assert_eq!(parts(2), (Some(3), 0, None));
    let plain = chunk(0, Place::default(), Compression::UNCOMPRESSED, pages).unwrap();
    let error = plain.body(&plain.pages[0]).unwrap_err();
    assert!(matches!(error.cause, Cause::BadHeader(_)), "{error}");
}

#[test]
fn ranges_of_wanted_rows() {
    let wanted: RowRanges = vec![5..10, 20..30];
    for (rows, any, all) in [
        (0..5, false, false),
        (0..6, true, false),
        (6..9, true, true),
        (5..10, true, true),
        (9..21, true, false),
        (10..20, false, false),
        (29..31, true, false),
        (30..40, false, false),
        (7..7, false, true),
    ] {
        assert_eq!((wanted.any(&rows), wanted.all(&rows)), (any, all), "{rows:?}");
    }
}
