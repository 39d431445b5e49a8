//! Fault injection: a device that wraps another and fails in a chosen way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use bytes::Bytes;

use crate::device::task::{Running, Task};
use crate::device::{BorrowedOutput, Device, Failure, OwnedOutput, Unsupported};
use crate::job::batch::BatchId;
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::router::cost::Cost;

/// A fault. All but the last three strike one task of every `Faulty::every`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Reports an error of its own.
    Fails,
    /// Drops the task before starting it.
    Loses,
    /// Starts the task and drops it.
    LosesStarted,
    /// Starts the task and reports it as unsupported.
    UnsupportedLate,
    /// Complains about sound data.
    BlamesData,
    /// Reports a panic.
    Panics,
    /// Returns one byte less than the output has.
    ReturnsFewer,
    /// Returns one byte more than the job declares.
    ReturnsMore,
    /// Changes the job's prefix, or adds a byte if the output is empty.
    SpoilsPrefix,
    /// Panics in `submit`, with every task.
    PanicsInSubmit,
    /// Does not support jobs with more input bytes than this.
    UnsupportedOver(usize),
    /// Waits this long before it begins.
    IsSlow(Duration),
}

/// A wrapped device with a fault. Its name is the inner device's with `faulty-` in front, and it is
/// not authoritative.
pub struct Faulty {
    inner: Arc<dyn Device>,
    name: String,
    fault: Fault,
    every: usize,
    seen: AtomicUsize,
}

impl Faulty {
    /// Makes a device with a fault that strikes every task number that is a multiple of `every`.
    pub fn new(inner: Arc<dyn Device>, fault: Fault, every: usize) -> Arc<Faulty> {
        let name = format!("faulty-{}", inner.name());
        Arc::new(Faulty { inner, name, fault, every: every.max(1), seen: AtomicUsize::new(0) })
    }

    /// Returns the number of tasks that the fault struck so far, for a fault that strikes single
    /// tasks.
    pub fn faults(&self) -> usize {
        self.seen.load(Relaxed) / self.every
    }

    fn strikes(&self) -> bool {
        (self.seen.fetch_add(1, Relaxed) + 1).is_multiple_of(self.every)
    }

    /// Applies the fault to a task, unless the job was cancelled.
    fn fail(&self, task: Task) {
        if self.fault == Fault::Loses {
            return drop(task);
        }
        let Some(running) = task.start() else { return };
        let result = match self.fault {
            Fault::Fails => Err(Failure::Fault("injected fault".into())),
            Fault::UnsupportedLate => Err(Failure::Unsupported(Unsupported::new("injected refusal"))),
            Fault::BlamesData => Err(blame()),
            Fault::Panics => Err(Failure::Panicked("injected panic".into())),
            Fault::ReturnsFewer => changed(&running, |output| {
                output.pop();
            }),
            Fault::ReturnsMore => changed(&running, |output| output.resize(declared_len(&running) + 1, 0)),
            Fault::SpoilsPrefix => changed(&running, |output| match output.first_mut() {
                Some(first) => *first ^= 1,
                None => output.push(0),
            }),
            _ => return drop(running),
        };
        running.finish(result);
    }
}

fn blame() -> Failure {
    Failure::Data(pelton_codec::Error::Truncated { format: pelton_codec::Format::Deflate })
}

/// Panics without the message on standard error, which would look like a failure of the test.
fn silent_panic() -> ! {
    std::panic::resume_unwind(Box::new("injected panic"))
}

fn declared_len(running: &Running) -> usize {
    running.job().prefix.len() + running.job().output.max_len()
}

/// Returns the right output after a change.
fn changed(running: &Running, change: impl FnOnce(&mut Vec<u8>)) -> Result<OwnedOutput, Failure> {
    let job = running.job();
    let mut buffer = running.output_buffer();
    let done = super::reference::compute(&job.view(), buffer.as_mut_slice())?;
    let mut output = Vec::from(buffer.finish(done.produced));
    change(&mut output);
    let (output, BorrowedOutput { consumed, checksum, .. }) = (Bytes::from(output), done);
    Ok(OwnedOutput { output, consumed, checksum, interleaved: false })
}

impl Device for Faulty {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> String {
        format!("{:?}, one of every {}", self.fault, self.every)
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match self.fault {
            Fault::UnsupportedOver(limit) if job.input.len() > limit => {
                Err(Unsupported::new("input over the limit")
                    .with_detail(format!("{} bytes", job.input.len())))
            }
            _ => self.inner.supports(job),
        }
    }

    fn prior_cost(&self, operation: Operation) -> Cost {
        self.inner.prior_cost(operation)
    }

    fn worker_count(&self) -> usize {
        self.inner.worker_count()
    }

    fn fuses_filter(&self) -> bool {
        self.inner.fuses_filter()
    }

    fn submit(&self, tasks: Vec<Task>) {
        match self.fault {
            Fault::PanicsInSubmit => silent_panic(),
            Fault::UnsupportedOver(_) => self.inner.submit(tasks),
            Fault::IsSlow(delay) => {
                let inner = Arc::clone(&self.inner);
                thread::spawn(move || {
                    thread::sleep(delay);
                    inner.submit(tasks);
                });
            }
            _ => {
                let mut good = Vec::with_capacity(tasks.len());
                for task in tasks {
                    if self.strikes() { self.fail(task) } else { good.push(task) }
                }
                self.inner.submit(good);
            }
        }
    }

    fn run_on_caller(&self, batch: BatchId) -> bool {
        self.inner.run_on_caller(batch)
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let strikes = match self.fault {
            Fault::PanicsInSubmit => true,
            Fault::UnsupportedOver(_) | Fault::IsSlow(_) => false,
            _ => self.strikes(),
        };
        if !strikes {
            return self.inner.run_borrowed(job);
        }
        match self.fault {
            Fault::PanicsInSubmit => silent_panic(),
            Fault::BlamesData => Err(blame()),
            Fault::UnsupportedLate => Err(Failure::Unsupported(Unsupported::new("injected refusal"))),
            Fault::ReturnsMore => Ok(BorrowedOutput {
                produced: job.output.len() + 1,
                consumed: job.input.len(),
                checksum: None,
            }),
            Fault::Loses | Fault::LosesStarted => Err(Failure::Lost("injected loss".into())),
            Fault::Panics => silent_panic(),
            _ => Err(Failure::Fault("injected fault".into())),
        }
    }
}
