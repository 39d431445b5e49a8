//! One Parquet file: where it lies, its footer, and byte ranges of it.

mod bloom;
pub mod bounds;
mod footer;
mod hints;
mod page_index;
mod preflight;
pub mod prune;
mod store;
mod writers;

pub use bloom::{BloomFilter, BloomFilters, BloomValue};
pub use footer::{ColumnTypes, FooterOptions};
pub(crate) use hints::WINDOW_KEY;
pub use store::Location;

use std::sync::Arc;

use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::SchemaDescPtr;

use footer::Footer;

use crate::error::{Cause, Error, Place, Result};

/// A file whose footer has been read and checked. Cheap to clone behind its `Arc`.
#[derive(Debug)]
pub struct ParquetFile {
    location: Location,
    footer: Footer,
    types: ColumnTypes,
}

impl ParquetFile {
    /// Reads the footer of the file at `location`, and the page index if it has one.
    ///
    /// # Errors
    /// The file is no Parquet, truncated, encrypted, or its footer points outside of it.
    pub async fn open(location: Location, options: &FooterOptions) -> Result<Arc<Self>> {
        let footer = footer::read(&location, options).await?;
        Ok(Arc::new(Self { location, footer, types: options.types }))
    }

    /// Where the file lies.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The footer.
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        &self.footer.metadata
    }

    /// The schema as Arrow sees it, with the types that were asked for in [`FooterOptions`].
    pub fn schema(&self) -> &arrow::datatypes::SchemaRef {
        &self.footer.schema
    }

    /// Parquet's schema of the file as decoders are told it: the file's own, but for intervals
    /// under [`ColumnTypes::Stored`].
    pub fn parquet_schema(&self) -> &SchemaDescPtr {
        &self.footer.parquet
    }

    /// Whether all parts of intervals that were written come out.
    pub(crate) fn reads_intervals(&self) -> bool {
        self.types == ColumnTypes::Stored || self.has_arrow_types()
    }

    /// Whether the writer kept the Arrow types that the columns had.
    fn has_arrow_types(&self) -> bool {
        let pairs = self.metadata().file_metadata().key_value_metadata();
        pairs.into_iter().flatten().any(|pair| pair.key == ARROW_SCHEMA_META_KEY)
    }

    /// One row group's metadata.
    ///
    /// # Errors
    /// There is no such row group.
    pub fn row_group(&self, index: usize) -> Result<&RowGroupMetaData> {
        self.metadata().row_groups().get(index).ok_or_else(|| {
            let count = self.metadata().num_row_groups();
            self.error(Cause::NotParquet(format!("row group {index} was asked for, the file has {count}")))
        })
    }

    /// Whether a row has the smallest value that the bounds of a column chunk say, and one the
    /// largest, as far as the file says so. parquet-rs does not hand these flags on for numbers.
    pub(crate) fn has_exact_bounds(&self, row_group: usize, leaf: usize) -> (bool, bool) {
        self.footer.exact.get(row_group).and_then(|group| group.get(leaf)).copied().unwrap_or_default()
    }

    /// This file as a place for errors.
    pub fn place(&self) -> Place {
        Place::file(self.location.name())
    }

    /// An error about the whole file.
    pub fn error(&self, cause: Cause) -> Error {
        Error::new(self.place(), cause)
    }
}
