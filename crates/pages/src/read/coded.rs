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

use super::columns::LoadedColumns;
use super::jobs::{LoadedChunk, LoadedPage};
use super::made_up::{MadeUpPages, coded_page};
use super::page_reader::OneChunk;
use crate::error::{Cause, Error, Result};
use crate::fetch::SlotState;
use crate::guard;
use crate::header::{PageHeader, PageKind};
use crate::undecided::Undecided;

/// A flat column some of whose pages hold codes.
#[derive(Debug)]
pub(crate) struct CodedColumn {
    chunk: Arc<LoadedChunk>,
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
    index: usize,
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
    /// The column `leaf` with its dictionary decoded, if the dictionary has no more values than `most`.
    ///
    /// # Errors
    /// Why it can't be looked at in this way. Nothing has been lost then: it can still be decoded.
    pub(crate) fn coded(&self, leaf: usize, most: usize) -> Result<CodedColumn, Undecided> {
        let chunk = self.chunk(leaf).ok_or(Undecided::Decoded)?;
        let metadata = self.file.metadata().row_group(self.row_group).column(leaf);
        let descriptor = metadata.column_descr();
        let is_flat = descriptor.path().parts().len() == 1
            && descriptor.max_rep_level() == 0
            && descriptor.max_def_level() <= 1;
        if !is_flat {
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
        // the decoders of the whole column will say where it is bad
        let buf = chunk.bytes(body).map_err(|_| Undecided::Failed)?;
        let (num_values, encoding) = (header.num_values, header.encoding);
        let dictionary = Page::DictionaryPage { buf, num_values, encoding, is_sorted };
        let is_optional = descriptor.max_def_level() == 1;
        let levels: &[(usize, u8)] = if is_optional { &[(count, 1), (1, 0)] } else { &[] };
        let listing = Listing {
            columns: self,
            leaf,
            rows: count + usize::from(is_optional),
            pages: VecDeque::from([dictionary, coded_page((0..num_values).map(|code| code), levels)]),
        };
        let values = listing.decode().map_err(|_| Undecided::Failed)?;
        Ok(CodedColumn { chunk: chunk.clone(), is_optional, values })
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
            Some(CodedPage { rows, is_coded: is_coded(header, self.is_optional), index })
        })
    }

    /// The bytes of a page of codes, waiting for them where they are being decompressed.
    ///
    /// # Errors
    /// Decompression failed, or the page is no such page.
    pub fn bytes(&self, page: &CodedPage) -> Result<Bytes> {
        match &self.chunk.pages[page.index].body {
            Some(body) => self.chunk.bytes(body),
            None => Err(self.bad(page, "internal error: it was not loaded")),
        }
    }

    /// Takes the bytes of a page of codes apart.
    ///
    /// # Errors
    /// A length in it goes beyond its end, or codes have more bits than 32.
    pub fn parts(&self, page: &CodedPage, bytes: &Bytes) -> Result<Parts> {
        let SlotState::Read(header, _) = &self.chunk.pages[page.index].slot.state else {
            return Err(self.bad(page, "internal error: it was not loaded"));
        };
        let (levels, values) = match header.kind {
            PageKind::DataV2 { definition_bytes, repetition_bytes, .. } => {
                let (from, to) = (repetition_bytes as usize, (repetition_bytes + definition_bytes) as usize);
                if to > bytes.len() {
                    return Err(self.bad(page, "its levels end behind it"));
                }
                (bytes.slice(from..to), bytes.slice(to..))
            }
            _ if !self.is_optional => (Bytes::new(), bytes.clone()),
            _ => {
                // version 1 has the length of the levels in front of them, in four bytes
                let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
                    return Err(self.bad(page, "it ends before its levels"));
                };
                let length = u32::from_le_bytes(*length) as usize;
                if length > rest.len() {
                    return Err(self.bad(page, "its levels end behind it"));
                }
                (bytes.slice(4..4 + length), bytes.slice(4 + length..))
            }
        };
        // a page of nulls alone may have no codes, and not even their width
        let width = values.first().copied().unwrap_or(0);
        if width > 32 {
            return Err(self.bad(page, &format!("its codes have {width} bits, the most are 32")));
        }
        let codes = values.slice(values.len().min(1)..);
        Ok(Parts { levels: self.is_optional.then_some(levels), codes: (width, codes) })
    }

    /// An error in a page.
    pub fn bad(&self, page: &CodedPage, what: &str) -> Error {
        let number = self.chunk.pages[page.index].slot.page;
        Error::new(self.chunk.place.clone().page(number), Cause::Decode(what.to_owned()))
    }
}

fn is_coded(header: &PageHeader, is_optional: bool) -> bool {
    let levels_are_runs = match header.kind {
        PageKind::DataV1 { definition_levels, .. } => !is_optional || definition_levels == Encoding::RLE,
        _ => true,
    };
    levels_are_runs && matches!(header.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY)
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
        guard::catch(read)?
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
