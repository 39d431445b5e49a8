//! A test device over a pool.

use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pelton_job::{
    BatchId, BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, Task, Unsupported,
};

use crate::pool::Pool;

/// A pool as a device, with access to its state.
pub(crate) struct Pooled(Mutex<Option<Arc<Pool>>>);

impl Pooled {
    pub(crate) fn new(threads: usize, run: fn(Vec<Task>)) -> Arc<Pooled> {
        let threads = NonZero::new(threads).expect("a thread");
        Arc::new(Pooled(Mutex::new(Some(Arc::new(Pool::new(threads, run))))))
    }

    /// Takes the pool from the device.
    pub(crate) fn take(&self) -> Option<Arc<Pool>> {
        self.lock().take()
    }

    /// Returns the number of tasks that wait for their callers.
    pub(crate) fn caller_runs(&self) -> usize {
        self.pool().map_or(0, |pool| pool.caller_runs())
    }

    /// Returns the pool without holding the lock, since the end of a job may call this device
    /// again.
    fn pool(&self) -> Option<Arc<Pool>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Pool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the pool's threads.
    pub(crate) fn started(&self) -> usize {
        self.pool().map_or(0, |pool| pool.started())
    }
}

impl Device for Pooled {
    fn name(&self) -> &str {
        "pooled"
    }

    fn description(&self) -> String {
        "a pool".into()
    }

    fn supports(&self, _job: &JobView<'_>) -> Result<(), Unsupported> {
        Ok(())
    }

    fn prior_cost(&self, _operation: Operation) -> Cost {
        Cost { setup: Duration::from_nanos(1), bytes_per_second: 1e9 }
    }

    fn worker_count(&self) -> usize {
        1
    }

    fn submit(&self, tasks: Vec<Task>) {
        if let Some(pool) = self.pool() {
            pool.submit(tasks);
        }
    }

    fn run_on_caller(&self, batch: BatchId) -> bool {
        self.pool().is_some_and(|pool| pool.run_on_caller(batch))
    }

    fn run_borrowed(&self, _job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        Err(Failure::Fault("not in this test".into()))
    }
}
