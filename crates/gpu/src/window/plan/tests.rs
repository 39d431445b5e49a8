//! Tiles and hints of made-up rows.

use bytes::Bytes;
use parquet::basic::Encoding;
use pelton_pages::header::{PageHeader, PageKind};
use pelton_pages::raw::RawPage;

use super::{hints, tiles};
use crate::window::layout::Tile;

fn page(rows: std::ops::Range<usize>) -> RawPage {
    let kind = PageKind::DataV1 { definition_levels: Encoding::RLE, repetition_levels: Encoding::RLE };
    let header = PageHeader {
        kind,
        num_values: rows.len() as u32,
        encoding: Encoding::PLAIN,
        uncompressed_size: 0,
        compressed_size: 0,
        crc: None,
    };
    RawPage { page: 0, rows, header, bytes: Bytes::new() }
}

#[test]
fn tiles_do_not_cross_ranges() {
    let tile = |first_row, rows| Tile { first_row, rows, unused: 0 };
    assert_eq!(tiles(&vec![]), []);
    let found = tiles(&vec![3..4, 10..266, 300..813]);
    assert_eq!(found, [tile(3, 1), tile(10, 256), tile(300, 256), tile(556, 256), tile(812, 1)]);
}

#[test]
fn hints_name_the_first_page_that_may_have_the_row() {
    assert_eq!(hints(&[]), [] as [u32; 0]);
    assert_eq!(hints(&[page(5..6)]), [0]);
    // a hint every 1,024 rows; there is a gap without wanted rows
    let pages = [page(100..1100), page(1100..1124), page(1124..1200), page(3000..3173)];
    assert_eq!(hints(&pages), [0, 2, 3, 3]);
}
