//! Columns whose values are codes into a dictionary, of which only the dictionary is decoded.

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
use crate::decode::synthetic_pages::MadeUpPages;
use crate::decode::synthetic_pages::coded_page;
use crate::error::Error;
use crate::error::Result;
use crate::header::PageKind;
use crate::load::columns::LoadedColumns;
use crate::load::fetch::SlotState;
use crate::load::jobs::LoadedChunk;
use crate::load::jobs::LoadedPage;
use crate::panic_guard;
use crate::undecided::Undecided;

/// A flat column some of whose pages hold codes.
#[derive(Debug)]
pub(crate) struct CodedColumn {
    pub(crate) chunk: Arc<LoadedChunk>,
    /// Whether values may be null, so that pages have definition levels.
    is_optional: bool,
    /// What the codes stand for, in their order, and a null behind them if there may be nulls.
    pub values: ArrayRef,
}

/// A page of a column with the rows of the row group that it holds.
pub(crate) struct CodedPage {
    /// The rows.
    pub rows: Range<usize>,
    /// Whether its values are codes.
    pub is_coded: bool,
    /// Where it is in the chunk.
    pub(crate) index: usize,
}

/// The two parts of a page of codes, each in Parquet's hybrid of runs and packed values.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The definition levels, of one bit; `None`: nothing is null.
    pub levels: Option<Bytes>,
    /// Bits of a code, 0 to 32, and the codes.
    pub codes: (u8, Bytes),
}

impl LoadedColumns {
    /// The column `leaf` with its dictionary decoded, if the dictionary has no more values than
    /// `most`.
    ///
    /// # Errors
    /// Why it can't be looked at in this way. Nothing has been lost then: it can still be decoded.
    pub(crate) fn coded(&self, leaf: usize, most: usize) -> Result<CodedColumn, Undecided> {
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
        if count > most {
            return Err(Undecided::LargeDictionary);
        }
        if descriptor.physical_type() == Type::BOOLEAN {
            return Err(Undecided::Plain);
        }
        let is_optional = descriptor.max_def_level() == 1;
        let list = || {
            // the decoders of the whole column will say where it is bad
            let buf = chunk.dictionary_bytes(first.slot.page, header, body).map_err(|_| Undecided::Failed)?;
            let (num_values, encoding) = (header.num_values, header.encoding);
            // nothing is made of what a header claims alone
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
            let listing = Listing {
                columns: self,
                leaf,
                rows: count + usize::from(is_optional),
                pages: VecDeque::from([dictionary, coded_page(0..num_values, &levels)]),
            };
            listing.decode().map_err(|_| Undecided::Failed)
        };
        let values = chunk.dictionary.get_or_init(list).clone()?;
        Ok(CodedColumn { chunk: chunk.clone(), is_optional, values })
    }
}

/// Whether a dictionary's values are plain. Writers of version 1 call that by another name
/// (parquet-format, Encodings.md).
fn is_plain(encoding: Encoding) -> bool {
    matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY)
}

/// Bytes that a plain value has at least.
fn plain_width(descriptor: &ColumnDescriptor) -> usize {
    match descriptor.physical_type() {
        Type::BOOLEAN => 0,
        // a length in front of each
        Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(descriptor.type_length()).unwrap_or(0),
    }
}

impl CodedColumn {
    /// How many codes there are: of larger ones the page is bad.
    pub fn codes(&self) -> usize {
        self.values.len() - usize::from(self.is_optional)
    }

    /// Whether a value may be null.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// The data pages that were loaded, in the order of their rows.
    pub fn pages(&self) -> impl Iterator<Item = CodedPage> + '_ {
        let pages = self.chunk.pages.iter().enumerate();
        pages.filter_map(|(index, LoadedPage { slot, body })| {
            let rows = slot.rows.clone().filter(|rows| !rows.is_empty())?;
            let SlotState::Read(header, _) = &slot.state else { return None };
            body.as_ref()?;
            Some(CodedPage { rows, is_coded: flat::is_coded(header), index })
        })
    }

    /// The bytes of a page of codes, waiting for them where they are being decompressed.
    ///
    /// # Errors
    /// Decompression failed, or the page is no such page.
    pub fn bytes(&self, page: &CodedPage) -> Result<Bytes> {
        let LoadedPage { slot, body } = &self.chunk.pages[page.index];
        match (&slot.state, body) {
            (SlotState::Read(header, _), Some(body)) => self.chunk.data_bytes(slot.page, header, body),
            _ => Err(self.bad(page, "internal error: it was not loaded")),
        }
    }

    /// Takes the bytes of a page of codes apart.
    ///
    /// # Errors
    /// A length in it goes beyond its end, or codes have more bits than 32.
    pub fn parts(&self, page: &CodedPage, bytes: &Bytes) -> Result<Parts> {
        let (levels, values) = flat::split(&self.chunk, page.index, bytes, self.is_optional)?;
        let codes = flat::codes(&self.chunk, page.index, &values)?;
        Ok(Parts { levels: self.is_optional.then_some(levels), codes })
    }

    /// Checks that a page has as many values that are not null as its header says, where the header
    /// says it.
    ///
    /// # Errors
    /// It has more or fewer.
    pub fn check_count(&self, page: &CodedPage, count: usize) -> Result<()> {
        flat::check_count(&self.chunk, page.index, count)
    }

    /// An error in a page.
    pub fn bad(&self, page: &CodedPage, what: &str) -> Error {
        flat::bad(&self.chunk, page.index, what)
    }
}

/// A row group of one column, whose rows are the values of a dictionary.
struct Listing<'a> {
    columns: &'a LoadedColumns,
    leaf: usize,
    rows: usize,
    pages: VecDeque<Page>,
}

impl Listing<'_> {
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

impl RowGroups for Listing<'_> {
    fn num_rows(&self) -> usize {
        self.rows
    }

    fn column_chunks(&self, _: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        Ok(Box::new(OneChunk(Some(Box::new(MadeUpPages(self.pages.clone()))))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        self.columns.row_groups()
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.columns.metadata()
    }
}
