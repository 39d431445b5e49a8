//! Filter stages of a scan range, and the row selection between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, BooleanBufferBuilder};
use arrow::buffer::BooleanBuffer;

use crate::decode::compaction::Kept;
use crate::decode::decoder::Rows;
use crate::decode::native::Picked;
use crate::error::Cause;
use crate::error::Error;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::scan::chunked_column::Pieces;
use crate::scan::condition::Condition;
use crate::scan::dictionary_filter::Judgement;
use crate::scan::dictionary_filter::early;
use crate::scan::output::WindowBatches;
use crate::scan::remaining_rows::SurvivorDecoder;
use crate::scan::row_selection::Survivors;
use crate::scan::step::Step;
use crate::scan::step::StepError;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;
use crate::scan::window::leaves;

/// Maximum share of selected rows, as a divisor, for row compaction. parquet-rs otherwise decodes
/// all values and drops those not selected. Finding and copying a value takes about as long as
/// decoding one, so compaction pays only if most values are skipped. Tuned for parquet-rs, not for
/// the native decoders.
const CUT_BELOW: usize = 4;

/// Columns of a scan range after the submission of their pages.
#[derive(Debug)]
pub(super) struct Loaded {
    pub columns: Arc<LoadedColumns>,
    /// By column, code sets for the fused filters on a device.
    pub judgements: BTreeMap<usize, Judgement>,
}

/// A scan range between its filters.
pub(super) struct Stages<'a> {
    pub(super) file: &'a Arc<ParquetFile>,
    pub(super) window: &'a Window,
    pub(super) spec: &'a ScanSpec,
    /// Rows that passed all filters so far.
    pub survivors: Survivors,
    /// Loaded columns without decoded values, with at least the pages that hold a selected row.
    pub(super) held: BTreeMap<usize, Arc<LoadedColumns>>,
    /// Code sets for conditions of these columns, computed ahead.
    pub(super) judgements: BTreeMap<usize, Judgement>,
    /// Decoded columns that are needed later, each with a value for every selected row.
    done: BTreeMap<usize, Pieces>,
}

impl<'a> Stages<'a> {
    pub fn new(file: &'a Arc<ParquetFile>, window: &'a Window, spec: &'a ScanSpec) -> Self {
        let survivors = Survivors::new(window.rows.clone(), &window.wanted);
        let (held, judgements, done) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { file, window, spec, survivors, held, judgements, done }
    }

    /// Adds loaded columns.
    pub fn hold(&mut self, columns: &[usize], loaded: Option<Loaded>) {
        if let Some(Loaded { columns: loaded, judgements }) = loaded {
            self.held.extend(columns.iter().map(|&column| (column, loaded.clone())));
            self.judgements.extend(judgements);
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
        missing.retain(|column| !self.held.contains_key(column));
        let loaded = load(self.file, self.window, &missing, &self.survivors, self.spec).await?;
        self.hold(&missing, loaded);
        Ok(())
    }

    /// Joins undecoded columns, after loading them, so that their selected rows can be decoded.
    pub async fn gather(&mut self, columns: &[usize]) -> Result<Option<Arc<LoadedColumns>>> {
        let leaves = leaves(self.file, columns);
        if leaves.is_empty() {
            return Ok(None);
        }
        self.read(columns).await?;
        let parts = columns.iter().filter_map(|column| self.held.get(column));
        let joined = LoadedColumns::join(parts, leaves.clone())?;
        let rows = self.file.row_group(self.window.row_group)?.num_rows() as usize;
        if self.survivors.can_be_read(&joined.stretches(self.window.rows.clone()), rows) {
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
        let count = self.survivors.count();
        let mut step = step(self.file, conditions, new, count);
        step.done = std::mem::take(&mut self.done);
        let decoded = new.iter().chain(step.done.keys()).copied();
        let later = decoded.filter(|&column| self.is_needed_after(number, column));
        step.kept = later.map(|column| (column, Pieces::default())).collect();
        match loaded {
            Some(columns) => {
                let mut decoder = self.decode(columns, &self.survivors)?.ok_or_else(|| self.unreadable())?;
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
        self.done = step.kept;
        self.held.retain(|column, _| !new.contains(column));
        if passed.has_false() {
            self.survivors.and_then(&passed);
        }
        Ok(())
    }

    /// Reduces the row selection, and the columns decoded for it, to rows that are true in
    /// `passed`, which has one value for each row of the scan range.
    pub(super) fn narrow(&mut self, passed: &BooleanBuffer) -> Result<()> {
        if !self.done.is_empty() {
            let of_survivors = self.survivors.of(passed);
            let mut done = std::mem::take(&mut self.done);
            for pieces in done.values_mut() {
                pieces.filter(&of_survivors).map_err(|error| self.step_error(error.into()))?;
            }
            self.done = done;
        }
        self.survivors.and(passed);
        Ok(())
    }

    /// Drops the columns that no later stage and no output needs.
    pub fn release(&mut self, number: usize) {
        let mut held = std::mem::take(&mut self.held);
        held.retain(|&column, _| self.is_needed_after(number, column));
        self.held = held;
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
            Some(columns) => Some(self.decode(columns, &self.survivors)?.ok_or_else(|| self.unreadable())?),
            None => None,
        };
        self.done.retain(|column, _| self.spec.output.contains(column));
        Ok(WindowBatches::new(self.file, self.spec, rest, decoder, self.done, self.survivors.count()))
    }

    /// Returns a decoder of some rows. `None` if pages are missing between them in a pattern that
    /// parquet-rs cannot decode around.
    pub(super) fn decode(
        &self,
        columns: Arc<LoadedColumns>,
        rows: &Survivors,
    ) -> Result<Option<SurvivorDecoder>> {
        let (row_group, batch_size) = (self.window.row_group, self.spec.batch_size);
        let (kept, counters) = (self.kept(rows).map(Arc::new), &self.spec.load.counters);
        let stretches = columns.stretches(self.window.rows.clone());
        let picked = match kept {
            Some(_) => Picked::all(rows.count()),
            None => rows.picked(stretches.clone()),
        };
        let (direct, others) = match self.spec.kernels {
            Some(kernels) => {
                let start = Instant::now();
                let parts = columns.direct(kernels, picked, kept.as_ref(), counters);
                counters.decoded(row_group, start.elapsed());
                parts?
            }
            None => (None, Some(columns)),
        };
        let Some(others) = others else {
            return Ok(direct.map(|direct| SurvivorDecoder::of_direct(row_group, direct)));
        };
        let others = match kept.filter(|_| others.can_be_cut()) {
            Some(kept) => {
                counters.cut_out(rows.count() * others.width());
                let decoder = others.decode(Rows::Kept(kept), batch_size)?;
                SurvivorDecoder::of_parquet(row_group, decoder, None)
            }
            None => {
                let of_group = self.file.row_group(row_group)?.num_rows() as usize;
                let Some(reading) = rows.reading(&stretches, of_group) else { return Ok(None) };
                let decoder = others.decode(Rows::Selected(reading.selection), batch_size)?;
                SurvivorDecoder::of_parquet(row_group, decoder, reading.mask)
            }
        };
        Ok(Some(others.beside(direct)))
    }

    /// Returns the rows for row compaction, if they are few and far apart.
    fn kept(&self, rows: &Survivors) -> Option<Kept> {
        let kernels = self.spec.kernels?;
        let bits = rows.scattered()?;
        let is_worth_it = bits.count_set_bits() <= bits.len() / CUT_BELOW;
        is_worth_it.then(|| Kept::new(self.window.rows.start, bits, kernels))
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
    survivors: &Survivors,
    spec: &ScanSpec,
) -> Result<Option<Loaded>> {
    let leaves = leaves(file, columns);
    if leaves.is_empty() {
        return Ok(None);
    }
    let row_group = window.row_group;
    let rows = file.row_group(row_group)?.num_rows() as usize;
    let candidates = early::candidates(file, columns, spec);
    let look_up: Vec<usize> = candidates.iter().map(|candidate| candidate.leaf).collect();
    let (of_file, all) = (file.clone(), leaves.clone());
    let loaded =
        LoadedColumns::load_to_look_up(of_file, row_group, all, survivors, &spec.load, &look_up).await?;
    if survivors.can_be_read(&loaded.stretches(window.rows.clone()), rows) {
        let judgements = early::judge(file, window, &loaded, &candidates, survivors, spec).await;
        return Ok(Some(Loaded { columns: Arc::new(loaded), judgements }));
    }
    drop(loaded);
    let all = LoadedColumns::load(file.clone(), row_group, leaves, &window.rows, &spec.load).await?;
    Ok(Some(Loaded { columns: Arc::new(all), judgements: BTreeMap::new() }))
}

/// Returns a filter step without decoded columns.
pub(super) fn step<'a>(
    file: &'a ParquetFile,
    conditions: &'a [&'a Condition],
    new: &'a [usize],
    rows: usize,
) -> Step<'a> {
    let (done, kept) = (BTreeMap::new(), BTreeMap::new());
    Step { file, conditions, new, done, kept, passed: BooleanBufferBuilder::new(rows) }
}
