//! Pages that no file has, for parquet-rs's decoders: what they make of a value is what Pelton makes of it.

use std::collections::VecDeque;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;

/// Codes of 32 bits: as a bit-packed run they are plain little-endian integers.
const WIDTH: u8 = 32;

/// Gives out pages that are there already.
pub(super) struct MadeUpPages(pub VecDeque<Page>);

impl Iterator for MadeUpPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.pop_front().map(Ok)
    }
}

impl PageReader for MadeUpPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        Ok(self.0.pop_front())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(self.0.front().map(|page| {
            let is_dict = !page.is_data_page();
            let rows = (!is_dict).then(|| page.num_values() as usize);
            PageMetadata { num_rows: rows, num_levels: rows, is_dict }
        }))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.pop_front();
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        Ok(true)
    }
}

/// A page of a flat column that has codes into its chunk's dictionary; `levels` are the runs of its definition levels,
/// none for a column without nulls.
pub(super) fn coded_page(codes: impl ExactSizeIterator<Item = u32>, levels: &[(usize, u8)]) -> Page {
    let count = codes.len();
    let rows = if levels.is_empty() { count } else { levels.iter().map(|(length, _)| length).sum() };
    let mut bytes = Vec::with_capacity(count * 4 + 64);
    for &(length, level) in levels.iter().filter(|(length, _)| *length > 0) {
        varint(&mut bytes, (length as u64) << 1);
        bytes.push(level);
    }
    let def_levels_byte_len = bytes.len() as u32;
    bytes.push(WIDTH);
    // bit-packed values come in groups of eight
    let groups = count.div_ceil(8);
    varint(&mut bytes, (groups as u64) << 1 | 1);
    codes.for_each(|code| bytes.extend_from_slice(&code.to_le_bytes()));
    bytes.resize(bytes.len() + (groups * 8 - count) * 4, 0);
    Page::DataPageV2 {
        buf: Bytes::from(bytes),
        num_values: rows as u32,
        encoding: Encoding::RLE_DICTIONARY,
        num_nulls: (rows - count) as u32,
        num_rows: rows as u32,
        def_levels_byte_len,
        rep_levels_byte_len: 0,
        is_compressed: false,
        statistics: None,
    }
}

/// Appends a number as ULEB128, which run lengths are in (parquet-format, Encodings.md, "RLE").
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
