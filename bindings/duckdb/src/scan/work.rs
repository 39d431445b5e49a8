//! What is to be read of a table, cut into windows that threads take one after the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use pelton_pages::{LoadOptions, ScanCounters, ScanSpec, Window, windows};

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
            if rows > 0 {
                let columns = &self.plans[queue.file].spec.output;
                let bytes = self.machine.window_bytes;
                let whole = 0..rows;
                queue.windows = windows(&file.file, queue.row_group, &[whole], columns, bytes)?.into();
            }
            queue.row_group += 1;
        }
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
    let load =
        LoadOptions { router: machine.router.clone(), counters: counters.clone(), verify_checksums: false };
    let spec = ScanSpec {
        output,
        stages: Vec::new(),
        batch_size: BATCH_ROWS,
        encoded_filters: Some(machine.kernels),
        load,
    };
    FilePlan { spec, outputs }
}
