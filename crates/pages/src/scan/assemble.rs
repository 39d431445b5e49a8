//! Output batches of a window: columns that the filters decoded beside columns that are decoded now.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::window::{ScanSpec, take_mask};
use crate::counters::ScanCounters;
use crate::error::{Cause, Error, Place, Result};
use crate::file::ParquetFile;
use crate::read::Decoder;

/// The batches of one window, in row order. Ends after its first error.
pub struct WindowBatches {
    schema: SchemaRef,
    output: Vec<usize>,
    /// Columns that `decoder` gives, ascending.
    rest: Vec<usize>,
    decoder: Option<(Decoder, Option<BooleanArray>)>,
    mask_offset: usize,
    /// Columns that are there already, each with `rows` values.
    done: BTreeMap<usize, ArrayRef>,
    rows: usize,
    given: usize,
    batch_size: usize,
    counters: Arc<ScanCounters>,
    place: Place,
}

impl WindowBatches {
    pub(super) fn new(
        file: &ParquetFile,
        spec: &ScanSpec,
        rest: Vec<usize>,
        decoder: Option<(Decoder, Option<BooleanArray>)>,
        done: BTreeMap<usize, ArrayRef>,
        rows: usize,
    ) -> Self {
        let fields: Vec<_> = spec.output.iter().map(|&column| file.schema().field(column).clone()).collect();
        Self {
            schema: Arc::new(Schema::new(fields)),
            output: spec.output.clone(),
            rest,
            decoder,
            mask_offset: 0,
            done,
            rows,
            given: 0,
            batch_size: spec.batch_size,
            counters: spec.load.counters.clone(),
            place: file.place(),
        }
    }

    /// Rows that all the batches have together.
    pub fn rows(&self) -> usize {
        self.rows
    }

    fn decode_error(&self, what: String) -> Error {
        Error::new(self.place.clone(), Cause::Decode(what))
    }

    /// The next rows of the columns that are not there yet; `None` at the end.
    fn decoded(&mut self) -> Result<Option<RecordBatch>> {
        let Some((decoder, mask)) = &mut self.decoder else { return Ok(None) };
        loop {
            let start = Instant::now();
            let batch = decoder.next().transpose()?;
            self.counters.decoded(start.elapsed());
            let Some(batch) = batch else { return Ok(None) };
            let mut part = mask.as_ref().map(|mask| (mask, self.mask_offset));
            let batch = take_mask(&mut part, batch)
                .map_err(|e| Error::new(self.place.clone(), Cause::Decode(e.to_string())))?;
            self.mask_offset = part.map_or(0, |(_, offset)| offset);
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        let left = self.rows - self.given;
        let decoded = if self.decoder.is_some() { self.decoded()? } else { None };
        let rows = match (&decoded, &self.decoder) {
            (Some(batch), _) => batch.num_rows(),
            (None, None) => left.min(self.batch_size),
            (None, Some(_)) => 0,
        };
        if rows > left || (rows == 0 && left > 0) {
            let what = format!("{} rows were expected, {} came out", self.rows, self.given + rows);
            return Err(self.decode_error(what));
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = self.output.iter().map(|column| match (&decoded, self.rest.binary_search(column)) {
            (Some(batch), Ok(index)) => batch.column(index).clone(),
            _ => self.done[column].slice(self.given, rows),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns.collect(), &options);
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
