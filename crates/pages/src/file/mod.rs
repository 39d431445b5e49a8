//! A Parquet file: its location, its footer, and reads of byte ranges.

mod bloom;
pub mod bounds;
mod footer;
mod hints;
mod page_index;
mod preflight;
pub mod prune;
mod store;
mod store_error;
pub mod traffic;
mod writers;

pub use bloom::{BloomFilter, BloomFilters, BloomValue};
pub use footer::{ColumnTypes, FooterOptions};
pub(crate) use hints::WINDOW_KEY;
pub use store::Location;
pub(crate) use store::attributes;
pub use store_error::store_message;

use std::sync::Arc;

use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::SchemaDescPtr;

use footer::Footer;

use crate::error::{Cause, Error, Place, Result};
use crate::header::{self, PageKind, Parsed};
use crate::types;

/// Bytes that are read for the header of a dictionary page, which has no statistics.
const HEADER_BYTES: usize = 64;

/// A file with a validated footer. Clones of its `Arc` are cheap.
#[derive(Debug)]
pub struct ParquetFile {
    location: Location,
    footer: Arc<Footer>,
    types: ColumnTypes,
}

impl ParquetFile {
    /// Reads the footer of the file at `location`, and the page index if it has one.
    ///
    /// # Errors
    /// The file is not Parquet, truncated or encrypted, or its footer names bytes outside of it.
    pub async fn open(location: Location, options: &FooterOptions) -> Result<Arc<Self>> {
        let footer = Arc::new(footer::read(&location, options).await?);
        Ok(Arc::new(Self { location, footer, types: options.types }))
    }

    /// Returns the file with the footer that was read before, for a location that
    /// [is a version](Location::is_version_of) of this one.
    pub fn at(&self, location: Location) -> Arc<Self> {
        Arc::new(Self { location, footer: self.footer.clone(), types: self.types })
    }

    /// Returns the file's location.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the footer.
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        &self.footer.metadata
    }

    /// Returns the Arrow schema, with the types chosen in [`FooterOptions`].
    pub fn schema(&self) -> &arrow::datatypes::SchemaRef {
        &self.footer.schema
    }

    /// Returns the Parquet schema that decoders get: the file's own, except intervals under
    /// [`ColumnTypes::Stored`].
    pub fn parquet_schema(&self) -> &SchemaDescPtr {
        &self.footer.parquet
    }

    /// Returns whether intervals are decoded with all of their parts.
    pub(crate) fn reads_intervals(&self) -> bool {
        self.types == ColumnTypes::Stored || self.has_arrow_types()
    }

    /// Returns whether the writer stored the Arrow types of the columns.
    fn has_arrow_types(&self) -> bool {
        let pairs = self.metadata().file_metadata().key_value_metadata();
        pairs.into_iter().flatten().any(|pair| pair.key == ARROW_SCHEMA_META_KEY)
    }

    /// Returns a row group's metadata.
    ///
    /// # Errors
    /// The row group does not exist.
    pub fn row_group(&self, index: usize) -> Result<&RowGroupMetaData> {
        self.metadata().row_groups().get(index).ok_or_else(|| {
            let count = self.metadata().num_row_groups();
            self.error(Cause::NotParquet(format!("row group {index} was asked for, the file has {count}")))
        })
    }

    /// Returns whether the minimum and the maximum of a column chunk's bounds are flagged as exact.
    /// parquet-rs does not pass these flags on for numbers.
    pub(crate) fn has_exact_bounds(&self, row_group: usize, leaf: usize) -> (bool, bool) {
        self.footer.exact.get(row_group).and_then(|group| group.get(leaf)).copied().unwrap_or_default()
    }

    /// Returns the number of values in the dictionary of a column chunk, by the header of its page.
    /// `None` if pages have values beside it, or if the file is not in the local file system.
    pub fn dictionary_len(&self, row_group: usize, leaf: usize) -> Option<usize> {
        let mut known = self.footer.dictionaries.lock();
        *known.entry((row_group, leaf)).or_insert_with(|| {
            let chunk = self.metadata().row_groups().get(row_group)?.columns().get(leaf)?;
            if !types::is_coded_chunk(chunk) {
                return None;
            }
            let start = u64::try_from(chunk.dictionary_page_offset()?).ok()?;
            let mut header = [0; HEADER_BYTES];
            let read = self.location.peek(start, &mut header)?;
            match header::parse(&header[..read]).ok()?.0 {
                Parsed::Page(page) if matches!(page.kind, PageKind::Dictionary { .. }) => {
                    Some(page.num_values as usize)
                }
                _ => None,
            }
        })
    }

    /// Returns the file as a place for errors.
    pub fn place(&self) -> Place {
        Place::file(self.location.name())
    }

    /// Returns an error about the whole file.
    pub fn error(&self, cause: Cause) -> Error {
        Error::new(self.place(), cause)
    }
}
