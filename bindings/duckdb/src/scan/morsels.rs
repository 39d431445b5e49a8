//! Morsels: scan ranges of a table, which threads take from a queue.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    queue: Mutex<Queue>,
    /// Rows that were handed out, or need not be read.
    begun: AtomicU64,
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
        let counters = Arc::new(ScanCounters::default());
        let plans = (0..table.files.len()).map(|file| plan(&resources, &table, file, request, &counters));
        let plans: Vec<_> = plans.collect();
        let files = table.files.iter().zip(&plans);
        let files = files.map(|(file, plan)| (&*file.file, plan.columns()));
        let shares = Shares::new(files, resources.threads, resources.window_bytes);
        let queue = Mutex::new(Queue { file: 0, row_group: 0, windows: VecDeque::new(), shares });
        let scan = Scan { resources, table, plans, queue, begun: AtomicU64::new(0) };
        scan.leave_out();
        scan
    }

    /// Excludes row groups that statistics rule out from the total that scan ranges are shares of.
    fn leave_out(&self) {
        let mut queue = self.queue();
        for (index, plan) in self.plans.iter().enumerate() {
            if plan.conditions.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            for (row_group, group) in self.table.files[index].file.metadata().row_groups().iter().enumerate()
            {
                if self.wanted(index, row_group, group.num_rows() as usize).is_empty() {
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
            let wanted = self.wanted(index, row_group, group.num_rows() as usize);
            let bytes = queue.shares.next(index, row_group);
            if !wanted.is_empty() {
                let columns = self.plans[index].columns();
                queue.windows = windows(&file.file, row_group, &wanted, &columns, bytes)?.into();
            }
            let to_read: usize = queue.windows.iter().map(|window| window.rows.len()).sum();
            self.begun.fetch_add((group.num_rows() as u64).saturating_sub(to_read as u64), Relaxed);
            queue.row_group += 1;
        }
    }

    /// Returns the rows of a row group that the file's statistics leave.
    fn wanted(&self, file: usize, row_group: usize, rows: usize) -> RowRanges {
        let whole = 0..rows;
        let Some(conditions) = &self.plans[file].conditions else { return Vec::new() };
        let mut wanted = if rows > 0 { vec![whole] } else { Vec::new() };
        for (column, range) in conditions {
            let found = prune::rows(&self.table.files[file].file, row_group, *column, |bounds| {
                range.may_hold(&bounds.mins, &bounds.maxes)
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
