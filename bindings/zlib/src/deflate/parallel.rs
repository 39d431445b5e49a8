//! Blocks of a stream that threads compress: sent away in order, and joined in the same order.
//!
//! A thread does not know at which bit its block will begin, and a stored block in it depends on
//! that. So such blocks begin and end with a byte, for the price of an empty stored block after
//! each.

use std::sync::Arc;

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH};
use pelton_codec::PendingBits;

use super::block_encoder::{BlockStream, MARKER_CAPACITY};
use super::encoders::{ENCODERS, Encoders};
use super::fallback::FallbackParameters;
use super::policy::BLOCK;
use super::worker_pool::{self, Job};
use crate::buffer::NoMemory;
use crate::settings::settings;

impl BlockStream {
    /// Compresses a full block that is not the last: at once, or by a thread while the next is
    /// gathered. `coming` bytes follow in the same call.
    pub fn compress_full(&mut self, level: i32, coming: usize) -> Result<(), NoMemory> {
        if !self.uses_threads(coming) || self.strategy != Z_DEFAULT_STRATEGY {
            return self.compress(level, false);
        }
        match self.job(level) {
            Some(job) => self.send(job),
            None => return self.compress(level, false),
        }
        // As many wait as there are threads, so that none is without.
        let max_len = 2 * (settings().threads - 1);
        while self.in_flight.len() > max_len || self.in_flight.front().is_some_and(|first| first.is_done()) {
            self.join_first()?;
        }
        Ok(())
    }

    /// Whether blocks are for threads.
    fn uses_threads(&self, coming: usize) -> bool {
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
    pub fn finish_call(&mut self) -> Result<(), NoMemory> {
        if self.is_droppable() { self.join_all() } else { Ok(()) }
    }

    /// What was gathered, as a job; none if there is no memory.
    fn job(&mut self, level: i32) -> Option<Arc<Job>> {
        self.in_flight.try_reserve(1).ok()?;
        let mut uncompressed = Vec::new();
        uncompressed.try_reserve_exact(self.uncompressed.len()).ok()?;
        uncompressed.extend_from_slice(&self.uncompressed);
        let level_of_ours = ENCODERS.with(Encoders::new, |encoders| self.level(encoders, level))?;
        let parameters = FallbackParameters { level, strategy: self.strategy, window: self.window };
        Some(Arc::new(Job::new(uncompressed, self.start, parameters, level_of_ours)))
    }

    fn send(&mut self, job: Arc<Job>) {
        self.keep_window();
        self.in_flight.push_back(Arc::clone(&job));
        if settings().threads > 1 {
            worker_pool::send(job);
        }
    }

    /// Waits for all that was sent.
    pub(super) fn join_all(&mut self) -> Result<(), NoMemory> {
        while !self.in_flight.is_empty() {
            self.join_first()?;
        }
        Ok(())
    }

    fn join_first(&mut self) -> Result<(), NoMemory> {
        let Some(job) = self.in_flight.front().cloned() else { return Ok(()) };
        job.wait(|compressed| {
            self.is_by_device |= job.is_by_device();
            if !job.is_by_device() {
                self.choice.record(job.len(), compressed.len());
            }
            self.make_room(compressed.len() + MARKER_CAPACITY)?;
            if self.pending != PendingBits::default() {
                self.mark(Z_SYNC_FLUSH)?;
            }
            self.compressed.extend_from_slice(compressed)
        })?;
        self.in_flight.pop_front();
        Ok(())
    }
}
