//! Worker pool: threads that compress blocks while their streams gather the next ones.
//!
//! The threads are started with the first job, if the settings allow more than the caller's own.

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
use super::policy;
use crate::buffer::NoMemory;
use crate::offload::{JobKind, assign};
use crate::pool::boxed;
use crate::process::{stay_loaded, without_signals};
use crate::settings::settings;
use crate::stats::{self, Reason};

/// A block with its history, and what becomes of it.
pub struct Job {
    /// The history, and from `start` on the block.
    uncompressed: Vec<u8>,
    start: usize,
    /// What was asked for.
    parameters: FallbackParameters,
    /// Our level that does it, or `FALLBACK`.
    level: i32,
    /// The process that it was made in: a child of `fork` has none of the threads that may have
    /// taken it.
    process: u32,
    is_taken: AtomicBool,
    /// What it was compressed to, with an empty stored block after it, or that it could not be;
    /// none until then.
    compressed: Mutex<Option<Result<Vec<u8>, NoMemory>>>,
    /// Whether an accelerator did it.
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

    /// Bytes of the block.
    pub fn len(&self) -> usize {
        self.uncompressed.len() - self.start
    }

    /// Compresses it, unless somebody does. Whatever happens, who waits for it is told.
    pub fn run(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            let compressed = self.compress();
            *self.compressed.lock().unwrap_or_else(PoisonError::into_inner) = Some(compressed);
            self.is_done.notify_all();
        }
    }

    /// Whether an accelerator did it, once it is done with.
    pub fn is_by_device(&self) -> bool {
        self.is_by_device.load(Ordering::Relaxed)
    }

    /// Whether it is done with.
    pub fn is_done(&self) -> bool {
        self.process == process::id()
            && self.compressed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Gives `take` what it was compressed to: by this thread if none has begun with it, or where
    /// another could not.
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

    /// Compresses it. A panic, of which none is expected, is as good as no memory: there is nothing
    /// else that a caller can do.
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

    /// Compresses it on this thread; how long that is.
    fn compress_here(&self, bytes: &mut [u8]) -> Result<usize, NoMemory> {
        if self.level == FALLBACK {
            let why = ENCODERS.with(Encoders::new, |encoders| {
                policy::block_fallback_reason(encoders, self.parameters.level)
            });
            stats::delegated(why.unwrap_or(Reason::Size));
            if let Some(len) =
                fallback::compress(&self.uncompressed, self.start, self.parameters, false, bytes)
            {
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

#[cfg(test)]
mod tests;
