//! Morsels: scan ranges of a table, which threads take from a queue.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::BooleanArray;
use pelton_pages::bounds::Bounds;
use pelton_pages::{RowRanges, ScanCounters, Shares, Window, intersect, prune, windows};

use super::plan::{FilePlan, Request, plan};
use super::table::Table;
use crate::error::Result;
use crate::resources::Resources;

/// A scan range and the index of its file.
#[derive(Debug)]
pub struct Morsel {
    /// Index of the file.
    pub file: usize,
    /// Rows of the file.
    pub window: Window,
}

/// A running scan.
pub struct Scan {
    /// Devices and memory.
    pub resources: Arc<Resources>,
    /// The files to read.
    pub table: Arc<Table>,
    /// A plan for each file.
    pub plans: Vec<FilePlan>,
    /// Columns that are read for further conditions.
    also: Vec<usize>,
    queue: Mutex<Queue>,
    /// Rows that were handed out, or need not be read.
    begun: AtomicU64,
}

/// Further conditions of a scan, by which row groups and pages are left out.
pub trait Wanted {
    /// Returns the column of the file for each condition.
    fn columns(&self) -> Vec<usize>;

    /// Returns for each pair of bounds whether a value between them may pass.
    ///
    /// # Errors
    /// The condition can't be evaluated; all rows are kept then.
    fn may_hold(&self, condition: usize, bounds: &Bounds) -> Result<BooleanArray, String>;
}

/// No further conditions.
pub struct All;

impl Wanted for All {
    fn columns(&self) -> Vec<usize> {
        Vec::new()
    }

    fn may_hold(&self, _: usize, bounds: &Bounds) -> Result<BooleanArray, String> {
        Ok(BooleanArray::from(vec![true; bounds.mins.len()]))
    }
}

struct Queue {
    file: usize,
    row_group: usize,
    windows: VecDeque<Window>,
    shares: Shares,
}

impl Scan {
    /// Plans a scan; nothing is read yet.
    pub fn new(resources: Arc<Resources>, table: Arc<Table>, request: &Request) -> Scan {
        Scan::with_columns(resources, table, request, &[], &All)
    }

    /// As [`Scan::new`], with columns that are read besides those of the request, and conditions on
    /// them.
    pub fn with_columns(
        resources: Arc<Resources>,
        table: Arc<Table>,
        request: &Request,
        also: &[usize],
        may: &dyn Wanted,
    ) -> Scan {
        let counters = Arc::new(ScanCounters::default());
        let plans = (0..table.files.len()).map(|file| plan(&resources, &table, file, request, &counters));
        let plans: Vec<_> = plans.collect();
        let files = table.files.iter().zip(&plans);
        let files = files.map(|(file, plan)| (&*file.file, with(plan.columns(), also)));
        let shares = Shares::new(files, resources.threads, resources.window_bytes);
        let queue = Mutex::new(Queue { file: 0, row_group: 0, windows: VecDeque::new(), shares });
        let also = also.to_vec();
        let scan = Scan { resources, table, plans, also, queue, begun: AtomicU64::new(0) };
        scan.leave_out(may);
        scan
    }

    /// Excludes row groups that statistics rule out from the total that scan ranges are shares of.
    fn leave_out(&self, may: &dyn Wanted) {
        let mut queue = self.queue();
        for (index, plan) in self.plans.iter().enumerate() {
            if plan.conditions.as_ref().is_some_and(Vec::is_empty) && self.also.is_empty() {
                continue;
            }
            for (row_group, group) in self.table.files[index].file.metadata().row_groups().iter().enumerate()
            {
                if self.wanted(index, row_group, group.num_rows() as usize, may).is_empty() {
                    queue.shares.leave_out(index, row_group);
                }
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next scan range; `None` when all have been handed out.
    ///
    /// # Errors
    /// A footer contradicts itself.
    pub fn next(&self) -> Result<Option<Morsel>> {
        self.next_where(&All)
    }

    /// As [`Scan::next`], without rows that further conditions rule out.
    ///
    /// # Errors
    /// As there.
    pub fn next_where(&self, may: &dyn Wanted) -> Result<Option<Morsel>> {
        let mut queue = self.queue();
        loop {
            if let Some(window) = queue.windows.pop_front() {
                self.begun.fetch_add(window.rows.len() as u64, Relaxed);
                return Ok(Some(Morsel { file: queue.file, window }));
            }
            let Some(file) = self.table.files.get(queue.file) else { return Ok(None) };
            let groups = file.file.metadata().row_groups();
            let Some(group) = groups.get(queue.row_group) else {
                queue.file += 1;
                queue.row_group = 0;
                continue;
            };
            let (index, row_group) = (queue.file, queue.row_group);
            let wanted = self.wanted(index, row_group, group.num_rows() as usize, may);
            let bytes = queue.shares.next(index, row_group);
            if !wanted.is_empty() {
                let columns = with(self.plans[index].columns(), &self.also);
                queue.windows = windows(&file.file, row_group, &wanted, &columns, bytes)?.into();
            }
            let to_read: usize = queue.windows.iter().map(|window| window.rows.len()).sum();
            self.begun.fetch_add((group.num_rows() as u64).saturating_sub(to_read as u64), Relaxed);
            queue.row_group += 1;
        }
    }

    /// Returns the rows of a row group that the file's statistics leave.
    fn wanted(&self, file: usize, row_group: usize, rows: usize, may: &dyn Wanted) -> RowRanges {
        let whole = 0..rows;
        let Some(conditions) = &self.plans[file].conditions else { return Vec::new() };
        let mut wanted = if rows > 0 { vec![whole] } else { Vec::new() };
        for (column, range) in conditions {
            let found = prune::rows(&self.table.files[file].file, row_group, *column, |bounds| {
                range.may_hold(&bounds.mins, &bounds.maxes)
            });
            wanted = intersect(&wanted, &found);
        }
        for (condition, column) in may.columns().into_iter().enumerate() {
            let found = prune::rows(&self.table.files[file].file, row_group, column, |bounds| {
                may.may_hold(condition, bounds)
            });
            wanted = intersect(&wanted, &found);
        }
        wanted
    }

    /// Returns the share of the table's rows that was handed out, from 0 to 1.
    pub fn progress(&self) -> f64 {
        (self.begun.load(Relaxed) as f64 / self.table.rows().max(1) as f64).min(1.0)
    }

    /// Returns the number of useful threads: about the number of scan ranges, as far as there is
    /// memory.
    pub fn threads(&self) -> usize {
        self.queue().shares.windows().min(self.resources.max_readers())
    }
}

/// Returns the union of two lists of columns, ascending.
fn with(mut columns: Vec<usize>, also: &[usize]) -> Vec<usize> {
    columns.extend(also);
    columns.sort_unstable();
    columns.dedup();
    columns
}
