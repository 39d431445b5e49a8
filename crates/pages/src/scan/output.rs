//! Output batches of a scan range, from columns that the filters decoded and columns decoded now.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::error::Cause;
use crate::error::Error;
use crate::error::Place;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::fetch::RowRanges;
use crate::scan::chunked_column::ChunkedColumn;
use crate::scan::row_selection::RowSelection;
use crate::scan::selected_rows::SelectedRowsDecoder;
use crate::scan::window::ScanSpec;

/// Batches of one scan range, in row order. Ends after its first error.
pub struct WindowBatches {
    schema: SchemaRef,
    spec: ScanSpec,
    /// Columns that `decoder` decodes, ascending.
    rest: Vec<usize>,
    decoder: Option<SelectedRowsDecoder>,
    /// Decoded columns, each with `rows` values.
    done: BTreeMap<usize, ChunkedColumn>,
    rows: usize,
    given: usize,
    selection: RowSelection,
    place: Place,
}

impl WindowBatches {
    pub(crate) fn new(
        file: &ParquetFile,
        spec: &ScanSpec,
        rest: Vec<usize>,
        decoder: Option<SelectedRowsDecoder>,
        done: BTreeMap<usize, ChunkedColumn>,
        selection: RowSelection,
    ) -> Self {
        let fields: Vec<_> = spec.output.iter().map(|&column| file.schema().field(column).clone()).collect();
        Self {
            schema: Arc::new(Schema::new(fields)),
            spec: spec.clone(),
            rest,
            decoder,
            done,
            rows: selection.count(),
            given: 0,
            selection,
            place: file.place(),
        }
    }

    /// Returns the number of rows in all batches.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the rows of all batches, as ranges of rows in the row group.
    pub fn row_ranges(&self) -> RowRanges {
        self.selection.ranges()
    }

    fn decode_error(&self, what: String) -> Error {
        Error::new(self.place.clone(), Cause::Decode(what))
    }

    /// Decodes the next rows of the other columns; `None` at the end.
    fn decoded(&mut self) -> Result<Option<RecordBatch>> {
        let Some(decoder) = &mut self.decoder else { return Ok(None) };
        decoder.next(&self.spec).transpose()
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        let left = self.rows - self.given;
        let decoded = self.decoded()?;
        let rows = match (&decoded, &self.decoder) {
            (Some(batch), _) => batch.num_rows(),
            (None, None) => left.min(self.spec.batch_size),
            (None, Some(_)) => 0,
        };
        if rows > left || (rows == 0 && left > 0) {
            let what = format!("{} rows were expected, {} came out", self.rows, self.given + rows);
            return Err(self.decode_error(what));
        }
        if rows == 0 {
            return Ok(None);
        }
        let mut columns = Vec::with_capacity(self.spec.output.len());
        for column in &self.spec.output {
            columns.push(match (&decoded, self.rest.binary_search(column), self.done.get_mut(column)) {
                (Some(batch), Ok(index), _) => batch.column(index).clone(),
                (_, _, Some(pieces)) => pieces.take(rows).map_err(|e| self.decode_error(e.to_string()))?,
                _ => return Err(self.decode_error(format!("internal error: column {column} was not read"))),
            });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options);
        self.given += rows;
        batch.map(Some).map_err(|e| self.decode_error(e.to_string()))
    }
}

impl Iterator for WindowBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.decoder = None;
            self.given = self.rows;
        }
        step.transpose()
    }
}
