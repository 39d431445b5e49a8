//! Worker pool: threads that compress blocks while their streams gather the next ones.
//!
//! The first job starts the threads. Their number is a setting, with the calling thread as one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use pelton_codec::part_bound;

use super::encoders::{ENCODERS, Encoders};
use super::fallback::{self, FALLBACK, FallbackParameters};
use crate::buffer::NoMemory;
use crate::offload::{JobKind, assign};
use crate::pool::boxed;
use crate::process::{stay_loaded, without_signals};
use crate::settings::settings;
use crate::stats::{self, Reason};

/// A block to be compressed, with its history and its result.
pub struct Job {
    /// The history, followed from `start` on by the block.
    uncompressed: Vec<u8>,
    start: usize,
    /// Level of zlib, strategy and window.
    parameters: FallbackParameters,
    /// Our level, or [`FALLBACK`].
    level: i32,
    /// The process of the job. A child of `fork` does not have the thread that may have taken it.
    process: u32,
    is_taken: AtomicBool,
    /// The compressed block with an empty stored block behind it, or an error; `None` until then.
    compressed: Mutex<Option<Result<Vec<u8>, NoMemory>>>,
    /// Whether an accelerator compressed the block.
    is_by_device: AtomicBool,
    is_done: Condvar,
}

impl Job {
    pub fn new(uncompressed: Vec<u8>, start: usize, parameters: FallbackParameters, level: i32) -> Self {
        Self {
            uncompressed,
            start,
            parameters,
            level,
            process: process::id(),
            is_taken: AtomicBool::new(false),
            compressed: Mutex::new(None),
            is_by_device: AtomicBool::new(false),
            is_done: Condvar::new(),
        }
    }

    /// Returns the size of the block.
    pub fn len(&self) -> usize {
        self.uncompressed.len() - self.start
    }

    /// Compresses the block, unless another thread has begun to. Threads that wait for it are woken
    /// in any case.
    pub fn run(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            let compressed = self.compress();
            *self.compressed.lock().unwrap_or_else(PoisonError::into_inner) = Some(compressed);
            self.is_done.notify_all();
        }
    }

    /// Returns whether an accelerator compressed the block, if it is done.
    pub fn is_by_device(&self) -> bool {
        self.is_by_device.load(Ordering::Relaxed)
    }

    /// Returns whether the job is done.
    pub fn is_done(&self) -> bool {
        self.process == process::id()
            && self.compressed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Passes the compressed block to `take`. This thread compresses it if no other has begun to,
    /// or if another one failed.
    pub fn wait(&self, take: impl FnOnce(&[u8]) -> Result<(), NoMemory>) -> Result<(), NoMemory> {
        if self.process != process::id() {
            return take(&self.compress()?);
        }
        self.run();
        let compressed = self.compressed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut compressed = self
            .is_done
            .wait_while(compressed, |compressed| compressed.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*compressed, Some(Ok(_))) {
            *compressed = Some(Ok(self.compress()?));
        }
        match &*compressed {
            Some(Ok(compressed)) => take(compressed),
            _ => Err(NoMemory),
        }
    }

    /// Compresses the block. A panic, though none is expected, is reported as lack of memory, the
    /// only error that a caller can handle.
    fn compress(&self) -> Result<Vec<u8>, NoMemory> {
        catch_unwind(AssertUnwindSafe(|| self.try_compress())).unwrap_or(Err(NoMemory))
    }

    fn try_compress(&self) -> Result<Vec<u8>, NoMemory> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(part_bound(self.len())).map_err(|_| NoMemory)?;
        bytes.resize(part_bound(self.len()), 0);
        let block = &self.uncompressed[self.start..];
        let len = match assign(JobKind::Part, self.parameters.level, self.parameters.window, block)
            .run(block, &mut bytes)
        {
            Ok(len) => {
                self.is_by_device.store(true, Ordering::Relaxed);
                len
            }
            Err(run) => {
                let len = self.compress_here(&mut bytes)?;
                run.into_iter().for_each(|run| run.complete(len));
                len
            }
        };
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Compresses the block on this thread. Returns the size.
    fn compress_here(&self, bytes: &mut [u8]) -> Result<usize, NoMemory> {
        if self.level == FALLBACK {
            stats::delegated(Reason::NoInstructions);
            let len = ENCODERS.with(Encoders::new, |encoders| {
                let memory = &mut encoders.fallback;
                fallback::compress(memory, &self.uncompressed, self.start, self.parameters, false, bytes)
            });
            if let Some(len) = len.flatten() {
                return Ok(len);
            }
        }
        let len = ENCODERS.with(Encoders::new, |encoders| {
            encoders.blocks.set_window(self.parameters.window);
            encoders.blocks.deflate_part(&self.uncompressed, self.start, self.level, bytes).ok()
        });
        len.flatten().ok_or(NoMemory)
    }
}

/// Stack of a thread: a call of the encoder takes some tens of kilobytes.
const STACK: usize = 1 << 20;

/// The threads of a process, and the queue of jobs for them.
struct Workers {
    process: u32,
    jobs: Mutex<VecDeque<Arc<Job>>>,
    is_more: Condvar,
}

/// The pool, which is never freed, as its threads run until the process ends. A child of `fork`
/// makes its own: it has a copy of the memory, with locks in any state, but no threads.
static WORKERS: AtomicPtr<Workers> = AtomicPtr::new(null_mut());

/// Queues a job. Without memory for that, the thread that waits for it compresses it.
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
        // SAFETY: no other thread has seen the new pool; the one that another thread has stored is
        // never freed.
        Err(theirs) => unsafe {
            drop(Box::from_raw(made));
            Some(&*theirs)
        },
    }
}

impl Workers {
    /// Starts the threads: one fewer than the setting, as the thread that waits for a job
    /// compresses it if no other has begun to. If the system refuses threads, that one does all
    /// jobs.
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

#[cfg(test)]
mod tests;
