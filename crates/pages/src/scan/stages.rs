//! Filter stages of a scan range, and the row selection between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;

use crate::decode::compaction::CompactionMask;
use crate::decode::decoder::Rows;
use crate::decode::native::SelectedRanges;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::scan::chunked_column::ChunkedColumn;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter::DictionaryEvaluation;
use crate::scan::dictionary_filter::early;
use crate::scan::output::WindowBatches;
use crate::scan::row_selection::RowSelection;
use crate::scan::selected_rows::SelectedRowsDecoder;
use crate::scan::step::Step;
use crate::scan::step::StepError;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;
use crate::scan::window::leaves;

/// Maximum share of selected rows, as a divisor, for row compaction. parquet-rs otherwise decodes
/// all values and drops those not selected. Finding and copying a value takes about as long as
/// decoding one, so compaction pays only if most values are skipped. Tuned for parquet-rs, not for
/// the native decoders.
const COMPACT_BELOW: usize = 4;

/// Columns of a scan range after the submission of their pages.
#[derive(Debug)]
pub(super) struct Loaded {
    pub columns: Arc<LoadedColumns>,
    /// By column, code sets for the fused filters on a device.
    pub evaluations: BTreeMap<usize, DictionaryEvaluation>,
}

/// A scan range between its filters.
pub(super) struct Stages<'a> {
    pub(super) file: &'a Arc<ParquetFile>,
    pub(super) window: &'a Window,
    pub(super) spec: &'a ScanSpec,
    /// Rows that passed all filters so far.
    pub selection: RowSelection,
    /// Loaded columns without decoded values, with at least the pages that hold a selected row.
    pub(super) loaded: BTreeMap<usize, Arc<LoadedColumns>>,
    /// Code sets for conditions of these columns, computed ahead.
    pub(super) evaluations: BTreeMap<usize, DictionaryEvaluation>,
    /// Decoded columns that are needed later, each with a value for every selected row.
    done: BTreeMap<usize, ChunkedColumn>,
}

impl<'a> Stages<'a> {
    pub fn new(file: &'a Arc<ParquetFile>, window: &'a Window, spec: &'a ScanSpec) -> Self {
        let selection = RowSelection::new(window.rows.clone(), &window.wanted);
        let (loaded, evaluations, done) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { file, window, spec, selection, loaded, evaluations, done }
    }

    /// Adds loaded columns.
    pub fn add(&mut self, columns: &[usize], loaded: Option<Loaded>) {
        if let Some(Loaded { columns: loaded, evaluations }) = loaded {
            self.loaded.extend(columns.iter().map(|&column| (column, loaded.clone())));
            self.evaluations.extend(evaluations);
        }
    }

    /// Returns the columns that were not decoded yet, ascending.
    pub fn undecoded(&self, columns: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let columns: BTreeSet<usize> = columns.into_iter().collect();
        columns.into_iter().filter(|column| !self.done.contains_key(column)).collect()
    }

    /// Loads the columns that were neither loaded nor decoded yet.
    pub async fn read(&mut self, columns: &[usize]) -> Result<()> {
        let mut missing = self.undecoded(columns.iter().copied());
        missing.retain(|column| !self.loaded.contains_key(column));
        let loaded = load(self.file, self.window, &missing, &self.selection, self.spec).await?;
        self.add(&missing, loaded);
        Ok(())
    }

    /// Joins undecoded columns, after loading them, so that their selected rows can be decoded.
    pub async fn gather(&mut self, columns: &[usize]) -> Result<Option<Arc<LoadedColumns>>> {
        let leaves = leaves(self.file, columns);
        if leaves.is_empty() {
            return Ok(None);
        }
        self.read(columns).await?;
        let parts = columns.iter().filter_map(|column| self.loaded.get(column));
        let joined = LoadedColumns::join(parts, leaves.clone())?;
        let rows = self.file.row_group(self.window.row_group)?.num_rows() as usize;
        if self.selection.can_be_read(&joined.loaded_ranges(self.window.rows.clone()), rows) {
            return Ok(Some(Arc::new(joined)));
        }
        // each column could be read alone, but together they lack too many pages
        let (file, group) = (self.file.clone(), self.window.row_group);
        let all = LoadedColumns::load(file, group, leaves, &self.window.rows, &self.spec.load).await?;
        Ok(Some(Arc::new(all)))
    }

    /// Decodes the columns `new`, evaluates conditions of a stage, and keeps the selected rows of
    /// all columns that are needed later.
    pub fn run(
        &mut self,
        number: usize,
        conditions: &[&Condition],
        new: &[usize],
        loaded: Option<Arc<LoadedColumns>>,
    ) -> Result<()> {
        let count = self.selection.count();
        let mut step = step(self.file, conditions, new, count);
        step.done = std::mem::take(&mut self.done);
        let decoded = new.iter().chain(step.done.keys()).copied();
        let later = decoded.filter(|&column| self.is_needed_after(number, column));
        step.selected = later.map(|column| (column, ChunkedColumn::default())).collect();
        match loaded {
            Some(columns) => {
                let mut decoder = self.decode(columns, &self.selection)?.ok_or_else(|| self.unreadable())?;
                while let Some(batch) = decoder.next(self.spec).transpose()? {
                    self.filter(&mut step, batch.columns(), batch.num_rows())?;
                }
            }
            None => {
                for from in (0..count).step_by(self.spec.batch_size) {
                    self.filter(&mut step, &[], self.spec.batch_size.min(count - from))?;
                }
            }
        }
        let passed = self.finished(&mut step, count)?;
        self.done = step.selected;
        self.loaded.retain(|column, _| !new.contains(column));
        if passed.has_false() {
            self.selection.and_then(&passed);
        }
        Ok(())
    }

    /// Reduces the row selection, and the columns decoded for it, to rows that are true in
    /// `passed`, which has one value for each row of the scan range.
    pub(super) fn reduce_selection(&mut self, passed: &BooleanBuffer) -> Result<()> {
        if !self.done.is_empty() {
            let of_selected = self.selection.of(passed);
            let mut done = std::mem::take(&mut self.done);
            for pieces in done.values_mut() {
                pieces.filter(&of_selected).map_err(|error| self.step_error(error.into()))?;
            }
            self.done = done;
        }
        self.selection.and(passed);
        Ok(())
    }

    /// Drops the columns that no later stage and no output needs.
    pub fn release(&mut self, number: usize) {
        let mut loaded = std::mem::take(&mut self.loaded);
        loaded.retain(|&column, _| self.is_needed_after(number, column));
        self.loaded = loaded;
    }

    fn is_needed_after(&self, number: usize, column: usize) -> bool {
        self.spec.output.contains(&column)
            || self.spec.stages[number + 1..].iter().any(|later| later.columns.contains(&column))
    }

    pub(super) fn filter(&self, step: &mut Step<'_>, new: &[ArrayRef], rows: usize) -> Result<()> {
        let start = Instant::now();
        step.batch(new, rows).map_err(|error| self.step_error(error))?;
        self.spec.load.counters.filtered(self.window.row_group, start.elapsed());
        Ok(())
    }

    pub(super) fn finished(&self, step: &mut Step<'_>, count: usize) -> Result<BooleanBuffer> {
        let passed = step.passed.finish();
        if passed.len() == count {
            return Ok(passed);
        }
        let what = format!("{} of {count} rows came out", passed.len());
        Err(Error::new(self.file.place().row_group(self.window.row_group), Cause::Decode(what)))
    }

    /// Returns the output batches. The columns `rest` are decoded with them.
    pub fn finish(mut self, rest: Vec<usize>, loaded: Option<Arc<LoadedColumns>>) -> Result<WindowBatches> {
        let decoder = match loaded {
            Some(columns) => Some(self.decode(columns, &self.selection)?.ok_or_else(|| self.unreadable())?),
            None => None,
        };
        self.done.retain(|column, _| self.spec.output.contains(column));
        Ok(WindowBatches::new(self.file, self.spec, rest, decoder, self.done, self.selection))
    }

    /// Returns a decoder of some rows. `None` if pages are missing between them in a pattern that
    /// parquet-rs cannot decode around.
    pub(super) fn decode(
        &self,
        columns: Arc<LoadedColumns>,
        rows: &RowSelection,
    ) -> Result<Option<SelectedRowsDecoder>> {
        let (row_group, batch_size) = (self.window.row_group, self.spec.batch_size);
        let (mask, counters) = (self.compaction_mask(rows).map(Arc::new), &self.spec.load.counters);
        let loaded_ranges = columns.loaded_ranges(self.window.rows.clone());
        let selected = match mask {
            Some(_) => SelectedRanges::all(rows.count()),
            None => rows.selected_ranges(loaded_ranges.clone()),
        };
        let (native, others) = match self.spec.kernels {
            Some(kernels) => {
                let start = Instant::now();
                let parts = columns.native_decoder(kernels, selected, mask.as_ref(), counters);
                counters.decoded(row_group, start.elapsed());
                parts?
            }
            None => (None, Some(columns)),
        };
        let Some(others) = others else {
            return Ok(native.map(|native| SelectedRowsDecoder::of_native(row_group, native)));
        };
        let others = match mask.filter(|_| others.can_be_compacted()) {
            Some(mask) => {
                counters.cut_out(rows.count() * others.width());
                let decoder = others.decode(Rows::Compacted(mask), batch_size)?;
                SelectedRowsDecoder::of_parquet(row_group, decoder, None)
            }
            None => {
                let of_group = self.file.row_group(row_group)?.num_rows() as usize;
                let Some(parquet_rows) = rows.parquet_rows(&loaded_ranges, of_group) else { return Ok(None) };
                let decoder = others.decode(Rows::Selected(parquet_rows.selection), batch_size)?;
                SelectedRowsDecoder::of_parquet(row_group, decoder, parquet_rows.mask)
            }
        };
        Ok(Some(others.with_native(native)))
    }

    /// Returns the rows for row compaction, if they are few and far apart.
    fn compaction_mask(&self, rows: &RowSelection) -> Option<CompactionMask> {
        let kernels = self.spec.kernels?;
        let bits = rows.scattered()?;
        let is_worth_it = bits.count_set_bits() <= bits.len() / COMPACT_BELOW;
        is_worth_it.then(|| CompactionMask::new(self.window.rows.start, bits, kernels))
    }

    fn unreadable(&self) -> Error {
        let what = "internal error: the pages that were loaded can't be read";
        self.file.error(Cause::Decode(what.to_owned()))
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

/// Loads the pages of some columns that hold a selected row. Loads all pages of the scan range if
/// parquet-rs could not decode around the missing ones.
pub(super) async fn load(
    file: &Arc<ParquetFile>,
    window: &Window,
    columns: &[usize],
    selection: &RowSelection,
    spec: &ScanSpec,
) -> Result<Option<Loaded>> {
    let leaves = leaves(file, columns);
    if leaves.is_empty() {
        return Ok(None);
    }
    let row_group = window.row_group;
    let rows = file.row_group(row_group)?.num_rows() as usize;
    let candidates = early::candidates(file, columns, spec);
    let fused: Vec<usize> = candidates.iter().map(|candidate| candidate.leaf).collect();
    let (of_file, all) = (file.clone(), leaves.clone());
    let loaded =
        LoadedColumns::load_for_fused_filter(of_file, row_group, all, selection, &spec.load, &fused).await?;
    if selection.can_be_read(&loaded.loaded_ranges(window.rows.clone()), rows) {
        let evaluations = early::evaluate(file, window, &loaded, &candidates, selection, spec).await;
        return Ok(Some(Loaded { columns: Arc::new(loaded), evaluations }));
    }
    drop(loaded);
    let all = LoadedColumns::load(file.clone(), row_group, leaves, &window.rows, &spec.load).await?;
    Ok(Some(Loaded { columns: Arc::new(all), evaluations: BTreeMap::new() }))
}

/// Returns a filter step without decoded columns.
pub(super) fn step<'a>(
    file: &'a ParquetFile,
    conditions: &'a [&'a Condition],
    new: &'a [usize],
    rows: usize,
) -> Step<'a> {
    let (done, selected) = (BTreeMap::new(), BTreeMap::new());
    Step { file, conditions, new, done, selected, passed: BooleanBufferBuilder::new(rows) }
}
