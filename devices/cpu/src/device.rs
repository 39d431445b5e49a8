//! The CPU device: its configuration, and operations on the threads of the pool.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;

use pelton_codec::{BatchIsaLevel, Format};
use pelton_job::{
    BatchId, BorrowedJob, BorrowedOutput, Cost, Device, Failure, JobView, Operation, Task, Unsupported,
    membership,
};

use crate::codecs::run;
use crate::pool::Pool;
use crate::run::run_owned;
use crate::seeds::seed;

/// The CPU. Submitted jobs run on its threads, in the order they came in, and decompression of
/// DEFLATE several jobs at a time where the processor gains from that; borrowed jobs run on the
/// caller's thread.
///
/// Threads are started when jobs first need them and end with the device, so a process that only
/// ever runs borrowed jobs has none of them. Threads do not outlive a `fork`: a child process that
/// submits jobs makes a device of its own. Jobs still queued when the device is dropped go back to
/// their router.
pub struct CpuDevice {
    pool: Pool,
}

/// The configuration of a [`CpuDevice`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuDeviceBuilder {
    threads: usize,
}

impl CpuDeviceBuilder {
    /// Sets the number of threads. 0, the default, is one for each core that this process may use.
    pub fn threads(mut self, threads: usize) -> CpuDeviceBuilder {
        self.threads = threads;
        self
    }

    /// Builds the device.
    pub fn build(self) -> Arc<CpuDevice> {
        let threads = NonZero::new(self.threads)
            .or_else(|| available_parallelism().ok())
            .unwrap_or(NonZero::<usize>::MIN);
        Arc::new(CpuDevice { pool: Pool::new(threads, run_owned) })
    }
}

impl CpuDevice {
    /// Returns a builder with one thread for each core.
    pub fn builder() -> CpuDeviceBuilder {
        CpuDeviceBuilder::default()
    }
}

impl Device for CpuDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn description(&self) -> String {
        let threads = match self.pool.threads() {
            1 => "1 thread".into(),
            threads => format!("{threads} threads"),
        };
        format!("{threads}, batches of DEFLATE {}", BatchIsaLevel::best().name())
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Compress { format: Format::Deflate | Format::Zlib | Format::Gzip, .. } => {
                job.hints.compression_window().map(drop)
            }
            Operation::CompressPart { .. } => job.hints.compression_window().map(drop),
            Operation::Compress { .. } | Operation::Decompress { .. } | Operation::Checksum { .. } => Ok(()),
            Operation::TestMembership { .. } => membership::check_parameters(job),
            _ => Err(Unsupported::new("unknown operation")),
        }
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        seed(operation)
    }

    fn worker_count(&self) -> usize {
        self.pool.threads()
    }

    fn is_authoritative(&self) -> bool {
        true
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.pool.submit(tasks);
    }

    fn run_on_caller(&self, batch: BatchId) -> bool {
        self.pool.run_on_caller(batch)
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let (job, output) = job.parts();
        run(&job, output)
    }
}

#[cfg(test)]
mod tests;
