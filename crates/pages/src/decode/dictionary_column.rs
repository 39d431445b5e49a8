//! Dictionary-encoded columns with a decoded dictionary and pages of indices.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescriptor;
use pelton_bitpack::Bitmap;

use crate::decode::flat;
use crate::decode::native::Plain;
use crate::decode::parquet_rs::OneChunk;
use crate::decode::synthetic_pages::Levels;
use crate::decode::synthetic_pages::SyntheticPages;
use crate::decode::synthetic_pages::dictionary_encoded_page;
use crate::error::Error;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::SlotState;
use crate::load::loaded_chunk::LoadedChunk;
use crate::load::loaded_chunk::LoadedPage;
use crate::panic_guard;
use crate::undecided::Undecided;

/// A flat column with pages of dictionary indices. Its other pages may hold plain values.
#[derive(Debug)]
pub(crate) struct DictionaryColumn {
    pub(crate) chunk: Arc<LoadedChunk>,
    /// Whether values may be null, so that pages have definition levels.
    is_optional: bool,
    /// Values of the dictionary, in the order of their indices. Optional columns have a null behind
    /// the last value.
    pub values: ArrayRef,
}

/// A data page and its rows in the row group.
pub(crate) struct DataPage {
    /// Rows of the row group.
    pub rows: Range<usize>,
    /// Whether its values are dictionary indices.
    pub is_dictionary_encoded: bool,
    /// Index of the page in its chunk.
    pub(crate) index: usize,
}

/// Levels and dictionary indices of a page, each in Parquet's hybrid of runs and packed values.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Definition levels of one bit; `None` if the column is not optional.
    pub levels: Option<Bytes>,
    /// Bits of an index, at most 32, and the packed indices.
    pub indices: (u8, Bytes),
}

impl LoadedColumns {
    /// Returns the column `leaf` with its dictionary decoded, if the dictionary has at most
    /// `max_values` values.
    ///
    /// # Errors
    /// The fallback reason. No page is lost: the column can still be decoded as a whole.
    pub(crate) fn dictionary_column(
        &self,
        leaf: usize,
        max_values: usize,
    ) -> Result<DictionaryColumn, Undecided> {
        let chunk = self.chunk(leaf).ok_or(Undecided::Decoded)?;
        let descriptor = self.descriptor(leaf);
        if !flat::is_flat(descriptor) {
            return Err(Undecided::Nested);
        }
        let first = chunk.pages.first().ok_or(Undecided::Plain)?;
        let (SlotState::Read(header, _), Some(body)) = (&first.slot.state, &first.body) else {
            return Err(Undecided::Plain);
        };
        let PageKind::Dictionary { is_sorted } = header.kind else { return Err(Undecided::Plain) };
        let count = header.num_values as usize;
        if count > max_values {
            return Err(Undecided::LargeDictionary);
        }
        if descriptor.physical_type() == Type::BOOLEAN {
            return Err(Undecided::Plain);
        }
        let is_optional = descriptor.max_def_level() == 1;
        let decode = || {
            // the decoders of the whole column report the error with its place
            let buf = chunk.dictionary_bytes(first.slot.page, header, body).map_err(|_| Undecided::Failed)?;
            let (num_values, encoding) = (header.num_values, header.encoding);
            // a count in a header allocates no more memory than the page's bytes justify
            let width = plain_width(descriptor);
            if count.checked_mul(width).is_none_or(|size| size > buf.len()) {
                return Err(Undecided::Failed);
            }
            let data_type = self.file.schema().field(self.root(leaf)).data_type();
            if let Some(plain) = Plain::of(descriptor, data_type).filter(|_| is_plain(encoding)) {
                return plain.dictionary(&buf, count, is_optional, data_type).ok_or(Undecided::Failed);
            }
            let dictionary = Page::DictionaryPage { buf, num_values, encoding, is_sorted };
            let levels = if is_optional {
                let mut bits = Bitmap::with_len(count, true);
                bits.extend_run(false, 1);
                Levels::Bits(bits)
            } else {
                Levels::None
            };
            let row_group = DictionaryRowGroup {
                columns: self,
                leaf,
                rows: count + usize::from(is_optional),
                pages: VecDeque::from([dictionary, dictionary_encoded_page(0..num_values, &levels)]),
            };
            row_group.decode().map_err(|_| Undecided::Failed)
        };
        let values = chunk.dictionary.get_or_init(decode).clone()?;
        Ok(DictionaryColumn { chunk: chunk.clone(), is_optional, values })
    }
}

/// Returns whether a dictionary's values are plain. Writers of version 1 name the encoding
/// `PLAIN_DICTIONARY` (parquet-format, Encodings.md).
fn is_plain(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY)
}

/// Returns the minimum size of a plain value in bytes.
fn plain_width(descriptor: &ColumnDescriptor) -> usize {
    match descriptor.physical_type() {
        Type::BOOLEAN => 0,
        // byte arrays start with their length
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(descriptor.type_length()).unwrap_or(0),
    }
}

impl DictionaryColumn {
    /// Returns the number of dictionary values. A page with a larger index is corrupt.
    pub fn dictionary_len(&self) -> usize {
        self.values.len() - usize::from(self.is_optional)
    }

    /// Returns whether values may be null.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// Returns the loaded data pages in the order of their rows.
    pub fn pages(&self) -> impl Iterator<Item = DataPage> + '_ {
        let pages = self.chunk.pages.iter().enumerate();
        pages.filter_map(|(index, LoadedPage { slot, body })| {
            let rows = slot.rows.clone().filter(|rows| !rows.is_empty())?;
            let SlotState::Read(header, _) = &slot.state else { return None };
            body.as_ref()?;
            Some(DataPage { rows, is_dictionary_encoded: header.is_dictionary_encoded(), index })
        })
    }

    /// Returns the decompressed bytes of a page of indices; waits until they are decompressed.
    ///
    /// # Errors
    /// Decompression failed, or the page was not loaded.
    pub fn bytes(&self, page: &DataPage) -> Result<Bytes> {
        let LoadedPage { slot, body } = &self.chunk.pages[page.index];
        match (&slot.state, body) {
            (SlotState::Read(header, _), Some(body)) => self.chunk.data_bytes(slot.page, header, body),
            _ => Err(self.bad(page, "internal error: it was not loaded")),
        }
    }

    /// Splits a page into levels and dictionary indices.
    ///
    /// # Errors
    /// A length in the page exceeds its end, or indices have more than 32 bits.
    pub fn parts(&self, page: &DataPage, bytes: &Bytes) -> Result<Parts> {
        let (levels, values) = flat::split(&self.chunk, page.index, bytes, self.is_optional)?;
        let indices = flat::indices(&self.chunk, page.index, &values)?;
        Ok(Parts { levels: self.is_optional.then_some(levels), indices })
    }

    /// Checks the number of non-null values against the header, if the header states it.
    ///
    /// # Errors
    /// The numbers differ.
    pub fn check_count(&self, page: &DataPage, count: usize) -> Result<()> {
        flat::check_count(&self.chunk, page.index, count)
    }

    /// Returns an error with the place of the page.
    pub fn bad(&self, page: &DataPage, what: &str) -> Error {
        flat::bad(&self.chunk, page.index, what)
    }
}

/// A synthetic row group of one column. Its rows are the values of a dictionary.
struct DictionaryRowGroup<'a> {
    columns: &'a LoadedColumns,
    leaf: usize,
    rows: usize,
    pages: VecDeque<Page>,
}

impl DictionaryRowGroup<'_> {
    fn decode(&self) -> Result<ArrayRef, String> {
        let read = || -> Result<ArrayRef, String> {
            let levels =
                LoadedColumns::levels(&self.columns.file, &[self.leaf]).map_err(|e| e.to_string())?;
            let reader = ParquetRecordBatchReader::try_new_with_row_groups(&levels, self, self.rows, None);
            let batch = reader.map_err(|e| e.to_string())?.next();
            let batch = batch.ok_or("the dictionary gives nothing")?.map_err(|e| e.to_string())?;
            match batch.columns() {
                [values] if values.len() == self.rows => Ok(values.clone()),
                _ => Err(format!("{} values were expected, {} came out", self.rows, batch.num_rows())),
            }
        };
        panic_guard::catch(read)?
    }
}

impl RowGroups for DictionaryRowGroup<'_> {
    fn num_rows(&self) -> usize {
        self.rows
    }

    fn column_chunks(&self, _: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        Ok(Box::new(OneChunk(Some(Box::new(SyntheticPages(self.pages.clone()))))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        self.columns.row_groups()
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.columns.metadata()
    }
}
