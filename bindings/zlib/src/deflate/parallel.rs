//! Blocks of a stream that the worker pool compresses; they are joined in order.
//!
//! A thread does not know the bit at which its block will begin, and stored blocks depend on that.
//! So these blocks begin and end at a byte, which costs an empty stored block after each.

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
    /// Compresses a full block that is not the last: now, or in the worker pool while the next one
    /// is gathered. `coming` bytes follow in the same call.
    pub fn compress_full(&mut self, level: i32, coming: usize) -> Result<(), NoMemory> {
        // Noise takes little time, and its output is not to wait for other blocks.
        if self.is_early() || !self.uses_threads(coming) || self.strategy != Z_DEFAULT_STRATEGY {
            return self.compress(level, false);
        }
        match self.job(level) {
            Some(job) => self.send(job),
            None => return self.compress(level, false),
        }
        // Each thread of the pool may have one job running and one waiting.
        let max_jobs = 2 * (settings().threads - 1);
        while self.in_flight.len() > max_jobs || self.in_flight.front().is_some_and(|first| first.is_done()) {
            self.join_first()?;
        }
        Ok(())
    }

    /// Returns whether blocks go to the worker pool.
    fn uses_threads(&self, coming: usize) -> bool {
        let settings = settings();
        match self.is_droppable() {
            // Reproducible output must not depend on the number of threads.
            false => settings.threads > 1 || settings.reproducible,
            true => settings.threads > 1 && !settings.reproducible && coming >= self.block,
        }
    }

    /// Returns whether the caller may free all memory of the stream without ending it, because it
    /// comes from the caller's allocator. Jobs are in other memory, which would leak, so they are
    /// joined before a call returns.
    fn is_droppable(&self) -> bool {
        self.block != BLOCK
    }

    /// Joins all jobs before a call returns, if they could leak.
    pub fn finish_call(&mut self) -> Result<(), NoMemory> {
        if self.is_droppable() { self.join_all() } else { Ok(()) }
    }

    /// Returns a job for the gathered input; `None` if there is no memory.
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

    /// Waits for all jobs.
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
