//! The memory that a job's input comes in and its output goes to.

use std::sync::Arc;

use bytes::Bytes;

use crate::job::Job;
use crate::recycle::{Recycled, Recycler};

/// A job's output: its prefix, then room for as many bytes as the job declares, and no more.
pub struct OutputBuffer {
    memory: Recycled,
    prefix_len: usize,
}

impl OutputBuffer {
    pub(crate) fn new(job: &Job, recycler: &Arc<Recycler>) -> OutputBuffer {
        let prefix_len = job.prefix.len();
        let used = prefix_len.saturating_add(job.output.most());
        let mut buffer = recycler.take(used);
        buffer[..prefix_len].copy_from_slice(&job.prefix);
        OutputBuffer { memory: Recycled { buffer, used, recycler: Arc::clone(recycler) }, prefix_len }
    }

    /// Where the operation's own bytes go. What it holds before is unspecified: it may be an earlier job's
    /// memory.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.memory.buffer[self.prefix_len..self.memory.used]
    }

    /// The prefix and the first `produced` bytes of the room.
    pub fn finish(mut self, produced: usize) -> Bytes {
        self.memory.used = self.memory.used.min(self.prefix_len.saturating_add(produced));
        self.memory.into_bytes()
    }
}

/// Memory for bytes that are made or read to become a job's input.
pub struct InputBuffer {
    memory: Recycled,
}

impl InputBuffer {
    pub(crate) fn new(len: usize, recycler: &Arc<Recycler>) -> InputBuffer {
        let buffer = recycler.take(len);
        InputBuffer { memory: Recycled { buffer, used: len, recycler: Arc::clone(recycler) } }
    }

    /// Fresh memory, for who has no router at hand.
    pub fn fresh(len: usize) -> InputBuffer {
        InputBuffer::new(len, &Recycler::new(0))
    }

    /// Where the bytes go. What it holds before is unspecified: it may be an earlier job's memory.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.memory.buffer[..self.memory.used]
    }

    /// All of the room.
    pub fn finish(self) -> Bytes {
        self.memory.into_bytes()
    }
}
