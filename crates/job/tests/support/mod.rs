//! A device under the test's control.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pelton_codec::{Format, checksum};
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, Job, JobView, Operation, OutputSize, OwnedOutput,
    Running, Task, Unsupported,
};

/// Keeps its tasks until the test says what becomes of them. Not authoritative unless it is named `authority`, and does not
/// look codes up in one step unless it is named `one step`.
pub struct Held {
    name: &'static str,
    lanes: usize,
    cost: Cost,
    tasks: Mutex<Vec<Task>>,
}

impl Held {
    pub fn new(name: &'static str, lanes: usize, bytes_per_second: f64) -> Arc<Held> {
        let cost = Cost { setup: Duration::from_nanos(1), bytes_per_second };
        Arc::new(Held { name, lanes, cost, tasks: Mutex::default() })
    }

    /// The tasks that it has now.
    pub fn take(&self) -> Vec<Task> {
        std::mem::take(&mut self.tasks.lock().unwrap())
    }

    pub fn len(&self) -> usize {
        self.tasks.lock().unwrap().len()
    }
}

/// End a job as it should be.
pub fn complete(running: Running) {
    let finished = compute(&running);
    running.finish(Ok(finished));
}

/// What a job should come to.
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

/// A job that decompresses this.
pub fn job(plain: &[u8]) -> Job {
    let packed = pelton_job::conformance::corpus::pack(Format::Zlib, Format::Zlib.default_level(), plain);
    Job::decompress(Format::Zlib, packed, OutputSize::Exact(plain.len()))
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
        self.lanes
    }

    fn is_authoritative(&self) -> bool {
        self.name == "authority"
    }

    fn fuses_filter(&self) -> bool {
        self.name == "one step"
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.tasks.lock().unwrap().extend(tasks);
    }

    fn run_borrowed(&self, _job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        Err(Failure::Fault("not in this test".into()))
    }
}
