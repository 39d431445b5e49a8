//! Decoding of loaded columns, and the search for the corrupt page after an error.

use std::sync::{Arc, MutexGuard, PoisonError};

use arrow::record_batch::RecordBatch;
use parquet::arrow::FieldLevels;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection};

use crate::decode::compaction::Compact;
use crate::decode::compaction::CompactionMask;
use crate::decode::parquet_rs::Progress;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::load::columns::LoadedColumns;
use crate::panic_guard;
use crate::widths;

impl LoadedColumns {
    /// Returns a decoder of `rows` in batches of at most `batch_size`. The page of every row has to
    /// be loaded.
    ///
    /// # Errors
    /// The columns' types can't be decoded to the schema's.
    pub fn decode(self: &Arc<Self>, rows: Rows, batch_size: usize) -> Result<Decoder> {
        let schema = self.file.schema();
        let types = self.leaves.iter().map(|&leaf| schema.field(self.root(leaf)).data_type());
        let options = DecodeOptions { rows, batch_size: widths::batch_rows(types, batch_size) };
        match self.reader(&self.levels, &options) {
            Ok(reader) => Ok(Decoder { columns: self.clone(), options, reader: Some(reader) }),
            Err(message) => Err(self.explain(message, &options)),
        }
    }

    fn reader(
        &self,
        levels: &FieldLevels,
        options: &DecodeOptions,
    ) -> Result<ParquetRecordBatchReader, String> {
        let DecodeOptions { rows, batch_size } = options.clone();
        *self.agreement() = Arc::default();
        let new = ParquetRecordBatchReader::try_new_with_row_groups;
        let reader = || match rows {
            Rows::All => new(levels, self, batch_size, None),
            Rows::Selected(selection) => new(levels, self, batch_size, Some(selection)),
            Rows::Compacted(mask) => new(levels, &Compact { columns: self, mask }, batch_size, None),
        };
        panic_guard::catch(reader)?.map_err(|e| e.to_string())
    }

    /// Adds a place to an error of parquet-rs. An error of Pelton's page reader is returned instead
    /// if there is one; otherwise the place is the page that parquet-rs was decoding.
    fn explain(&self, message: String, options: &DecodeOptions) -> Error {
        if let Some(error) = self.progress().error.take() {
            return error;
        }
        let (place, message) =
            self.culprit(options).unwrap_or_else(|| (self.file.place().row_group(self.row_group), message));
        Error::new(place, Cause::Decode(message.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// Returns the corrupt page and the message. parquet-rs does not name the column of an error,
    /// and every column has got a page by then. Decodes the columns again, one at a time, until one
    /// fails.
    fn culprit(&self, options: &DecodeOptions) -> Option<(Place, String)> {
        self.leaves.iter().find_map(|&leaf| {
            self.progress().page = None;
            let levels = Self::levels(&self.file, &[leaf]).ok()?;
            let message = match self.reader(&levels, options) {
                Ok(mut reader) => loop {
                    match step(&mut reader) {
                        Ok(Some(_)) => {}
                        Ok(None) => return None,
                        Err(message) => break message,
                    }
                },
                Err(message) => message,
            };
            let page = self.progress().page.clone();
            Some((page?, message))
        })
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rows of a row group to decode.
#[derive(Debug, Clone)]
pub enum Rows {
    /// All rows.
    All,
    /// A row selection that parquet-rs applies.
    Selected(RowSelection),
    /// A row selection by which pages are compacted before parquet-rs decodes them.
    Compacted(Arc<CompactionMask>),
}

/// Rows to decode, and the rows of a batch.
#[derive(Debug, Clone)]
struct DecodeOptions {
    rows: Rows,
    batch_size: usize,
}

/// Returns the next batch. Turns errors, and panics on corrupt bytes, into a message.
fn step(reader: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>, String> {
    panic_guard::catch(|| reader.next())?.transpose().map_err(|e| e.to_string())
}

/// Decodes loaded columns batch by batch. Ends after its first error.
pub struct Decoder {
    columns: Arc<LoadedColumns>,
    options: DecodeOptions,
    reader: Option<ParquetRecordBatchReader>,
}

impl Decoder {
    /// Returns an error in rows of this decoder, with the place of their row group.
    pub fn error(&self, what: String) -> Error {
        Error::new(self.columns.file.place().row_group(self.columns.row_group), Cause::Decode(what))
    }
}

impl Iterator for Decoder {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match step(self.reader.as_mut()?) {
            Ok(batch) => batch.map(Ok),
            Err(message) => {
                self.reader = None;
                Some(Err(self.columns.explain(message, &self.options)))
            }
        }
    }
}
