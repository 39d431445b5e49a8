//! A block that a thread of [`super::workers`] may compress, while the stream gathers the next.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use pelton_codec::BitWriter;

use super::pack::bound;
use super::theirs::{self, Way};
use super::{CODERS, Coders, effort};
use crate::stats::{self, Reason};

/// A block with its history, and what becomes of it.
pub struct Job {
    /// The history, and from `start` on the block.
    plain: Vec<u8>,
    start: usize,
    /// What was asked for.
    way: Way,
    /// Our level that does it, or `effort::THEIRS`.
    level: i32,
    /// The process that it was made in: a child of `fork` has none of the threads that may have taken it.
    process: u32,
    is_taken: AtomicBool,
    /// What it was compressed to, with an empty stored block after it.
    packed: Mutex<Option<Vec<u8>>>,
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
            is_done: Condvar::new(),
        }
    }

    /// Bytes of the block.
    pub fn len(&self) -> usize {
        self.plain.len() - self.start
    }

    /// Compresses it, unless somebody does.
    pub fn run(&self) {
        if !self.is_taken.swap(true, Ordering::AcqRel) {
            let packed = self.pack();
            *self.packed.lock().unwrap_or_else(PoisonError::into_inner) = Some(packed);
            self.is_done.notify_all();
        }
    }

    /// Whether it is compressed.
    pub fn is_done(&self) -> bool {
        self.process == process::id() && self.packed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// What it was compressed to, by this thread if none has begun with it.
    pub fn wait(&self) -> Vec<u8> {
        if self.process != process::id() {
            return self.pack();
        }
        self.run();
        let mut packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*packed {
                Some(packed) => return packed.clone(),
                None => packed = self.is_done.wait(packed).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn pack(&self) -> Vec<u8> {
        let mut bytes = vec![0; bound(self.len())];
        if self.level == effort::THEIRS {
            stats::plain(Reason::Size);
            if let Some(len) = theirs::pack(&self.plain, self.start, self.way, false, &mut bytes) {
                bytes.truncate(len);
                return bytes;
            }
        }
        CODERS.with(Coders::new, |coders| {
            coders.blocks.set_window(self.way.window);
            let mut to = BitWriter::new(&mut bytes);
            let done = coders.blocks.deflate_after(
                &self.plain,
                self.start,
                self.level.min(effort::SMALLEST),
                false,
                &mut to,
            );
            assert!(done.is_ok(), "a block fits into the bound for it");
            let closed = to.close_byte();
            assert!(closed.is_some(), "and so does the empty one");
            let (len, _) = to.pause();
            bytes.truncate(len);
        });
        bytes
    }
}
