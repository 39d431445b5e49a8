//! One Parquet file: where it lies, its footer, and byte ranges of it.

mod bloom;
mod footer;
mod hints;
mod preflight;
mod store;

pub use bloom::{BloomFilter, BloomFilters, BloomValue};
pub use footer::FooterOptions;
pub(crate) use hints::WINDOW_KEY;
pub use store::Location;

use std::sync::Arc;

use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::error::{Cause, Error, Place, Result};

/// A file whose footer has been read and checked. Cheap to clone behind its `Arc`.
#[derive(Debug)]
pub struct ParquetFile {
    location: Location,
    metadata: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Reads the footer of the file at `location`, and the page index if it has one.
    ///
    /// # Errors
    /// The file is no Parquet, truncated, encrypted, or its footer points outside of it.
    pub async fn open(location: Location, options: &FooterOptions) -> Result<Arc<Self>> {
        let metadata = footer::read(&location, options).await?;
        Ok(Arc::new(Self { location, metadata }))
    }

    /// Where the file lies.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The footer.
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    /// The schema as Arrow sees it, with the types that were asked for in [`FooterOptions`].
    pub fn schema(&self) -> &arrow::datatypes::SchemaRef {
        self.metadata.schema()
    }

    /// Whether the writer kept the Arrow types that the columns had.
    pub(crate) fn has_arrow_types(&self) -> bool {
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

    /// This file as a place for errors.
    pub fn place(&self) -> Place {
        Place::file(self.location.name())
    }

    /// An error about the whole file.
    pub fn error(&self, cause: Cause) -> Error {
        Error::new(self.place(), cause)
    }
}
