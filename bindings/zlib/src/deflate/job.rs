//! A block that a thread of [`super::worker_pool`] may compress, while the stream gathers the next.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use pelton_codec::part_bound;

use super::block_encoder::{CODERS, Coders};
use super::fallback::{self, Way};
use super::policy;
use crate::buffer::NoMemory;
use crate::offload::{Kind, ask};
use crate::stats::{self, Reason};

/// A block with its history, and what becomes of it.
pub struct Job {
    /// The history, and from `start` on the block.
    plain: Vec<u8>,
    start: usize,
    /// What was asked for.
    way: Way,
    /// Our level that does it, or `policy::THEIRS`.
    level: i32,
    /// The process that it was made in: a child of `fork` has none of the threads that may have
    /// taken it.
    process: u32,
    is_taken: AtomicBool,
    /// What it was compressed to, with an empty stored block after it, or that it could not be;
    /// none until then.
    packed: Mutex<Option<Result<Vec<u8>, NoMemory>>>,
    /// Whether an accelerator did it.
    is_by_device: AtomicBool,
    is_done: Condvar,
}

impl Job {
    pub fn new(plain: Vec<u8>, start: usize, way: Way, level: i32) -> Self {
        Self {
            plain,
            start,
            way,
            level,
            process: process::id(),
            is_taken: AtomicBool::new(false),
            packed: Mutex::new(None),
            is_by_device: AtomicBool::new(false),
            is_done: Condvar::new(),
        }
    }

    /// Bytes of the block.
    pub fn len(&self) -> usize {
        self.plain.len() - self.start
    }

    /// Compresses it, unless somebody does. Whatever happens, who waits for it is told.
    pub fn run(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            let packed = self.pack();
            *self.packed.lock().unwrap_or_else(PoisonError::into_inner) = Some(packed);
            self.is_done.notify_all();
        }
    }

    /// Whether an accelerator did it, once it is done with.
    pub fn is_by_device(&self) -> bool {
        self.is_by_device.load(Ordering::Relaxed)
    }

    /// Whether it is done with.
    pub fn is_done(&self) -> bool {
        self.process == process::id() && self.packed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Gives `take` what it was compressed to: by this thread if none has begun with it, or where
    /// another could not.
    pub fn wait(&self, take: impl FnOnce(&[u8]) -> Result<(), NoMemory>) -> Result<(), NoMemory> {
        if self.process != process::id() {
            return take(&self.pack()?);
        }
        self.run();
        let packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut packed = self
            .is_done
            .wait_while(packed, |packed| packed.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if !matches!(&*packed, Some(Ok(_))) {
            *packed = Some(Ok(self.pack()?));
        }
        match &*packed {
            Some(Ok(packed)) => take(packed),
            _ => Err(NoMemory),
        }
    }

    /// Compresses it. A panic, of which none is expected, is as good as no memory: there is nothing
    /// else that a caller can do.
    fn pack(&self) -> Result<Vec<u8>, NoMemory> {
        catch_unwind(AssertUnwindSafe(|| self.try_pack())).unwrap_or(Err(NoMemory))
    }

    fn try_pack(&self) -> Result<Vec<u8>, NoMemory> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(part_bound(self.len())).map_err(|_| NoMemory)?;
        bytes.resize(part_bound(self.len()), 0);
        let block = &self.plain[self.start..];
        let len = match ask(Kind::Part, self.way.level, self.way.window, block).run(block, &mut bytes) {
            Ok(len) => {
                self.is_by_device.store(true, Ordering::Relaxed);
                len
            }
            Err(run) => {
                let len = self.pack_here(&mut bytes)?;
                run.into_iter().for_each(|run| run.complete(len));
                len
            }
        };
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Compresses it on this thread; how long that is.
    fn pack_here(&self, bytes: &mut [u8]) -> Result<usize, NoMemory> {
        if self.level == policy::THEIRS {
            let why = CODERS.with(Coders::new, |coders| coders.why_theirs(self.way.level));
            stats::plain(why.unwrap_or(Reason::Size));
            if let Some(len) = fallback::pack(&self.plain, self.start, self.way, false, bytes) {
                return Ok(len);
            }
        }
        let len = CODERS.with(Coders::new, |coders| {
            coders.blocks.set_window(self.way.window);
            coders.blocks.deflate_part(&self.plain, self.start, self.level, bytes).ok()
        });
        len.flatten().ok_or(NoMemory)
    }
}

#[cfg(test)]
mod tests;
