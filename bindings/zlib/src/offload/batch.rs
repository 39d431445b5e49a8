//! Batches of one-shot blocks for accelerators, all in flight at the same time.

use pelton_job::{Batch, Job, JobOutput};

use super::compress::is_for_device;
use super::registry::registry;

/// Returns whether the accelerators of this process are to be given batches: blocks to compress at
/// a level of zlib's, or, without a level, blocks to decompress.
pub fn takes_batches(level: Option<i32>) -> bool {
    registry().is_some_and(|registry| level.is_none_or(|level| is_for_device(registry, level)))
}

/// Runs jobs on the accelerators. Returns their outputs in order; none for a job that the caller
/// has to do, because no accelerator supports it or all failed.
pub fn run_batch(jobs: Vec<Job>) -> Vec<Option<JobOutput>> {
    let count = jobs.len();
    let Some(registry) = registry() else { return vec![None; count] };
    let mut batch = Batch::with_capacity(count);
    jobs.into_iter().for_each(|job| batch.push(job));
    registry.submit(batch).into_iter().map(Result::ok).collect()
}
