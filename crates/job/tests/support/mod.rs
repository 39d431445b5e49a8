//! A device under the test's control.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pelton_codec::{Format, checksum};
use pelton_job::{
    BorrowedJob, Cost, Device, Failure, Finished, Job, JobView, Operation, OutputSize, Produced, Refusal,
    Running, Task,
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
pub fn compute(running: &Running) -> Finished {
    let job = running.job().clone();
    let mut output = running.output_buffer();
    let (produced, sum) = match job.operation {
        Operation::Checksum { kind } => (0, Some(checksum(kind, &job.input))),
        _ => {
            let progress =
                pelton_codec::Decoder::new().decompress(Format::Zlib, &job.input, output.room()).unwrap();
            (progress.produced, None)
        }
    };
    let output = output.finish(produced);
    Finished { output, consumed: job.input.len(), checksum: sum, side_by_side: false }
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

    fn supports(&self, _job: &JobView<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    fn cost_seed(&self, _operation: Operation) -> Cost {
        self.cost
    }

    fn parallelism(&self) -> usize {
        self.lanes
    }

    fn is_authoritative(&self) -> bool {
        self.name == "authority"
    }

    fn looks_up_in_one_step(&self) -> bool {
        self.name == "one step"
    }

    fn submit(&self, tasks: Vec<Task>) {
        self.tasks.lock().unwrap().extend(tasks);
    }

    fn run_borrowed(&self, _job: &mut BorrowedJob<'_>) -> Result<Produced, Failure> {
        Err(Failure::Fault("not in this test".into()))
    }
}
