//! `pelton_scan` for single files, as the native layer calls it.
//!
//! DuckDB lists the files, maps their columns and merges them; it evaluates the conditions too, on
//! columns that are decoded first. Rows that pass no condition are not decoded further.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, BooleanBufferBuilder, new_null_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::concat;
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use futures::executor::block_on;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::statistics::Statistics;
use pelton_pages::{
    ColumnTypes, Condition, Filter, FilterStage, FooterOptions, Location, ParquetFile, bounds,
};

use super::PeltonScan;
use super::footer_cache;
use super::morsels::{Scan, Wanted};
use super::plan::Request;
use super::range::{Range, ranges};
use super::row_numbers;
use super::stream::Stream;
use super::table::{self, Table};
use crate::resources::{Resources, resources};
use crate::settings::Settings;
use crate::sys::native::{Bounds, Conditions, Duty, Facts, FileScan, Nulls, OnColumn, Scratch, Source};
use crate::sys::{self, Chunk, Column, Type, VECTOR_ROWS, Value};
use crate::vector;

/// An open file.
pub struct OpenFile {
    resources: Arc<Resources>,
    file: Arc<ParquetFile>,
    columns: Vec<Column>,
    /// The conditions that the user gave by name.
    ranges: Vec<Range>,
}

/// A condition on a column of a file.
#[derive(Debug, Clone)]
pub struct On {
    /// The column of the file.
    column: usize,
    /// Number of the condition, for DuckDB.
    condition: u64,
    of: Type,
    duty: Duty,
    /// How many rows passed, where the condition may be left out.
    share: Arc<Share>,
}

/// Share of the rows that pass a condition.
#[derive(Debug, Default)]
struct Share {
    rows: AtomicU64,
    passing: AtomicU64,
}

impl Share {
    /// Rows after which the share is known.
    const ENOUGH: u64 = 64 * 1024;

    fn add(&self, rows: usize, passing: usize) {
        self.rows.fetch_add(rows as u64, Relaxed);
        self.passing.fetch_add(passing as u64, Relaxed);
    }

    /// Returns whether so few rows fail that they take less time in the rest of the query than the
    /// condition takes here: it is evaluated on its column first, and the values are copied.
    fn is_useless(&self) -> bool {
        let (rows, passing) = (self.rows.load(Relaxed), self.passing.load(Relaxed));
        rows >= Self::ENOUGH && passing >= rows / 4 * 3
    }
}

impl On {
    /// Returns whether rows are tested now.
    fn is_evaluated(&self) -> bool {
        match self.duty {
            Duty::MustHold => true,
            Duty::MayHold => !self.share.is_useless(),
            Duty::BoundsOnly => false,
        }
    }
}

/// A scan of a file.
pub struct Running {
    scan: Arc<Scan>,
    on: Vec<On>,
    /// The conditions on the row number.
    on_rows: Vec<OnColumn>,
    /// First row of each row group.
    starts: Vec<u64>,
}

impl FileScan for PeltonScan {
    type File = OpenFile;
    type Running = Running;
    type Stream = Stream;

    fn open(
        settings: &dyn sys::Settings,
        path: &str,
        source: Option<Source>,
        device: Option<String>,
        argument: Option<&Value>,
    ) -> Result<OpenFile, String> {
        let resources = resources(&Settings::of(settings, device)?)?;
        let file = match source {
            Some(source) => {
                let (meta, store) = (source.meta(), Arc::new(source));
                let location = Location::new(store, meta, path);
                let options = FooterOptions { types: ColumnTypes::Stored, ..FooterOptions::default() };
                block_on(ParquetFile::open(location, &options)).map_err(|e| e.to_string())?
            }
            None => {
                let opened = footer_cache::open_all(&resources, &[PathBuf::from(path)])?;
                opened.into_iter().next().ok_or_else(|| format!("{path}: not opened"))?
            }
        };
        let columns = table::own_columns(&file)?;
        let table = Table::of_file(file.clone(), columns.clone());
        let ranges = argument.map(|argument| ranges(argument, &table)).transpose()?.unwrap_or_default();
        Ok(OpenFile { resources, file, columns, ranges })
    }

    fn columns(file: &OpenFile) -> Result<Vec<Column>, String> {
        Ok(file.columns.clone())
    }

    fn size(file: &OpenFile) -> (u64, u64) {
        let metadata = file.file.metadata();
        (metadata.file_metadata().num_rows().max(0) as u64, metadata.num_row_groups() as u64)
    }

    fn threads(file: &OpenFile) -> u64 {
        file.resources.max_readers() as u64
    }

    fn statistics(
        file: &OpenFile,
        column: usize,
        from: usize,
        bounds: Bounds,
    ) -> Result<Option<usize>, String> {
        let parquet = &file.file;
        let name = parquet.schema().field(column).name();
        let is_unique = parquet.schema().fields().iter().filter(|field| field.name() == name).count() == 1;
        let Some(converter) = bounds::converter(parquet, name).filter(|_| is_unique) else { return Ok(None) };
        let groups = parquet.metadata().row_groups();
        let count = groups.len().saturating_sub(from).min(VECTOR_ROWS);
        let unknown = new_null_array(converter.arrow_field().data_type(), 1);
        let mut found = [Vec::with_capacity(count), Vec::with_capacity(count)];
        for (at, group) in (from..from + count).enumerate() {
            bounds.facts[at] = facts(parquet, &converter, group);
            let of_group = bounds::of_row_group(parquet, &converter, group);
            let [mins, maxes] = &mut found;
            mins.push(of_group.as_ref().map_or_else(|| unknown.clone(), |bounds| bounds.mins.clone()));
            maxes.push(of_group.map_or_else(|| unknown.clone(), |bounds| bounds.maxes));
        }
        for (index, arrays) in found.iter().enumerate() {
            let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
            let array = concat(&arrays).map_err(|e| e.to_string())?;
            let mut to = bounds.chunk.column(index, &file.columns[column].of);
            vector::write_flat(&array, 0, count, &mut to)?;
        }
        Ok(Some(count))
    }

    fn start(
        file: &OpenFile,
        columns: Vec<Option<usize>>,
        all: Vec<OnColumn>,
        conditions: Conditions,
    ) -> Result<Running, String> {
        let (mut on, mut on_rows) = (Vec::new(), Vec::new());
        for one in all {
            let Some(column) = one.column else {
                on_rows.push(one);
                continue;
            };
            let (of, share) = (file.columns[column].of.clone(), Arc::default());
            on.push(On { column, condition: one.condition, of, duty: one.duty, share });
        }
        let table = Table::of_file(file.file.clone(), file.columns.clone());
        let request = Request { columns, conditions: file.ranges.clone() };
        let also: Vec<usize> = on.iter().filter(|on| on.is_evaluated()).map(|on| on.column).collect();
        let may = Evaluated { on: &on, conditions };
        let scan = Scan::with_columns(file.resources.clone(), Arc::new(table), &request, &also, &may);
        let mut starts = Vec::new();
        let mut row = 0;
        for group in file.file.metadata().row_groups() {
            starts.push(row);
            row += group.num_rows().max(0) as u64;
        }
        Ok(Running { scan: Arc::new(scan), on, on_rows, starts })
    }

    fn progress(running: &Running) -> f64 {
        running.scan.progress()
    }

    fn claim(running: &Running, stream: &mut Stream, conditions: Conditions) -> Result<bool, String> {
        let may = Evaluated { on: &running.on, conditions };
        let (morsel, first) = loop {
            let Some(mut morsel) = running.scan.next_where(&may)? else { return Ok(false) };
            let first = running.starts.get(morsel.window.row_group).copied().unwrap_or(0);
            for condition in &running.on_rows {
                row_numbers::narrow(&mut morsel.window, first, condition, conditions)?;
            }
            if !morsel.window.wanted.is_empty() {
                break (morsel, first);
            }
        };
        let mut spec = running.scan.plans[0].spec.clone();
        let evaluated: Vec<&On> = running.on.iter().filter(|on| on.is_evaluated()).collect();
        if !evaluated.is_empty() {
            let mut columns: Vec<usize> = evaluated.iter().map(|on| on.column).collect();
            columns.sort_unstable();
            columns.dedup();
            let condition = |on: &On| {
                let filter = DuckDbFilter { on: on.clone(), conditions };
                Condition { columns: vec![on.column], filter: Arc::new(filter) as Arc<dyn Filter> }
            };
            let stage = FilterStage { columns, conditions: evaluated.into_iter().map(condition).collect() };
            spec.stages.push(stage);
        }
        stream.assign(morsel, spec, first);
        Ok(true)
    }

    fn fill(running: &Running, stream: &mut Stream, chunk: &mut Chunk) -> Result<usize, String> {
        Ok(stream.fill_assigned(&running.scan, chunk)?)
    }
}

/// Returns the facts on a row group as far as its footer states them.
fn facts(file: &ParquetFile, converter: &StatisticsConverter<'_>, row_group: usize) -> Facts {
    let group = file.metadata().row_group(row_group);
    let statistics = converter.parquet_column_index().and_then(|leaf| group.column(leaf).statistics());
    let nulls = match statistics.and_then(Statistics::null_count_opt) {
        Some(0) => Nulls::None,
        Some(count) if count == group.num_rows().max(0) as u64 => Nulls::All,
        _ => Nulls::Unknown,
    };
    let has_exact_bounds = bounds::are_exact(file, converter, row_group) == (true, true);
    Facts { nulls, has_exact_bounds }
}

/// The conditions of a scan, for one thread's pruning.
struct Evaluated<'a> {
    on: &'a [On],
    conditions: Conditions,
}

impl Wanted for Evaluated<'_> {
    fn columns(&self) -> Vec<usize> {
        self.on.iter().map(|on| on.column).collect()
    }

    fn may_hold(&self, index: usize, bounds: &bounds::Bounds) -> Result<BooleanArray, String> {
        let On { condition, of, .. } = &self.on[index];
        let count = bounds.mins.len();
        let scratch = |array: &ArrayRef| -> Result<Scratch, String> {
            let mut values = Scratch::new(of, count);
            vector::write_flat(array, 0, count, &mut values.empty())?;
            Ok(values)
        };
        let (mins, maxes) = (scratch(&bounds.mins)?, scratch(&bounds.maxes)?);
        Ok(BooleanArray::from(self.conditions.may_hold(*condition, &mins, &maxes, count)?))
    }
}

/// A condition that DuckDB evaluates.
struct DuckDbFilter {
    on: On,
    conditions: Conditions,
}

impl fmt::Debug for DuckDbFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "condition {} on column {}", self.on.condition, self.on.column)
    }
}

impl DuckDbFilter {
    /// Returns the passing values of an array.
    fn passing(&self, array: &ArrayRef) -> Result<BooleanBuffer, String> {
        let mut passing = BooleanBufferBuilder::new(array.len());
        // One vector does for all parts where nothing of the values before is left in it.
        let is_reused = array.null_count() == 0 && array.data_type().is_primitive();
        let mut values = Scratch::new(&self.on.of, VECTOR_ROWS);
        for from in (0..array.len()).step_by(VECTOR_ROWS) {
            let rows = VECTOR_ROWS.min(array.len() - from);
            if from > 0 && !is_reused {
                values = Scratch::new(&self.on.of, VECTOR_ROWS);
            }
            vector::write_flat(array, from, rows, &mut values.empty())?;
            match self.conditions.evaluate(self.on.condition, &values, rows)? {
                None => passing.append_n(rows, true),
                Some(found) => {
                    let mut bits = [0u8; VECTOR_ROWS / 8];
                    found.into_iter().for_each(|row| bits[row as usize / 8] |= 1 << (row % 8));
                    passing.append_packed_range(0..rows, &bits);
                }
            }
        }
        Ok(passing.finish())
    }
}

impl Filter for DuckDbFilter {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String> {
        let array = batch.column(0);
        let dictionary = array.as_dictionary_opt::<Int32Type>();
        let Some(dictionary) = dictionary.filter(|dictionary| dictionary.values().len() < array.len()) else {
            return Ok(BooleanArray::new(self.passing(array)?, None));
        };
        let of_values = self.passing(dictionary.values())?;
        let null = match dictionary.null_count() {
            0 => false,
            _ => self.passing(&new_null_array(dictionary.values().data_type(), 1))?.value(0),
        };
        let passes = |key: Option<i32>| key.map_or(null, |key| of_values.value(key as usize));
        Ok(BooleanArray::new(dictionary.keys().iter().map(passes).collect(), None))
    }

    fn note(&self, rows: usize, passing: usize) {
        self.on.share.add(rows, passing);
    }
}
