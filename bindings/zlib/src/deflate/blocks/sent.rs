//! Blocks of a stream that threads compress: sent away in order, and joined in the same order.
//!
//! A thread does not know at which bit its block will begin, and a stored block in it depends on that. So such blocks begin and
//! end with a byte, for the price of an empty stored block after each.

use std::sync::Arc;

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH};
use pelton_codec::Pending;

use super::job::Job;
use super::theirs::Way;
use super::{BLOCK, Blocks, CODERS, Coders, workers};
use crate::settings::settings;

impl Blocks {
    /// Compresses a full block that is not the last: at once, or by a thread while the next is gathered.
    pub fn pack_full(&mut self, level: i32) {
        let threads = settings().threads;
        // What is to be the same everywhere does not depend on the number of threads either.
        let is_split = threads > 1 || settings().reproducible;
        // A caller's allocator may be dropped with all that it gave, and what is sent is not of it.
        if !is_split || self.block != BLOCK || self.strategy != Z_DEFAULT_STRATEGY {
            return self.pack(level, false);
        }
        let ours =
            CODERS.with(Coders::new, |coders| self.choice.level(coders, level, &self.plain[self.start..]));
        let way = Way { level, strategy: self.strategy, window: self.window };
        let job = Arc::new(Job::new(self.plain.to_vec(), self.start, way, ours));
        self.keep_window();
        self.sent.push_back(Arc::clone(&job));
        if threads > 1 {
            workers::send(job);
        }
        // As many wait as there are threads, so that none is without.
        while self.sent.len() > 2 * (threads - 1) || self.sent.front().is_some_and(|first| first.is_done()) {
            self.join_first();
        }
    }

    /// Waits for all that was sent.
    pub(super) fn join(&mut self) {
        while !self.sent.is_empty() {
            self.join_first();
        }
    }

    fn join_first(&mut self) {
        if let Some(job) = self.sent.pop_front() {
            let packed = job.wait();
            self.choice.note(job.len(), packed.len());
            if self.pending != Pending::default() {
                self.mark(Z_SYNC_FLUSH);
            }
            self.packed.extend_from_slice(&packed);
        }
    }
}
