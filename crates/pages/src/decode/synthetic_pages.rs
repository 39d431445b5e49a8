//! Synthetic pages, which are in no file. parquet-rs decodes them, so that values are the same as
//! those of its own pages.

use std::collections::VecDeque;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use pelton_bitpack::Bitmap;

/// Bits of an index. A bit-packed run of 32-bit indices is the same bytes as little-endian
/// integers.
const WIDTH: u8 = 32;

/// Page reader over pages in memory.
pub(crate) struct SyntheticPages(pub VecDeque<Page>);

impl Iterator for SyntheticPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.pop_front().map(Ok)
    }
}

impl PageReader for SyntheticPages {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        Ok(self.0.pop_front())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        Ok(self.0.front().map(metadata))
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.pop_front();
        Ok(())
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        Ok(true)
    }
}

/// The definition levels of a page.
pub(crate) enum Levels {
    /// No levels: the column is not optional.
    None,
    /// A bit for each row; set if the row has a value.
    Bits(Bitmap),
}

/// Returns a page of a flat column with indices into its chunk's dictionary.
pub(crate) fn dictionary_encoded_page(indices: impl ExactSizeIterator<Item = u32>, levels: &Levels) -> Page {
    let count = indices.len();
    let mut values = Vec::with_capacity(count * 4 + 64);
    values.push(WIDTH);
    // bit-packed values come in groups of eight
    let groups = count.div_ceil(8);
    varint(&mut values, (groups as u64) << 1 | 1);
    indices.for_each(|index| values.extend_from_slice(&index.to_le_bytes()));
    values.resize(values.len() + (groups * 8 - count) * 4, 0);
    page(Encoding::RLE_DICTIONARY, values, count, levels)
}

/// Returns a page of a flat column with `count` encoded non-null values.
pub(crate) fn page(encoding: Encoding, values: Vec<u8>, count: usize, levels: &Levels) -> Page {
    let (rows, mut bytes) = match levels {
        Levels::None => (count, Vec::new()),
        Levels::Bits(bits) => {
            let mut bytes = Vec::with_capacity(bits.len() / 8 + values.len() + 16);
            varint(&mut bytes, (bits.len().div_ceil(8) as u64) << 1 | 1);
            bytes.extend(bits.bytes());
            (bits.len(), bytes)
        }
    };
    let def_levels_byte_len = bytes.len() as u32;
    if bytes.is_empty() {
        bytes = values;
    } else {
        bytes.extend_from_slice(&values);
    }
    Page::DataPageV2 {
        buf: Bytes::from(bytes),
        num_values: rows as u32,
        encoding,
        num_nulls: (rows - count) as u32,
        num_rows: rows as u32,
        def_levels_byte_len,
        rep_levels_byte_len: 0,
        is_compressed: false,
        statistics: None,
    }
}

/// Returns the metadata that parquet-rs reads before it takes the page.
pub(crate) fn metadata(page: &Page) -> PageMetadata {
    let is_dict = !page.is_data_page();
    let rows = (!is_dict).then(|| page.num_values() as usize);
    PageMetadata { num_rows: rows, num_levels: rows, is_dict }
}

/// Appends a number as ULEB128, the encoding of run lengths (parquet-format, Encodings.md, "RLE").
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
