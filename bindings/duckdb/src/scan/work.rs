//! What is to be read of a table, cut into windows that threads take one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use pelton_pages::{
    Condition, Filter, FilterStage, LoadOptions, RowRanges, ScanCounters, ScanSpec, Window, windows,
};

use super::prune;
use super::range::Range;
use super::table::{Source, Table};
use crate::error::Result;
use crate::machine::Machine;

/// Rows that are decoded at a time: a few of DuckDB's vectors, so that what a call of the decoders costs is spread, and what
/// they give is still in the cache when it is copied.
const BATCH_ROWS: usize = 8 * crate::sys::VECTOR_ROWS;

/// What a query wants of a table: the seam between DuckDB's interface and the scan.
#[derive(Debug, Clone)]
pub struct Request {
    /// The columns of the table that each vector of a chunk is to have; `None`: DuckDB wants rows, and nothing in them.
    pub columns: Vec<Option<usize>>,
    /// Conditions that rows have to pass.
    pub conditions: Vec<Range>,
}

/// A window, and the file that it is of.
#[derive(Debug)]
pub struct Work {
    /// Index of the file.
    pub file: usize,
    /// Its rows.
    pub window: Window,
}

/// What a vector of a chunk gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A column of the batches, which is a column of the table.
    Column {
        /// Its index in the batches.
        at: usize,
        /// Its index in the table.
        column: usize,
    },
    /// A value of the file's path, which is a column of the table.
    Path {
        /// Its index in the path.
        at: usize,
        /// Its index in the table.
        column: usize,
    },
    /// Anything.
    Nothing,
}

/// How one file is read.
#[derive(Debug)]
pub struct FilePlan {
    /// What `pages` is told.
    pub spec: ScanSpec,
    /// For each vector of a chunk.
    pub outputs: Vec<Output>,
    /// The conditions, each with the file's column that it is about; `None`: no row of the file passes them.
    conditions: Option<Vec<(usize, Range)>>,
}

/// A scan that is running.
pub struct Scan {
    /// Reads and decompresses.
    pub machine: Arc<Machine>,
    /// What is read.
    pub table: Arc<Table>,
    /// How, for each file.
    pub plans: Vec<FilePlan>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    file: usize,
    row_group: usize,
    windows: VecDeque<Window>,
}

impl Scan {
    /// Plans a scan; nothing is read yet.
    pub fn new(machine: Arc<Machine>, table: Arc<Table>, request: &Request) -> Scan {
        let counters = Arc::new(ScanCounters::default());
        let plans = (0..table.files.len()).map(|file| plan(&machine, &table, file, request, &counters));
        let plans = plans.collect();
        Scan { machine, table, plans, queue: Mutex::default() }
    }

    /// The next window; `None` when all have been handed out.
    ///
    /// # Errors
    /// A footer does not hold together.
    pub fn next(&self) -> Result<Option<Work>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(window) = queue.windows.pop_front() {
                return Ok(Some(Work { file: queue.file, window }));
            }
            let Some(file) = self.table.files.get(queue.file) else { return Ok(None) };
            let groups = file.file.metadata().row_groups();
            let Some(group) = groups.get(queue.row_group) else {
                queue.file += 1;
                queue.row_group = 0;
                continue;
            };
            let rows = group.num_rows() as usize;
            let wanted = self.wanted(queue.file, queue.row_group, rows);
            if !wanted.is_empty() {
                let spec = &self.plans[queue.file].spec;
                let filtered = spec.stages.iter().flat_map(|stage| stage.columns.iter().copied());
                let mut columns: Vec<usize> = spec.output.iter().copied().chain(filtered).collect();
                columns.sort_unstable();
                columns.dedup();
                let bytes = self.machine.window_bytes;
                queue.windows = windows(&file.file, queue.row_group, &wanted, &columns, bytes)?.into();
            }
            queue.row_group += 1;
        }
    }

    /// The rows of a row group that the file's statistics leave.
    fn wanted(&self, file: usize, row_group: usize, rows: usize) -> RowRanges {
        let whole = 0..rows;
        let Some(conditions) = &self.plans[file].conditions else { return Vec::new() };
        let mut wanted = if rows > 0 { vec![whole] } else { Vec::new() };
        for (column, range) in conditions {
            let found = prune::rows(&self.table.files[file].file, row_group, *column, range);
            wanted = prune::intersect(&wanted, &found);
        }
        wanted
    }

    /// How many threads can be of use: about as many as there are windows.
    pub fn threads(&self) -> usize {
        let of_file = self.table.files.iter().zip(&self.plans).map(|(file, plan)| {
            let schema = file.file.parquet_schema();
            let is_read = |leaf: usize| plan.spec.output.contains(&schema.get_column_root_idx(leaf));
            let groups = file.file.metadata().row_groups().iter().map(|group| {
                let sizes = group.columns().iter().enumerate().filter(|(leaf, _)| is_read(*leaf));
                let bytes: u64 = sizes.map(|(_, chunk)| chunk.uncompressed_size() as u64).sum();
                bytes.div_ceil(self.machine.window_bytes).max(1) as usize
            });
            groups.sum::<usize>()
        });
        of_file.sum()
    }
}

fn plan(
    machine: &Machine,
    table: &Table,
    file: usize,
    request: &Request,
    counters: &Arc<ScanCounters>,
) -> FilePlan {
    let in_file = &table.files[file].columns;
    let read = request.columns.iter().flatten().filter_map(|column| match table.columns[*column].1 {
        Source::File(index) => Some(in_file[index]),
        Source::Path(_) => None,
    });
    let mut output: Vec<usize> = read.collect();
    output.sort_unstable();
    output.dedup();
    let outputs = request.columns.iter().map(|column| {
        let Some(column) = *column else { return Output::Nothing };
        match table.columns[column].1 {
            // one of them: `output` was made of these
            Source::File(index) => {
                let at = output.partition_point(|read| *read < in_file[index]);
                Output::Column { at, column }
            }
            Source::Path(at) => Output::Path { at, column },
        }
    });
    let outputs = outputs.collect();
    let mut conditions = Some(Vec::new());
    for range in &request.conditions {
        match range.source(table) {
            Source::File(index) => {
                conditions.iter_mut().for_each(|all| all.push((in_file[index], range.clone())))
            }
            Source::Path(index) if range.holds_path(&table.files[file].path[index]) => {}
            Source::Path(_) => conditions = None,
        }
    }
    let load =
        LoadOptions { router: machine.router.clone(), counters: counters.clone(), verify_checksums: false };
    let spec = ScanSpec {
        output,
        stages: stages(conditions.as_deref().unwrap_or_default()),
        batch_size: BATCH_ROWS,
        encoded_filters: Some(machine.kernels),
        load,
    };
    FilePlan { spec, outputs, conditions }
}

/// The conditions, read and evaluated together: they are few, and each is on one column.
fn stages(conditions: &[(usize, Range)]) -> Vec<FilterStage> {
    let mut columns: Vec<usize> = conditions.iter().map(|(column, _)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let condition = |(column, range): &(usize, Range)| Condition {
        columns: vec![*column],
        filter: Arc::new(range.clone()) as Arc<dyn Filter>,
    };
    match columns.is_empty() {
        true => Vec::new(),
        false => vec![FilterStage { columns, conditions: conditions.iter().map(condition).collect() }],
    }
}
