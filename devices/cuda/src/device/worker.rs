//! Worker thread that runs the queued tasks in batches.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use parking_lot::{Condvar, Mutex};
use pelton_job::{Failure, InterleavedJobs, OutputBuffer, OwnedOutput, Running, Task, Unsupported};

use super::batch::{Page, bytes_of_page, decompress};
use super::result::{fault, result};
use super::{Common, takes};
use crate::{Error, Stream};

/// A queue of tasks and the thread that runs them.
pub(super) struct Worker {
    shared: Arc<Shared>,
    handle: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    common: Arc<Common>,
    stream: Stream,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    closing: bool,
}

impl Worker {
    pub fn new(common: Arc<Common>, stream: Stream) -> Worker {
        let shared = Shared { common, stream, state: Mutex::default(), changed: Condvar::new() };
        Worker { shared: Arc::new(shared), handle: Mutex::default() }
    }

    pub fn submit(&self, tasks: Vec<Task>) {
        let mut handle = self.handle.lock();
        if handle.is_none() {
            let shared = Arc::clone(&self.shared);
            match thread::Builder::new().name("pelton-cuda".into()).spawn(move || shared.work()) {
                Ok(started) => *handle = Some(started),
                // The tasks are dropped outside the lock, and go to the next device.
                Err(_) => {
                    drop(handle);
                    return drop(tasks);
                }
            }
        }
        drop(handle);
        self.shared.state.lock().queue.extend(tasks);
        self.shared.changed.notify_one();
    }
}

impl State {
    /// Takes tasks from the head of the queue while the bytes of a batch allow it; at least one.
    fn take(&mut self, batch_bytes: usize) -> Vec<Task> {
        let mut bytes = 0usize;
        let fits = |task: &&Task| {
            bytes = bytes.saturating_add(bytes_of_page(task.input_len(), task.output().max_len()));
            bytes <= batch_bytes
        };
        let count = self.queue.iter().take_while(fits).count().max(1).min(self.queue.len());
        self.queue.drain(..count).collect()
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if state.closing {
                return;
            }
            let tasks = state.take(self.common.batch_bytes());
            if tasks.is_empty() {
                self.changed.wait(&mut state);
                continue;
            }
            drop(state);
            // Waking a job's holder runs the holder's code; a panic there must not end the thread.
            let _ = catch_unwind(AssertUnwindSafe(|| self.run(tasks)));
            state = self.state.lock();
        }
    }

    /// Runs tasks to their end.
    fn run(&self, tasks: Vec<Task>) {
        let group = InterleavedJobs::start(tasks);
        let results = self.results(group.running());
        group.finish(results);
    }

    /// Returns the results of jobs that run together. Without memory for all of them, each half is
    /// tried.
    fn results(&self, jobs: &[Running]) -> Vec<Result<OwnedOutput, Failure>> {
        let batch_bytes = self.common.batch_bytes();
        let page = |running: &Running| {
            let job = running.job();
            let format = takes(&job.view(), batch_bytes)?;
            Ok(Page { format, input: job.input.clone(), capacity: job.output.max_len() })
        };
        let pages: Result<Vec<Page>, Unsupported> = jobs.iter().map(page).collect();
        // the router has asked `supports` before
        let pages = match pages {
            Ok(pages) => pages,
            Err(refusal) => return jobs.iter().map(|_| Err(Failure::Unsupported(refusal.clone()))).collect(),
        };
        match decompress(&self.common, &self.stream, &pages) {
            Ok(done) => {
                let finish = |(index, running): (usize, &Running)| {
                    let (outcome, bytes) = done.page(index);
                    let produced = result(&pages[index], running.job().output, outcome)?;
                    let mut output: OutputBuffer = running.output_buffer();
                    output.as_mut_slice()[..bytes.len()].copy_from_slice(bytes);
                    Ok(OwnedOutput {
                        output: output.finish(produced.produced),
                        consumed: produced.consumed,
                        checksum: None,
                        interleaved: jobs.len() > 1,
                    })
                };
                jobs.iter().enumerate().map(finish).collect()
            }
            Err(Error::OutOfMemory { .. }) if jobs.len() > 1 => {
                let (first, second) = jobs.split_at(jobs.len() / 2);
                let mut results = self.results(first);
                results.extend(self.results(second));
                results
            }
            Err(error) => jobs.iter().map(|_| Err(fault(error.clone()))).collect(),
        }
    }
}

/// The thread ends after its current batch. Queued tasks are dropped, which sends their jobs back
/// to the router.
impl Drop for Worker {
    fn drop(&mut self) {
        let queued = {
            let mut state = self.shared.state.lock();
            state.closing = true;
            std::mem::take(&mut state.queue)
        };
        drop(queued);
        self.shared.changed.notify_all();
        if let Some(handle) = self.handle.lock().take() {
            // The last job of a router may drop the router and this device on the thread itself,
            // which then ends anyway.
            if handle.thread().id() != thread::current().id() {
                let _ = handle.join();
            }
        }
    }
}
