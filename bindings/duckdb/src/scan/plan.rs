//! Plan of a scan: the request of a query, applied to each file.

use std::sync::Arc;

use pelton_pages::{Condition, Filter, FilterStage, LoadOptions, ScanCounters, ScanSpec};

use super::range::Range;
use super::table::{Source, Table};
use crate::resources::Resources;

/// Rows that are decoded at a time: several of DuckDB's vectors, to spread the cost of a decoder
/// call, but few enough to be in the cache when they are copied.
const BATCH_ROWS: usize = 8 * crate::sys::VECTOR_ROWS;

/// The request of a query, in the form that both of DuckDB's interfaces fill in.
#[derive(Debug, Clone)]
pub struct Request {
    /// For each vector of a chunk the table's column; `None` if DuckDB only counts rows.
    pub columns: Vec<Option<usize>>,
    /// Conditions on rows.
    pub conditions: Vec<Range>,
}

/// Source of one vector of a chunk.
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
    /// No column of the table: the row number where DuckDB wants it, otherwise a vector that it
    /// does not read.
    NoColumn,
}

/// Plan of one file.
#[derive(Debug)]
pub struct FilePlan {
    /// Columns and conditions for `pelton_pages`.
    pub spec: ScanSpec,
    /// Source of each vector of a chunk.
    pub outputs: Vec<Output>,
    /// The conditions, each with its column in the file; `None` if no row of the file passes them.
    pub conditions: Option<Vec<(usize, Range)>>,
}

impl FilePlan {
    /// Returns the columns of the file that are read, for the output or for a condition, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let filtered = self.spec.stages.iter().flat_map(|stage| stage.columns.iter().copied());
        let mut columns: Vec<usize> = self.spec.output.iter().copied().chain(filtered).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// Plans the reading of a file.
pub fn plan(
    resources: &Resources,
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
        let Some(column) = *column else { return Output::NoColumn };
        match table.columns[column].1 {
            // Always found, since `output` was made of these columns.
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
    let load = LoadOptions {
        router: resources.router.clone(),
        counters: counters.clone(),
        verify_checksums: false,
        caller_runs: true,
        dictionaries: Some(resources.dictionaries.clone()),
    };
    let spec = ScanSpec {
        output,
        stages: stages(conditions.as_deref().unwrap_or_default()),
        batch_size: BATCH_ROWS,
        kernels: Some(resources.kernels),
        load,
    };
    FilePlan { spec, outputs, conditions }
}

/// Returns the conditions as one stage: they are few, and each is on one column.
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
