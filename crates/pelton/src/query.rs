//! A query that runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use futures::StreamExt;
use pelton_pages::{ScanCounters, ScanTotals};
use pelton_query::plan::{Accelerated, Notes, Scans, accelerated, notes, scans};
use pelton_query::{Error, Plan, Result, RowStream, Session};

use crate::cancel::CancelHandle;
use crate::profile::{Profiling, Run};
use crate::threads::Threads;

/// The rows of a running query, batch by batch. Dropping it stops the query.
pub struct Query {
    /// In front of the threads: what it holds is dropped before the threads stop.
    rows: Option<RowStream>,
    schema: SchemaRef,
    cancel: CancelHandle,
    progress: ProgressHandle,
    notes: Vec<Notes>,
    accelerated: Accelerated,
    bytes_decompressed: u64,
    profiling: Option<Profiling>,
    threads: Arc<Threads>,
}

/// How far a query is.
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

    /// What all scans of the query did until now.
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
        mut profiling: Option<Profiling>,
    ) -> Result<Self> {
        let Scans { counters, bytes, bytes_decompressed } = scans(&plan);
        let progress =
            ProgressHandle { scans: Arc::new(counters), bytes_total: bytes, rows_out: Arc::default() };
        let (notes, accelerated) = (notes(&plan), accelerated(&plan));
        if let Some(profiling) = &mut profiling {
            profiling.plan = Some(plan.clone());
        }
        let rows = {
            let _inside = threads.handle().enter();
            session.run(plan)?
        };
        let schema = rows.schema();
        Ok(Self {
            rows: Some(rows),
            schema,
            cancel: CancelHandle::default(),
            progress,
            notes,
            accelerated,
            bytes_decompressed,
            profiling,
            threads,
        })
    }

    /// The columns of the rows.
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

    /// What a user should know beside the rows, in sentences: a device that failed, and that the
    /// CPU ran its part.
    pub fn notes(&self) -> Vec<String> {
        Notes::united(&self.notes)
    }

    /// Bytes of the columns that the query's scans name, decompressed; pruning leaves some out.
    pub fn bytes_of_columns(&self) -> u64 {
        self.bytes_decompressed
    }

    /// How much of the query was given to a GPU. [`Query::notes`] says whether the GPU could do it.
    pub fn accelerated(&self) -> Accelerated {
        self.accelerated
    }

    /// What the query did until now, with a title for the page; recording ends with this. `None` if
    /// the engine makes no profiles ([`EngineBuilder::profile`](crate::EngineBuilder::profile)), or
    /// this was called before.
    pub fn take_profile(&mut self, title: &str) -> Option<Run> {
        let notes = self.notes();
        self.profiling.take().map(|profiling| profiling.take(title, notes))
    }

    /// What the query's scans did until now.
    pub fn totals(&self) -> ScanTotals {
        self.progress.totals()
    }
}

impl Query {
    /// What [`Iterator::next`] gives, if that is there within some time: for callers that have
    /// other things to look after while they wait. The query runs on in between.
    pub fn next_within(&mut self, patience: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.wait(Some(patience))
    }

    /// Waits for the next rows, for ever without patience.
    fn wait(&mut self, patience: Option<Duration>) -> Poll<Option<Result<RecordBatch>>> {
        let Some(rows) = self.rows.as_mut() else { return Poll::Ready(None) };
        let cancel = &self.cancel;
        let patience = async {
            match patience {
                Some(patience) => tokio::time::sleep(patience).await,
                None => std::future::pending().await,
            }
        };
        let next = self.threads.block_on(async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Poll::Ready(Some(Err(Error::Cancelled))),
                batch = rows.next() => Poll::Ready(batch.map(|batch| batch.map_err(Error::from))),
                () = patience => Poll::Pending,
            }
        });
        match &next {
            Poll::Ready(Some(Ok(batch))) => {
                self.progress.rows_out.fetch_add(batch.num_rows() as u64, Relaxed);
            }
            Poll::Ready(Some(Err(_)) | None) => self.rows = None,
            Poll::Pending => {}
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
