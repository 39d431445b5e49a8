//! Blocks of a stream that threads compress: sent away in order, and joined in the same order.
//!
//! A thread does not know at which bit its block will begin, and a stored block in it depends on
//! that. So such blocks begin and end with a byte, for the price of an empty stored block after
//! each.

use std::sync::Arc;

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH};
use pelton_codec::PendingBits;

use super::block_encoder::{Blocks, MARKS};
use super::encoders::{CODERS, Coders};
use super::fallback::Way;
use super::policy::BLOCK;
use super::worker_pool::{self, Job};
use crate::buffer::NoMemory;
use crate::settings::settings;

impl Blocks {
    /// Compresses a full block that is not the last: at once, or by a thread while the next is
    /// gathered. `coming` bytes follow in the same call.
    pub fn pack_full(&mut self, level: i32, coming: usize) -> Result<(), NoMemory> {
        if !self.is_split(coming) || self.strategy != Z_DEFAULT_STRATEGY {
            return self.pack(level, false);
        }
        match self.job(level) {
            Some(job) => self.send(job),
            None => return self.pack(level, false),
        }
        // As many wait as there are threads, so that none is without.
        let most = 2 * (settings().threads - 1);
        while self.sent.len() > most || self.sent.front().is_some_and(|first| first.is_done()) {
            self.join_first()?;
        }
        Ok(())
    }

    /// Whether blocks are for threads.
    fn is_split(&self, coming: usize) -> bool {
        let settings = settings();
        match self.is_droppable() {
            // What is to be the same everywhere does not depend on the number of threads either.
            false => settings.threads > 1 || settings.reproducible,
            true => settings.threads > 1 && !settings.reproducible && coming >= self.block,
        }
    }

    /// Whether the caller may free all memory of the stream without an end: the memory of its own
    /// allocator. What is sent is not of that, and would be lost, so it is joined before a call
    /// returns.
    fn is_droppable(&self) -> bool {
        self.block != BLOCK
    }

    /// Joins what was sent before the call returns, if it has to be.
    pub fn settle(&mut self) -> Result<(), NoMemory> {
        if self.is_droppable() { self.join() } else { Ok(()) }
    }

    /// What was gathered, as a job; none if there is no memory.
    fn job(&mut self, level: i32) -> Option<Arc<Job>> {
        self.sent.try_reserve(1).ok()?;
        let mut plain = Vec::new();
        plain.try_reserve_exact(self.plain.len()).ok()?;
        plain.extend_from_slice(&self.plain);
        let ours = CODERS.with(Coders::new, |coders| self.level(coders, level))?;
        let way = Way { level, strategy: self.strategy, window: self.window };
        Some(Arc::new(Job::new(plain, self.start, way, ours)))
    }

    fn send(&mut self, job: Arc<Job>) {
        self.keep_window();
        self.sent.push_back(Arc::clone(&job));
        if settings().threads > 1 {
            worker_pool::send(job);
        }
    }

    /// Waits for all that was sent.
    pub(super) fn join(&mut self) -> Result<(), NoMemory> {
        while !self.sent.is_empty() {
            self.join_first()?;
        }
        Ok(())
    }

    fn join_first(&mut self) -> Result<(), NoMemory> {
        let Some(job) = self.sent.front().cloned() else { return Ok(()) };
        job.wait(|packed| {
            self.is_by_device |= job.is_by_device();
            if !job.is_by_device() {
                self.choice.note(job.len(), packed.len());
            }
            self.make_room(packed.len() + MARKS)?;
            if self.pending != PendingBits::default() {
                self.mark(Z_SYNC_FLUSH)?;
            }
            self.packed.extend_from_slice(packed)
        })?;
        self.sent.pop_front();
        Ok(())
    }
}
