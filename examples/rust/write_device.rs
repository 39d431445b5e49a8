//! Writes a device: one that computes Adler-32 checksums on a thread of its own and supports
//! nothing else, in a router with the CPU behind it. `docs/add-a-device.md` has the whole contract.
//!
//! ```text
//! cargo run --release -p pelton-examples --example write_device
//! ```
#![allow(missing_docs)]

use std::error::Error;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use pelton::codec::{Checksum, Format, checksum};
use pelton::job::{
    Batch, BorrowedJob, BorrowedOutput, Cost, Device, Failure, Job, JobView, Operation, OwnedOutput, Router,
    Task, Unsupported,
};
use pelton_device_cpu::CpuDevice;

/// A device with one worker.
pub struct Adler {
    queue: Sender<Task>,
}

impl Adler {
    pub fn open() -> Adler {
        let (queue, tasks) = channel::<Task>();
        // The worker ends when the device, and with it the sender, is dropped.
        thread::spawn(move || {
            // `start` returns None for a job that was cancelled while it waited.
            for running in tasks.into_iter().filter_map(Task::start) {
                let job = running.job();
                let result = run(&job.view()).map(|done| OwnedOutput {
                    output: job.prefix.clone(),
                    consumed: done.consumed,
                    checksum: done.checksum,
                    interleaved: false,
                });
                running.finish(result);
            }
        });
        Adler { queue }
    }
}

/// Runs a job that `supports` accepted.
fn run(job: &JobView<'_>) -> Result<BorrowedOutput, Failure> {
    let sum = checksum(Checksum::Adler32, job.input);
    Ok(BorrowedOutput { produced: 0, consumed: job.input.len(), checksum: Some(sum) })
}

impl Device for Adler {
    fn name(&self) -> &str {
        "adler"
    }

    fn description(&self) -> String {
        "Adler-32 on one thread".into()
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Checksum { kind: Checksum::Adler32 } => Ok(()),
            _ => Err(Unsupported::new("only Adler-32 is supported")),
        }
    }

    fn prior_cost(&self, _operation: Operation) -> Cost {
        Cost { setup: Duration::from_nanos(100), bytes_per_second: 50e9 }
    }

    fn worker_count(&self) -> usize {
        1
    }

    fn submit(&self, tasks: Vec<Task>) {
        for task in tasks {
            // A task that is dropped counts as lost, and the router gives its job to the CPU.
            let _ = self.queue.send(task);
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        run(&job.view())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let router = Router::builder()
        .device(Arc::new(Adler::open()))
        .device(CpuDevice::builder().threads(1).build())
        .build();
    let mut batch = Batch::new();
    batch.push(Job::checksum(Checksum::Adler32, &b"Wikipedia"[..]));
    batch.push(Job::compress(Format::Gzip, Format::Gzip.default_level(), &b"Wikipedia"[..]));
    let results = router.submit(batch).wait().into_iter().collect::<Result<Vec<_>, _>>()?;
    println!("{:08x} by {}", results[0].checksum.unwrap_or_default(), results[0].device);
    println!("{} bytes by {}", results[1].output.len(), results[1].device);
    Ok(())
}
