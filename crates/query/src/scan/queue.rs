//! The work of a scan, which its partitions share.

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::error::Result as DataFusionResult;
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, snapshot_generation};
use pelton_pages::{BloomFilters, FilterStage, LoadOptions, ParquetFile, ScanSpec, Window, windows};
use tokio::sync::Mutex;

use super::predicate::{self, Conjunct, FileFilter, Monitor};
use super::prune::Pruner;
use super::source::{PeltonSource, ScanContext};
use crate::error::wrap;
use crate::table::TableFiles;
use pelton_pages::ScanCounters;

/// Windows to scan, cut row group by row group as partitions ask for them, so that pruning knows what dynamic filters
/// have learnt until then.
#[derive(Debug)]
pub(super) struct WorkQueue {
    table: Arc<TableFiles>,
    predicates: Vec<Arc<dyn PhysicalExpr>>,
    /// Columns of the table that the output has.
    projection: Vec<usize>,
    monitors: Vec<Arc<Monitor>>,
    context: ScanContext,
    counters: Arc<ScanCounters>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next_file: usize,
    /// The file whose row groups are being handed out.
    current: Option<Current>,
    windows: VecDeque<Window>,
}

#[derive(Debug)]
struct Current {
    file: usize,
    next_row_group: usize,
    /// Of the dynamic conditions when `conjuncts` was made.
    generation: u64,
    conjuncts: Vec<Conjunct>,
    stages: Vec<FilterStage>,
}

/// A window with all that is needed to scan it.
#[derive(Debug, Clone)]
pub(super) struct Work {
    /// Index of the file in the table.
    pub file: usize,
    pub window: Window,
    pub stages: Vec<FilterStage>,
}

impl WorkQueue {
    pub fn new(source: &PeltonSource) -> Self {
        Self {
            table: source.files.clone(),
            predicates: source.predicates.clone(),
            projection: source.projection.clone(),
            monitors: source.predicates.iter().map(|_| Arc::default()).collect(),
            context: source.context.clone(),
            counters: source.counters.clone(),
            state: Mutex::default(),
        }
    }

    /// The next window; `None` when all have been handed out.
    pub async fn next(&self) -> DataFusionResult<Option<Work>> {
        let mut state = self.state.lock().await;
        loop {
            if let Some(current) = &mut state.current {
                self.refresh(current)?;
            }
            if let (Some(window), Some(current)) = (state.windows.pop_front(), &state.current) {
                return Ok(Some(Work { file: current.file, window, stages: current.stages.clone() }));
            }
            if let Some(current) = &mut state.current {
                let file = self.table.files[current.file].file.clone();
                if current.next_row_group < file.metadata().num_row_groups() {
                    current.next_row_group += 1;
                    let row_group = current.next_row_group - 1;
                    state.windows = self.cut(current, &file, row_group).await?.into();
                    continue;
                }
            }
            if state.next_file == self.table.files.len() {
                return Ok(None);
            }
            state.next_file += 1;
            state.current = self.start(state.next_file - 1)?;
        }
    }

    fn generation(&self) -> u64 {
        self.predicates.iter().map(snapshot_generation).fold(0, u64::wrapping_add)
    }

    /// Begins a file; `None` if no row of it can pass.
    fn start(&self, file: usize) -> DataFusionResult<Option<Current>> {
        let generation = self.generation();
        let conjuncts = predicate::snapshot(&self.predicates, &self.monitors, &self.table.schema)?;
        match predicate::stages(&conjuncts, &self.table, &self.table.files[file])? {
            FileFilter::Stages(stages) => {
                Ok(Some(Current { file, next_row_group: 0, generation, conjuncts, stages }))
            }
            FileFilter::Nothing => {
                let row_groups = self.table.files[file].file.metadata().num_row_groups();
                self.counters.row_groups(0, row_groups);
                Ok(None)
            }
        }
    }

    /// Takes over what dynamic conditions have become, and leaves out those that turned out useless.
    fn refresh(&self, current: &mut Current) -> DataFusionResult<()> {
        let generation = self.generation();
        let useless =
            |conjunct: &Conjunct| conjunct.monitor.as_ref().is_some_and(|monitor| monitor.is_useless());
        if generation == current.generation && !current.conjuncts.iter().any(useless) {
            return Ok(());
        }
        if let Some(renewed) = self.start(current.file)? {
            *current = Current { next_row_group: current.next_row_group, ..renewed };
        }
        Ok(())
    }

    /// The windows of a row group that statistics leave.
    async fn cut(
        &self,
        current: &Current,
        file: &Arc<ParquetFile>,
        row_group: usize,
    ) -> DataFusionResult<Vec<Window>> {
        let table_file = &self.table.files[current.file];
        let rows = file.metadata().row_group(row_group).num_rows() as usize;
        let whole = 0..rows;
        let mut wanted = vec![whole];
        if rows == 0 {
            return Ok(Vec::new());
        }
        let conditions = predicate::bound(&current.conjuncts, &self.table, table_file)?;
        let pruner = Pruner::new(conditions.iter(), &self.table.schema);
        if !pruner.is_empty() {
            let mut keep = pruner.row_group(file, row_group, None);
            if keep {
                let blooms =
                    BloomFilters::read(file, row_group, &pruner.literal_columns()).await.map_err(wrap)?;
                keep = blooms.is_empty() || pruner.row_group(file, row_group, Some(&blooms));
            }
            if !keep {
                self.counters.row_groups(0, 1);
                return Ok(Vec::new());
            }
            wanted = pruner.pages(file, row_group);
        }
        self.counters.row_groups(1, 0);
        let mut columns = self.output(current.file);
        columns.extend(current.stages.iter().flat_map(|stage| stage.columns.iter().copied()));
        columns.sort_unstable();
        columns.dedup();
        windows(file, row_group, &wanted, &columns, self.context.window_bytes).map_err(wrap)
    }

    /// The file's columns that the output needs, ascending.
    fn output(&self, file: usize) -> Vec<usize> {
        let in_file = &self.table.files[file].columns;
        let mut columns: Vec<usize> =
            self.projection.iter().filter_map(|&c| in_file.get(c).copied()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// What `pages` needs to know to scan a window.
    pub fn spec(&self, work: &Work, batch_size: usize) -> ScanSpec {
        ScanSpec {
            output: self.output(work.file),
            stages: work.stages.clone(),
            batch_size,
            kernels: self.context.kernels,
            load: LoadOptions {
                router: self.context.router.clone(),
                counters: self.counters.clone(),
                verify_checksums: self.context.verify_checksums,
                attended: false,
                dictionaries: None,
            },
        }
    }

    pub fn table(&self) -> &Arc<TableFiles> {
        &self.table
    }
}
