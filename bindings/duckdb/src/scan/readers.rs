//! Threads that read scan ranges ahead of DuckDB's threads.
//!
//! They run no async runtime: one would hand each open, read and version check to yet another
//! thread and wake up by it, which were most of a query's switches between threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use futures::executor::block_on;
use futures::future::{AbortHandle, abortable};

type Job = Box<dyn FnOnce() + Send>;

/// A pool of threads, which end when it is dropped.
pub struct Readers {
    queue: Sender<Job>,
}

/// A read in progress. Dropping it stops the read.
pub struct Loading<T> {
    done: Receiver<T>,
    stop: AbortHandle,
}

impl Readers {
    /// Starts threads.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(count: usize, stack_bytes: usize) -> io::Result<Self> {
        let (queue, jobs) = channel::<Job>();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..count {
            let jobs = jobs.clone();
            let next = move || jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let run = move || {
                while let Ok(job) = next() {
                    // The end of the channel tells the waiting thread.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            };
            let name = format!("pelton-read-{number}");
            thread::Builder::new().name(name).stack_size(stack_bytes).spawn(run)?;
        }
        Ok(Self { queue })
    }

    /// Queues work for the next free thread.
    pub fn load<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Loading<T> {
        let (work, stop) = abortable(work);
        let (answer, done) = channel();
        let job = move || {
            if let Ok(found) = block_on(work) {
                // The reader may have been dropped.
                let _ = answer.send(found);
            }
        };
        // Without threads the channel ends at once.
        let _ = self.queue.send(Box::new(job));
        Loading { done, stop }
    }
}

impl<T> Loading<T> {
    /// Waits for the result; `None` if the thread panicked.
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
