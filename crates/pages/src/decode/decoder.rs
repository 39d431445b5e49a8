//! Decoding loaded columns, and finding the page at fault when one does not decode.

use std::sync::{Arc, MutexGuard, PoisonError};

use arrow::record_batch::RecordBatch;
use parquet::arrow::FieldLevels;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection};

use crate::decode::compaction::Compact;
use crate::decode::compaction::Kept;
use crate::decode::parquet_rs::Progress;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::load::columns::LoadedColumns;
use crate::panic_guard;
use crate::widths;

impl LoadedColumns {
    /// Decodes some rows, `batch_size` at a time. Every one of them has to lie in a page that was
    /// wanted.
    ///
    /// # Errors
    /// The columns' types can't be decoded to the schema's.
    pub fn decode(self: &Arc<Self>, rows: Rows, batch_size: usize) -> Result<Decoder> {
        let schema = self.file.schema();
        let types = self.leaves.iter().map(|&leaf| schema.field(self.root(leaf)).data_type());
        let how = How { rows, batch_size: widths::batch_rows(types, batch_size) };
        match self.reader(&self.levels, &how) {
            Ok(reader) => Ok(Decoder { columns: self.clone(), how, reader: Some(reader) }),
            Err(message) => Err(self.explain(message, &how)),
        }
    }

    fn reader(&self, levels: &FieldLevels, how: &How) -> Result<ParquetRecordBatchReader, String> {
        let How { rows, batch_size } = how.clone();
        *self.agreement() = Arc::default();
        let new = ParquetRecordBatchReader::try_new_with_row_groups;
        let reader = || match rows {
            Rows::All => new(levels, self, batch_size, None),
            Rows::Selected(selection) => new(levels, self, batch_size, Some(selection)),
            Rows::Kept(kept) => new(levels, &Compact { columns: self, kept }, batch_size, None),
        };
        panic_guard::catch(reader)?.map_err(|e| e.to_string())
    }

    /// Gives a place to what a decoder of parquet-rs said: ours, if the trouble began in a page of
    /// ours, else the page that the column was at.
    fn explain(&self, message: String, how: &How) -> Error {
        if let Some(error) = self.progress().error.take() {
            return error;
        }
        let (place, message) =
            self.culprit(how).unwrap_or_else(|| (self.file.place().row_group(self.row_group), message));
        Error::new(place, Cause::Decode(message.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    /// Finds the page that does not decode. The decoders don't say which column they were at, and
    /// each has been given a page of its own by then: so the columns are decoded again, one at a
    /// time.
    fn culprit(&self, how: &How) -> Option<(Place, String)> {
        self.leaves.iter().find_map(|&leaf| {
            self.progress().page = None;
            let levels = Self::levels(&self.file, &[leaf]).ok()?;
            let message = match self.reader(&levels, how) {
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

/// Which rows of a row group to decode.
#[derive(Debug, Clone)]
pub enum Rows {
    /// All of them.
    All,
    /// Those that parquet-rs is to select.
    Selected(RowSelection),
    /// Those to which the pages are cut down before parquet-rs sees them.
    Kept(Arc<Kept>),
}

/// What to decode, and in which steps.
#[derive(Debug, Clone)]
struct How {
    rows: Rows,
    batch_size: usize,
}

/// The next batch; what a decoder makes of corrupt bytes, panics too, as a message.
fn step(reader: &mut ParquetRecordBatchReader) -> Result<Option<RecordBatch>, String> {
    panic_guard::catch(|| reader.next())?.transpose().map_err(|e| e.to_string())
}

/// Decodes loaded columns batch by batch. Ends after its first error.
pub struct Decoder {
    columns: Arc<LoadedColumns>,
    how: How,
    reader: Option<ParquetRecordBatchReader>,
}

impl Decoder {
    /// What became of the rows behind the decoder, as an error that names their row group.
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
                Some(Err(self.columns.explain(message, &self.how)))
            }
        }
    }
}
