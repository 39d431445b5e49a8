//! Threads that read windows ahead of DuckDB's.
//!
//! No async runtime is on them. One would have each open, read and look at a file's version done by
//! another thread again, and be woken by it: of the 6,500 switches between threads that TPC-H's
//! queries made in 1.8 s, 4,000 were of that kind (Snappy, two threads).

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use futures::executor::block_on;
use futures::future::{AbortHandle, abortable};

type Job = Box<dyn FnOnce() + Send>;

/// Threads, until this is dropped.
pub struct Readers {
    queue: Sender<Job>,
}

/// What is being read. Dropping it stops the reading.
pub struct Loading<T> {
    done: Receiver<T>,
    stop: AbortHandle,
}

impl Readers {
    /// Starts so many threads.
    ///
    /// # Errors
    /// The system does not give them.
    pub fn start(count: usize, stack_bytes: usize) -> io::Result<Self> {
        let (queue, jobs) = channel::<Job>();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..count {
            let jobs = jobs.clone();
            let next = move || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let run = move || {
                while let Ok(job) = next() {
                    // who waits for it is told by the end of its channel
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            };
            let name = format!("pelton-read-{number}");
            thread::Builder::new().name(name).stack_size(stack_bytes).spawn(run)?;
        }
        Ok(Self { queue })
    }

    /// Has a thread do this as soon as one is free.
    pub fn load<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Loading<T> {
        let (work, stop) = abortable(work);
        let (answer, done) = channel();
        let job = move || {
            if let Ok(found) = block_on(work) {
                // nobody waits for it any more
                let _ = answer.send(found);
            }
        };
        // without threads the channel ends at once
        let _ = self.queue.send(Box::new(job));
        Loading { done, stop }
    }
}

impl<T> Loading<T> {
    /// Waits for it. `None`: the thread panicked.
    pub fn wait(&self) -> Option<T> {
        self.done.recv().ok()
    }
}

impl<T> Drop for Loading<T> {
    fn drop(&mut self) {
        self.stop.abort();
    }
}

#[cfg(test)]
mod tests;
