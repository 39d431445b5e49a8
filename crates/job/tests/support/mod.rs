//! A device under the test's control.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pelton_codec::{Format, checksum};
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, Job, JobView, Operation, OutputSize, OwnedOutput,
    Running, Task, Unsupported,
};

/// A device that holds its tasks until the test ends them. It is authoritative only with the name
/// `authority`, and fuses decompression and filter only with the name `fused`.
pub struct Held {
    name: &'static str,
    workers: usize,
    cost: Cost,
    tasks: Mutex<Vec<Task>>,
}

impl Held {
    pub fn new(name: &'static str, workers: usize, bytes_per_second: f64) -> Arc<Held> {
        let cost = Cost { setup: Duration::from_nanos(1), bytes_per_second };
        Arc::new(Held { name, workers, cost, tasks: Mutex::default() })
    }

    /// Takes the tasks that the device holds.
    pub fn take(&self) -> Vec<Task> {
        std::mem::take(&mut self.tasks.lock().unwrap())
    }

    pub fn len(&self) -> usize {
        self.tasks.lock().unwrap().len()
    }
}

/// Completes a job with the right output.
pub fn complete(running: Running) {
    let finished = compute(&running);
    running.finish(Ok(finished));
}

/// Returns the right output of a job.
pub fn compute(running: &Running) -> OwnedOutput {
    let job = running.job().clone();
    let mut output = running.output_buffer();
    let (produced, sum) = match job.operation {
        Operation::Checksum { kind } => (0, Some(checksum(kind, &job.input))),
        _ => {
            let progress = pelton_codec::Decoder::new()
                .decompress(Format::Zlib, &job.input, output.as_mut_slice())
                .unwrap();
            (progress.produced, None)
        }
    };
    let output = output.finish(produced);
    OwnedOutput { output, consumed: job.input.len(), checksum: sum, interleaved: false }
}

/// Returns a job that decompresses to these bytes.
pub fn job(uncompressed: &[u8]) -> Job {
    let compressed =
        pelton_job::conformance::corpus::compress(Format::Zlib, Format::Zlib.default_level(), uncompressed);
    Job::decompress(Format::Zlib, compressed, OutputSize::Exact(uncompressed.len()))
}

impl Device for Held {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> String {
        "held".into()
    }

    fn supports(&self, _job: &JobView<'_>) -> Result<(), Unsupported> {
        Ok(())
    }

    fn prior_cost(&self, _operation: Operation) -> Cost {
        self.cost
    }

    fn worker_count(&self) -> usize {
        self.workers
    }

    fn is_authoritative(&self) -> bool {
        self.name == "authority"
    }

    fn fuses_filter(&self) -> bool {
        self.name == "fused"
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.tasks.lock().unwrap().extend(tasks);
    }

    fn run_borrowed(&self, _job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        Err(Failure::Fault("not in this test".into()))
    }
}
