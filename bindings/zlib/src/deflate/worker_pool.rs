//! Threads that compress blocks, if the settings want more than the caller's own. They are started
//! with the first job.

use std::collections::VecDeque;
use std::process;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::job::Job;
use crate::pool::boxed;
use crate::process::{stay_loaded, without_signals};
use crate::settings::settings;

/// Bytes of a thread's stack: a call of the coder takes some tens of kilobytes.
const STACK: usize = 1 << 20;

/// The threads of a process and what waits for them.
struct Workers {
    process: u32,
    jobs: Mutex<VecDeque<Arc<Job>>>,
    is_more: Condvar,
}

/// Never freed, as the threads run until the process ends. A child of `fork` makes its own: it has
/// the memory of those that it was forked from, locked as it may be, but not the threads.
static WORKERS: AtomicPtr<Workers> = AtomicPtr::new(null_mut());

/// Has a job done by the first thread that is free. Without memory for that, it is left to who
/// waits for it.
pub fn send(job: Arc<Job>) {
    let Some(workers) = workers() else { return };
    let mut jobs = workers.jobs.lock().unwrap_or_else(PoisonError::into_inner);
    if jobs.try_reserve(1).is_ok() {
        jobs.push_back(job);
        workers.is_more.notify_one();
    }
}

fn workers() -> Option<&'static Workers> {
    let found = WORKERS.load(Ordering::Acquire);
    // SAFETY: null, or never freed.
    if let Some(workers) = unsafe { found.as_ref() }
        && workers.process == process::id()
    {
        return Some(workers);
    }
    let made = Box::into_raw(boxed(Workers {
        process: process::id(),
        jobs: Mutex::new(VecDeque::new()),
        is_more: Condvar::new(),
    })?);
    match WORKERS.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            // SAFETY: never freed from now on.
            let workers: &'static Workers = unsafe { &*made };
            workers.start();
            Some(workers)
        }
        // SAFETY: nobody has seen what was made; what another thread put there is never freed.
        Err(theirs) => unsafe {
            drop(Box::from_raw(made));
            Some(&*theirs)
        },
    }
}

impl Workers {
    /// Starts the threads: one fewer than the settings say, as who waits for a job that nobody has
    /// begun does it. If the system has none, that one does all of them.
    fn start(&'static self) {
        stay_loaded();
        without_signals(|| {
            for _ in 1..settings().threads {
                let name = thread::Builder::new().name("pelton-zlib".into()).stack_size(STACK);
                let started = name.spawn(|| {
                    loop {
                        self.next().run();
                    }
                });
                if started.is_err() {
                    break;
                }
            }
        });
    }

    fn next(&self) -> Arc<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match jobs.pop_front() {
                Some(job) => return job,
                None => jobs = self.is_more.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
