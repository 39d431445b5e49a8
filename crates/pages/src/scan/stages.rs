//! The second step of scanning a window: filters, one after the other, and what each leaves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder};
use arrow::compute::{self, FilterBuilder};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use super::assemble::WindowBatches;
use super::filter::FilterStage;
use super::pieces::Pieces;
use super::selection::Survivors;
use super::window::{ScanSpec, Window};
use crate::error::{Cause, Error, Result};
use crate::file::ParquetFile;
use crate::read::{Decoder, LoadedColumns};

/// A window between its filters.
pub(super) struct Stages<'a> {
    file: &'a Arc<ParquetFile>,
    window: &'a Window,
    spec: &'a ScanSpec,
    /// Rows that passed all filters so far.
    pub survivors: Survivors,
    /// Columns decoded so far that are needed later, each with a value for every survivor.
    done: BTreeMap<usize, Pieces>,
}

/// A decoder of the survivors, and the mask over what it gives.
pub(super) struct MaskedDecoder {
    decoder: Decoder,
    mask: Option<BooleanArray>,
    /// Rows that came out of the decoder.
    offset: usize,
}

impl<'a> Stages<'a> {
    pub fn new(file: &'a Arc<ParquetFile>, window: &'a Window, spec: &'a ScanSpec) -> Self {
        let survivors = Survivors::new(window.rows.clone(), &window.wanted);
        Self { file, window, spec, survivors, done: BTreeMap::new() }
    }

    /// Of some columns those that were not decoded yet.
    pub fn missing(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().copied().filter(|column| !self.done.contains_key(column)).collect()
    }

    /// Decodes the columns that a stage is `missing`, evaluates it, and keeps of all columns what passes.
    pub fn run(
        &mut self,
        number: usize,
        missing: &[usize],
        loaded: Option<Arc<LoadedColumns>>,
    ) -> Result<()> {
        let stage = &self.spec.stages[number];
        let count = self.survivors.count();
        let mut step = Step {
            stage,
            schema: stage_schema(self.file, &stage.columns),
            missing,
            done: std::mem::take(&mut self.done),
            kept: BTreeMap::new(),
            passed: BooleanBufferBuilder::new(count),
        };
        let needed_later = |column: usize| {
            self.spec.output.contains(&column)
                || self.spec.stages[number + 1..].iter().any(|later| later.columns.contains(&column))
        };
        let later = missing.iter().chain(step.done.keys()).copied().filter(|&column| needed_later(column));
        step.kept = later.map(|column| (column, Pieces::default())).collect();
        let mut one = |new: &[ArrayRef], rows: usize| {
            let start = Instant::now();
            step.batch(new, rows).map_err(|error| self.step_error(error))?;
            self.spec.load.counters.filtered(start.elapsed());
            Ok(())
        };
        match loaded {
            Some(columns) => {
                let mut decoder = self.decode(columns)?;
                while let Some(batch) = decoder.next(self.spec).transpose()? {
                    one(batch.columns(), batch.num_rows())?;
                }
            }
            None => {
                for from in (0..count).step_by(self.spec.batch_size) {
                    one(&[], self.spec.batch_size.min(count - from))?;
                }
            }
        }
        let passed = step.passed.finish();
        if passed.len() != count {
            let what = format!("{} of {count} rows came out", passed.len());
            return Err(Error::new(self.file.place().row_group(self.window.row_group), Cause::Decode(what)));
        }
        self.done = step.kept;
        if passed.has_false() {
            self.survivors.and_then(&passed);
        }
        Ok(())
    }

    /// The batches of the output, of which the columns `rest` were loaded last.
    pub fn finish(mut self, rest: Vec<usize>, loaded: Option<Arc<LoadedColumns>>) -> Result<WindowBatches> {
        let decoder = loaded.map(|columns| self.decode(columns)).transpose()?;
        self.done.retain(|column, _| self.spec.output.contains(column));
        Ok(WindowBatches::new(self.file, self.spec, rest, decoder, self.done, self.survivors.count()))
    }

    fn decode(&self, columns: Arc<LoadedColumns>) -> Result<MaskedDecoder> {
        let rows = self.file.row_group(self.window.row_group)?.num_rows() as usize;
        let stretches = columns.stretches(self.window.rows.clone());
        let reading = self.survivors.reading(&stretches, rows).ok_or_else(|| {
            let what = "internal error: the pages that were loaded can't be read";
            self.file.error(Cause::Decode(what.to_owned()))
        })?;
        let decoder = columns.decode(Some(reading.selection), self.spec.batch_size)?;
        Ok(MaskedDecoder { decoder, mask: reading.mask, offset: 0 })
    }

    fn step_error(&self, error: StepError) -> Error {
        match error {
            StepError::Filter(what) => self.file.error(Cause::Predicate(what)),
            StepError::Arrow(error) => Error::new(
                self.file.place().row_group(self.window.row_group),
                Cause::Decode(error.to_string()),
            ),
        }
    }
}

impl MaskedDecoder {
    /// The next rows, which may be none.
    pub fn next(&mut self, spec: &ScanSpec) -> Option<Result<RecordBatch>> {
        let start = Instant::now();
        let batch = self.decoder.next();
        spec.load.counters.decoded(start.elapsed());
        let (Some(mask), Some(Ok(batch))) = (&self.mask, &batch) else { return batch };
        let rows = batch.num_rows().min(mask.len() - self.offset);
        let part = mask.slice(self.offset, rows);
        self.offset += rows;
        Some(compute::filter_record_batch(batch, &part).map_err(|e| self.decoder.error(e.to_string())))
    }
}

/// One stage at work.
struct Step<'a> {
    stage: &'a FilterStage,
    schema: SchemaRef,
    /// Columns that are decoded for it.
    missing: &'a [usize],
    /// Columns that were decoded before, and what this stage keeps of those that are needed later.
    done: BTreeMap<usize, Pieces>,
    kept: BTreeMap<usize, Pieces>,
    passed: BooleanBufferBuilder,
}

enum StepError {
    Filter(String),
    Arrow(ArrowError),
}

impl From<ArrowError> for StepError {
    fn from(error: ArrowError) -> Self {
        StepError::Arrow(error)
    }
}

impl Step<'_> {
    /// Filters the next `rows` rows, of which `new` are the columns that were missing.
    fn batch(&mut self, new: &[ArrayRef], rows: usize) -> Result<(), StepError> {
        let mut columns: BTreeMap<usize, ArrayRef> =
            self.missing.iter().copied().zip(new.iter().cloned()).collect();
        for (column, pieces) in &mut self.done {
            columns.insert(*column, pieces.take(rows)?);
        }
        let values = self.stage.columns.iter().map(|column| columns[column].clone()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), values, &options)?;
        let mask = self.stage.filter.evaluate(&batch).map_err(StepError::Filter)?;
        let mask = if mask.null_count() > 0 { compute::prep_null_mask_filter(&mask) } else { mask };
        self.passed.append_buffer(mask.values());
        let passed = mask.true_count();
        if passed == 0 {
            return Ok(());
        }
        let filter = FilterBuilder::new(&mask);
        let filter = if self.kept.len() > 1 { filter.optimize() } else { filter }.build();
        for (column, kept) in &mut self.kept {
            let values = &columns[column];
            kept.push(if passed == rows { values.clone() } else { filter.filter(values)? });
        }
        Ok(())
    }
}

fn stage_schema(file: &ParquetFile, columns: &[usize]) -> SchemaRef {
    let fields: Vec<_> = columns.iter().map(|&column| file.schema().field(column).clone()).collect();
    Arc::new(Schema::new(fields))
}
