//! `pelton_scan` for single files, as the native layer calls it.
//!
//! DuckDB lists the files, maps their columns and merges them; it evaluates the conditions too, on
//! columns that are decoded first. Rows that pass no condition are not decoded further.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{Array, new_null_array};
use arrow::compute::concat;
use futures::executor::block_on;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::statistics::Statistics;
use pelton_pages::{
    ColumnTypes, Condition, Filter, FilterStage, FooterOptions, Location, ParquetFile, bounds,
};

use super::PeltonScan;
use super::conditions::{DuckDbFilter, Evaluated, On};
use super::footer_cache;
use super::morsels::Scan;
use super::plan::Request;
use super::range::{Range, ranges};
use super::row_numbers;
use super::stream::Stream;
use super::table::{self, Table};
use crate::resources::{Resources, resources};
use crate::settings::Settings;
use crate::sys::native::{Bounds, Conditions, Facts, FileScan, Nulls, OnColumn, Source};
use crate::sys::{self, Chunk, Column, VECTOR_ROWS, Value};
use crate::vector;

/// An open file.
pub struct OpenFile {
    resources: Arc<Resources>,
    file: Arc<ParquetFile>,
    columns: Vec<Column>,
    /// The conditions that the user gave by name.
    ranges: Vec<Range>,
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

    fn group_rows(file: &OpenFile) -> impl Iterator<Item = u64> {
        file.file.metadata().row_groups().iter().map(|group| group.num_rows().max(0) as u64)
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
            let (of, effectiveness) = (file.columns[column].of.clone(), Arc::default());
            on.push(On { column, condition: one.condition, of, duty: one.duty, effectiveness });
        }
        let table = Table::of_file(file.file.clone(), file.columns.clone());
        let request = Request { columns, conditions: file.ranges.clone() };
        let also: Vec<usize> = on.iter().filter(|on| on.is_evaluated()).map(|on| on.column).collect();
        let may = Evaluated { on: &on, conditions };
        let scan = Scan::with_columns(file.resources.clone(), Arc::new(table), &request, &also, &may);
        let mut starts = Vec::new();
        let mut row = 0;
        for rows in Self::group_rows(file) {
            starts.push(row);
            row += rows;
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
