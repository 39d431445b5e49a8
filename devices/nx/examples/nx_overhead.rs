//! Measures the driver's own time for a job, on an engine that answers at once and does nothing.
//!
//! With several jobs in flight, the router's time is part of the measurement. A device that only
//! passes jobs to a thread and finishes them there is measured alternately; the difference is the
//! driver's.
//!
//! `cargo run --release -p pelton-device-nx --example nx_overhead`

#![allow(unsafe_code)]

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use pelton_codec::Format;
use pelton_device_nx::hw::{Completion, Cpb, Crb, Csb, Function, Status, StreamState};
use pelton_device_nx::{Limits, NxDevice, Opener, Options, Pasted, Window};
use pelton_job::{
    Batch, BorrowedJob, BorrowedOutput, Cost, Device, Failure, Job, JobView, Operation, OutputSize,
    OwnedOutput, Router, Task, Unsupported,
};

/// An engine that claims to have decompressed each source to fill its target.
struct Immediate;

impl Window for Immediate {
    fn limits(&self) -> Limits {
        Limits { credits: 1024, max_bytes: None }
    }

    unsafe fn paste(&self, request: &Crb) -> Pasted {
        let csb = request.csb() as usize as *mut Csb;
        // SAFETY: by the promise of `paste`, status and parameters are allocated and not in use.
        let (csb, cpb) = unsafe { (&*csb, &mut *csb.add(1).cast::<Cpb>()) };
        cpb.output_mut().set_state(StreamState::Ended);
        cpb.output_mut().set_unused_bits(0);
        let function = request.function().unwrap_or(Function::Wrap);
        cpb.set_source_bytes(function, request.source().len());
        csb.write(&Status {
            code: Completion::Done as u8,
            extension: Status::HAS_COUNT,
            target_bytes: request.target().len(),
            address: 0,
        });
        Pasted::Accepted
    }

    fn close(&self) {}
}

/// Jobs of each measurement, and its repetitions, of which the best counts.
const JOBS: u32 = 20_000;
const ROUNDS: usize = 9;
/// Requests in flight. A batch has many times as many jobs, so that threads seldom wait.
const IN_FLIGHT: usize = 16;
const BATCH: u32 = 200;
/// Bytes of a job's output, so that pages to touch are few.
const LEN: usize = 1024;

fn best(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed() / JOBS
    };
    (0..ROUNDS).map(time).min().unwrap_or_default()
}

fn main() {
    let opener: Opener = Arc::new(|_| Ok(Arc::new(Immediate) as Arc<dyn Window>));
    let options = Options { in_flight: IN_FLIGHT, ..Options::default() };
    let device = NxDevice::open(opener, options).expect("a window");
    let (input, mut output) = ([0; 1000], [0; LEN]);
    let one = best(|| {
        for _ in 0..JOBS {
            let mut job = BorrowedJob::decompress(Format::Deflate, &input, &mut output).exact();
            assert_eq!(device.run_borrowed(&mut job).map(|done| done.produced).ok(), Some(LEN));
        }
    });
    println!("one job at a time, on the caller's thread: {one:?} a job");
    let driver = Router::builder().device(device).build();
    let nothing = Router::builder().device(Arc::new(Nothing::new())).build();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (router, times) in [&driver, &nothing].into_iter().zip(&mut times) {
            times.push(batches(router));
        }
    }
    let [with, without] = times.map(|mut times| {
        times.sort();
        times[ROUNDS / 2]
    });
    println!(
        "{IN_FLIGHT} in flight: {with:?} a job, {without:?} with a device of a thread alone, {:?} more",
        with.saturating_sub(without)
    );
}

/// Returns the time of a job in batches of [`BATCH`].
fn batches(router: &Arc<Router>) -> Duration {
    let job = Job::decompress(Format::Deflate, vec![0; 1000], OutputSize::Exact(LEN));
    let start = Instant::now();
    for _ in 0..JOBS / BATCH {
        let batch: Batch = std::iter::repeat_n(job.clone(), BATCH as usize).collect();
        let done = router.submit(batch).wait();
        assert!(done.iter().all(Result::is_ok));
    }
    start.elapsed() / JOBS
}

/// A thread that finishes jobs without running them.
struct Nothing {
    tasks: mpsc::Sender<Vec<Task>>,
}

impl Nothing {
    fn new() -> Nothing {
        let (tasks, received) = mpsc::channel::<Vec<Task>>();
        thread::spawn(move || {
            for running in received.into_iter().flatten().filter_map(Task::start) {
                let output = running.output_buffer().finish(LEN);
                running.finish(Ok(OwnedOutput {
                    output,
                    consumed: 1000,
                    checksum: None,
                    interleaved: false,
                }));
            }
        });
        Nothing { tasks }
    }
}

impl Device for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn description(&self) -> String {
        String::new()
    }

    fn supports(&self, _: &JobView<'_>) -> Result<(), Unsupported> {
        Ok(())
    }

    fn prior_cost(&self, _: Operation) -> Cost {
        Cost { setup: Duration::from_micros(1), bytes_per_second: 1e9 }
    }

    fn worker_count(&self) -> usize {
        1
    }

    fn submit(&self, tasks: Vec<Task>) {
        let _ = self.tasks.send(tasks);
    }

    fn run_borrowed(&self, _: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        Err(Failure::Lost("it runs nothing".into()))
    }
}
