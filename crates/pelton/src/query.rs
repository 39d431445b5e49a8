//! Running query: rows, progress and totals.

mod rows;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use pelton_pages::{ScanCounters, ScanTotals};
use pelton_query::plan::{Accelerated, Notes, Scans, accelerated, notes, scans, takes_effect};
use pelton_query::{Plan, Result, Session};

use crate::cancel::CancelHandle;
use crate::profile::{Profiled, Run};
use crate::threads::Threads;
use rows::Rows;

/// The rows of a running query, batch by batch. Dropping it stops the query.
pub struct Query {
    /// Declared before the threads, so that it is dropped before they stop.
    rows: Rows,
    schema: SchemaRef,
    cancel: CancelHandle,
    progress: ProgressHandle,
    notes: Vec<Notes>,
    accelerated: Accelerated,
    takes_effect: bool,
    bytes_decompressed: u64,
    profiling: Option<Profiled>,
    threads: Arc<Threads>,
}

/// Progress of a query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the files' columns that the query's scans may read; pruning and late
    /// materialisation leave some out.
    pub bytes_total: u64,
    /// Bytes read so far.
    pub bytes_read: u64,
    /// Rows given out so far.
    pub rows_out: u64,
}

/// Tells a query's progress from another thread.
#[derive(Debug, Clone)]
pub struct ProgressHandle {
    scans: Arc<Vec<Arc<ScanCounters>>>,
    bytes_total: u64,
    rows_out: Arc<AtomicU64>,
}

impl ProgressHandle {
    /// Progress now.
    pub fn progress(&self) -> Progress {
        let bytes_read = self.totals().bytes_read;
        Progress { bytes_total: self.bytes_total, bytes_read, rows_out: self.rows_out.load(Relaxed) }
    }

    /// Returns the totals of all scans of the query until now.
    pub fn totals(&self) -> ScanTotals {
        let mut totals = ScanTotals::default();
        for scan in self.scans.iter() {
            totals.add(&scan.totals());
        }
        totals
    }
}

impl Query {
    pub(crate) fn start(
        plan: Plan,
        session: &Session,
        threads: Arc<Threads>,
        mut profiling: Option<Profiled>,
        cancel: CancelHandle,
    ) -> Result<Self> {
        let Scans { counters, bytes, bytes_decompressed } = scans(&plan);
        let progress =
            ProgressHandle { scans: Arc::new(counters), bytes_total: bytes, rows_out: Arc::default() };
        let (notes, accelerated) = (notes(&plan), accelerated(&plan));
        let takes_effect = takes_effect(&plan);
        if let Some(profiling) = &mut profiling {
            profiling.profiling.plan = Some(plan.clone());
        }
        let rows = {
            let _inside = threads.handle().enter();
            session.run(plan)?
        };
        let schema = rows.schema();
        Ok(Self {
            rows: Rows::of(rows, &threads, takes_effect),
            schema,
            cancel,
            progress,
            notes,
            accelerated,
            takes_effect,
            bytes_decompressed,
            profiling,
            threads,
        })
    }

    /// Returns the columns of the rows.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Stops the query from another thread.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// Watches the query from another thread.
    pub fn progress_handle(&self) -> ProgressHandle {
        self.progress.clone()
    }

    /// Progress now.
    pub fn progress(&self) -> Progress {
        self.progress.progress()
    }

    /// Returns sentences for the user that accompany the rows: a device failed, and the CPU ran its
    /// part.
    pub fn notes(&self) -> Vec<String> {
        Notes::united(&self.notes)
    }

    /// Returns whether this is a statement such as INSERT, which takes effect when its rows are
    /// taken to their end, and not a query.
    pub fn takes_effect(&self) -> bool {
        self.takes_effect
    }

    /// Returns bytes of the columns that the query's scans name, decompressed; pruning leaves some
    /// out.
    pub fn bytes_of_columns(&self) -> u64 {
        self.bytes_decompressed
    }

    /// Returns the part of the query that was assigned to a GPU. [`Query::notes`] says whether the
    /// GPU could run it.
    pub fn accelerated(&self) -> Accelerated {
        self.accelerated
    }

    /// Returns the recorded work until now, with a title for the page, and ends the recording.
    /// `None` if the engine records no profiles
    /// ([`EngineBuilder::profile`](crate::EngineBuilder::profile)), or after an earlier call.
    pub fn take_profile(&mut self, title: &str) -> Option<Run> {
        let notes = self.notes();
        self.profiling.take().map(|profiled| profiled.profiling.take(title, notes))
    }

    /// Returns the totals of the query's scans until now.
    pub fn totals(&self) -> ScanTotals {
        self.progress.totals()
    }
}

impl Query {
    /// Returns the result of [`Iterator::next`] if it arrives within `patience`, for callers with
    /// other work to do meanwhile. The query runs on in between.
    pub fn next_within(&mut self, patience: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.wait(Some(patience))
    }

    /// Adds the query's profile to the page that the setting `profile` names.
    fn write_profile(&mut self) -> Result<()> {
        let is_for_page = |profiled: &mut Profiled| profiled.pages.is_some();
        let Some(profiled) = self.profiling.take_if(is_for_page) else { return Ok(()) };
        let notes = self.notes();
        profiled.pages.as_ref().map_or(Ok(()), |pages| pages.add(&profiled.profiling, notes))
    }

    /// Waits for the next rows, for ever without patience.
    fn wait(&mut self, patience: Option<Duration>) -> Poll<Option<Result<RecordBatch>>> {
        let next = self.rows.next(&self.threads, &self.cancel, patience);
        match &next {
            Poll::Ready(Some(Ok(batch))) => {
                self.progress.rows_out.fetch_add(batch.num_rows() as u64, Relaxed);
            }
            Poll::Ready(None) => {
                if let Err(error) = self.write_profile() {
                    return Poll::Ready(Some(Err(error)));
                }
            }
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        next
    }
}

impl Iterator for Query {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.wait(None) {
            Poll::Ready(next) => next,
            Poll::Pending => unreachable!("it waits for ever"),
        }
    }
}
