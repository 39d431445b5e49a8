//! Queue of morsels that the partitions of a scan share.
//!
//! Each range of rows belongs for good to the first partition that asks for it; the queue logs the
//! ranges of each partition. A repeated [`Execution`](super::execution::Execution) of a partition
//! gets the ranges of its log first, and then, like any other, a share of the rest. So an operator
//! may execute a partition as often as it likes, one execution after the other or several at once,
//! and each one that runs to its end has the same rows.
//!
//! A log holds ranges of rows before pruning. Dynamic conditions hold only in the execution in
//! which their operator learnt them: from the second execution of any partition on they are left
//! out, and the rows that they had ruled out are read again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use datafusion::common::Statistics;
use datafusion::error::Result as DataFusionResult;
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, snapshot_generation};
use parking_lot::Mutex as SyncMutex;
use pelton_pages::{
    BloomFilters, FilterStage, LoadOptions, ScanCounters, ScanSpec, Window, intersect, traffic, windows,
};
use tokio::sync::Mutex;

use super::join_keys::ScanKeys;
use super::predicate::{self, Conjunct, DynamicEffectiveness, FileFilter};
use super::prune::Pruner;
use super::source::{PeltonSource, RowRange, ScanContext};
use crate::error::wrap;
use crate::table::TableFiles;

/// Scan ranges, cut row group by row group when partitions ask for them, so that pruning uses the
/// latest state of dynamic filters.
#[derive(Debug)]
pub(super) struct MorselQueue {
    table: Arc<TableFiles>,
    /// Those of the table's columns.
    statistics: Statistics,
    predicates: Vec<Arc<dyn PhysicalExpr>>,
    /// Columns of the table that the output has.
    projection: Vec<usize>,
    effectiveness: Vec<DynamicEffectiveness>,
    /// Keys of the joins that dynamic conditions come from.
    keys: ScanKeys,
    context: ScanContext,
    counters: Arc<ScanCounters>,
    opened: SyncMutex<BTreeSet<usize>>,
    /// True if a partition was opened a second time.
    is_repeated: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next_file: usize,
    /// The file of the row groups that are being handed out.
    current: Option<Current>,
    /// The rest of the last row group that was cut.
    windows: VecDeque<Window>,
    /// The log of each partition.
    given: BTreeMap<usize, Vec<RowRange>>,
}

#[derive(Debug)]
struct Current {
    file: usize,
    next_row_group: usize,
    conditions: Conditions,
}

/// The conditions on a file's rows at some moment.
#[derive(Debug)]
struct Conditions {
    /// Returns the generation of the dynamic conditions; `None` if they are left out.
    generation: Option<u64>,
    conjuncts: Vec<Conjunct>,
    stages: Vec<FilterStage>,
}

/// Morsel: a window with the filter stages to scan it.
#[derive(Debug, Clone)]
pub(super) struct Morsel {
    /// Index of the file in the table.
    pub file: usize,
    pub window: Window,
    pub stages: Vec<FilterStage>,
}

/// Answer to an execution of a partition that asks for a morsel.
#[derive(Debug)]
pub(super) enum Next {
    /// A new morsel, and the length of the partition's log with it.
    New(Morsel, usize),
    /// Rows that an execution of the partition had before.
    Again(RowRange),
    /// All morsels are handed out, and the execution has read the whole log.
    End,
}

impl MorselQueue {
    pub fn new(source: &PeltonSource) -> Self {
        Self {
            table: source.files.clone(),
            statistics: source.statistics.clone(),
            predicates: source.predicates.clone(),
            projection: source.projection.clone(),
            effectiveness: source.predicates.iter().map(|_| DynamicEffectiveness::default()).collect(),
            keys: source.keys.clone(),
            context: source.context.clone(),
            counters: source.counters.clone(),
            opened: SyncMutex::default(),
            is_repeated: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }

    /// Notes that an execution of a partition begins.
    pub fn begin(&self, partition: usize) {
        if !self.opened.lock().insert(partition) {
            self.is_repeated.store(true, SeqCst);
        }
    }

    /// Returns whether a partition was executed again, so that dynamic conditions are left out.
    pub fn is_repeated(&self) -> bool {
        self.is_repeated.load(SeqCst)
    }

    /// Returns the next morsel for an execution of `partition` that has read `position` entries of
    /// its log.
    ///
    /// The future may be dropped before it is ready: a morsel that it has not returned stays in the
    /// queue or the log.
    pub async fn next(&self, partition: usize, position: usize) -> DataFusionResult<Next> {
        let mut state = self.state.lock().await;
        let State { next_file, current: current_file, windows, given } = &mut *state;
        let log = given.entry(partition).or_default();
        if let Some(range) = log.get(position) {
            return Ok(Next::Again(range.clone()));
        }
        loop {
            if let Some(current) = current_file.as_mut().filter(|current| self.is_outdated(current)) {
                match self.snapshot(current.file)? {
                    Some(conditions) => current.conditions = conditions,
                    None => {
                        let file = current.file;
                        log.extend(windows.drain(..).map(|window| RowRange::new(file, &window)));
                        self.rule_out(file, current.next_row_group, log);
                        *current_file = None;
                    }
                }
            }
            let Some(current) = current_file else {
                let file = *next_file;
                if file == self.table.files.len() {
                    return Ok(Next::End);
                }
                match self.snapshot(file)? {
                    Some(conditions) => {
                        *current_file = Some(Current { file, next_row_group: 0, conditions });
                    }
                    None => self.rule_out(file, 0, log),
                }
                *next_file += 1;
                continue;
            };
            if let Some(window) = windows.pop_front() {
                log.push(RowRange::new(current.file, &window));
                let stages = current.conditions.stages.clone();
                return Ok(Next::New(Morsel { file: current.file, window, stages }, log.len()));
            }
            let file = self.table.files[current.file].file.clone();
            let row_group = current.next_row_group;
            if row_group == file.metadata().num_row_groups() {
                *current_file = None;
                continue;
            }
            let whole = self.whole(current.file, row_group);
            if !whole.rows.is_empty() {
                // no state changes before this await, and no other await follows
                let cut = self.cut(&whole, &current.conditions).await?;
                self.counters.row_groups(usize::from(cut.is_some()), usize::from(cut.is_none()));
                *windows = cut.unwrap_or_default().into();
                log.extend(whole.without(windows.iter()));
            }
            current.next_row_group += 1;
        }
    }

    /// Returns the morsels of a logged range, under the conditions that hold for every execution.
    pub async fn again(&self, range: &RowRange) -> DataFusionResult<Vec<Morsel>> {
        Ok(self.morsels(range).await?.unwrap_or_default())
    }

    /// Returns the morsels of a range of fixed rows. A row group is counted with its first rows.
    pub async fn first(&self, range: &RowRange) -> DataFusionResult<Vec<Morsel>> {
        let morsels = self.morsels(range).await?;
        if range.rows.start == 0 {
            self.counters.row_groups(usize::from(morsels.is_some()), usize::from(morsels.is_none()));
        }
        Ok(morsels.unwrap_or_default())
    }

    /// Returns the windows that remain of a range after pruning; `None` if nothing remains.
    async fn morsels(&self, range: &RowRange) -> DataFusionResult<Option<Vec<Morsel>>> {
        let Some(conditions) = self.snapshot(range.file)? else { return Ok(None) };
        let Some(cut) = self.cut(range, &conditions).await? else { return Ok(None) };
        let stages = conditions.stages;
        let morsel = |window| Morsel { file: range.file, window, stages: stages.clone() };
        Ok(Some(cut.into_iter().map(morsel).collect()))
    }

    /// Generation of the dynamic conditions; `None` if they are left out.
    fn generation(&self) -> Option<u64> {
        let all = self.predicates.iter().map(snapshot_generation);
        (!self.is_repeated()).then(|| all.fold(0, u64::wrapping_add))
    }

    /// Returns whether dynamic conditions changed, or turned out useless.
    fn is_outdated(&self, current: &Current) -> bool {
        let useless = |conjunct: &Conjunct| {
            let effectiveness = conjunct.effectiveness.as_ref().filter(|_| !conjunct.only_prunes);
            effectiveness.is_some_and(|effectiveness| effectiveness.is_ineffective())
        };
        let conditions = &current.conditions;
        self.generation() != conditions.generation || conditions.conjuncts.iter().any(useless)
    }

    /// Returns the current conditions on a file's rows; `None` if no row of it can pass.
    fn snapshot(&self, file: usize) -> DataFusionResult<Option<Conditions>> {
        let generation = self.generation();
        let conjuncts = if generation.is_some() {
            predicate::snapshot(&self.predicates, &self.effectiveness, &self.keys, &self.table.schema)?
        } else {
            let lasting = self.predicates.iter().filter(|predicate| !predicate::is_dynamic(predicate));
            let lasting: Vec<_> = lasting.cloned().collect();
            predicate::snapshot(&lasting, &[], &self.keys, &self.table.schema)?
        };
        let on_file = &self.table.files[file];
        Ok(match predicate::stages(&conjuncts, &self.table, on_file, &self.statistics)? {
            FileFilter::Stages(stages) => Some(Conditions { generation, conjuncts, stages }),
            FileFilter::Nothing => None,
        })
    }

    /// Gives a partition the row groups of a file from `first` on, in which no row passes.
    fn rule_out(&self, file: usize, first: usize, log: &mut Vec<RowRange>) {
        let row_groups = self.table.files[file].file.metadata().num_row_groups();
        self.counters.row_groups(0, row_groups - first);
        log.extend((first..row_groups).map(|row_group| self.whole(file, row_group)));
    }

    /// Returns all rows of a row group.
    fn whole(&self, file: usize, row_group: usize) -> RowRange {
        let metadata = self.table.files[file].file.metadata();
        RowRange { file, row_group, rows: 0..metadata.row_group(row_group).num_rows() as usize }
    }

    /// Returns the windows that statistics leave of some rows of a row group; `None` if they rule
    /// out all of it.
    async fn cut(&self, range: &RowRange, conditions: &Conditions) -> DataFusionResult<Option<Vec<Window>>> {
        let (table_file, row_group) = (&self.table.files[range.file], range.row_group);
        let file = &table_file.file;
        let mut wanted = vec![range.rows.clone()];
        if let Some(kept) = table_file.kept(row_group) {
            wanted = intersect(&wanted, kept);
        }
        let bound = predicate::bound(&conditions.conjuncts, &self.table, table_file)?;
        let pruner = Pruner::new(bound.iter(), &self.table.schema);
        if !pruner.is_empty() && self.table.has_names_of_files() {
            let mut keep = pruner.row_group(file, row_group, None);
            if keep {
                let columns = self.worth_reading(pruner.literal_columns(), conditions);
                let read = BloomFilters::read(file, row_group, &columns);
                let (blooms, traffic) = traffic::counted(read).await;
                self.counters.traffic(traffic);
                let blooms = blooms.map_err(wrap)?;
                keep = blooms.is_empty() || pruner.row_group(file, row_group, Some(&blooms));
            }
            if !keep {
                return Ok(None);
            }
            wanted = intersect(&wanted, &pruner.pages(file, row_group));
        }
        let mut columns = self.output(range.file);
        columns.extend(conditions.stages.iter().flat_map(|stage| stage.columns.iter().copied()));
        columns.sort_unstable();
        columns.dedup();
        windows(file, row_group, &wanted, &columns, self.context.window_bytes).map(Some).map_err(wrap)
    }

    /// Returns the columns with bloom filters that may rule rows out: those of conditions that did
    /// so when they were evaluated, if they were.
    fn worth_reading(&self, mut columns: Vec<String>, conditions: &Conditions) -> Vec<String> {
        let effective = conditions.conjuncts.iter().filter(|conjunct| !conjunct.only_prunes);
        let of: BTreeSet<usize> =
            effective.flat_map(|conjunct| predicate::columns(&conjunct.expression)).collect();
        columns.retain(|name| self.table.schema.index_of(name).is_ok_and(|index| of.contains(&index)));
        columns
    }

    /// Returns the file's columns that the output needs, ascending.
    fn output(&self, file: usize) -> Vec<usize> {
        let file = &self.table.files[file];
        let mut columns: Vec<usize> = self.projection.iter().filter_map(|&c| file.column(c)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Returns the description of a window's scan for `pelton-pages`.
    pub fn spec(&self, morsel: &Morsel, batch_size: usize) -> ScanSpec {
        ScanSpec {
            output: self.output(morsel.file),
            stages: morsel.stages.clone(),
            batch_size,
            kernels: self.context.kernels,
            load: LoadOptions {
                router: self.context.router.clone(),
                counters: self.counters.clone(),
                verify_checksums: self.context.verify_checksums,
                caller_runs: false,
                dictionaries: None,
            },
        }
    }

    pub fn table(&self) -> &Arc<TableFiles> {
        &self.table
    }
}

impl RowRange {
    fn new(file: usize, window: &Window) -> Self {
        Self { file, row_group: window.row_group, rows: window.rows.clone() }
    }

    /// Returns the rows outside of some windows, which are in the order of their rows.
    fn without<'a>(&self, windows: impl IntoIterator<Item = &'a Window>) -> Vec<Self> {
        let mut rest = Vec::new();
        let mut start = self.rows.start;
        let end = self.rows.end;
        for taken in windows.into_iter().map(|window| &window.rows).chain([&(end..end)]) {
            if taken.start > start {
                rest.push(Self { rows: start..taken.start, ..*self });
            }
            start = start.max(taken.end);
        }
        rest
    }
}

#[cfg(test)]
mod tests;
