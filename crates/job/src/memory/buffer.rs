//! The memory that a job's input comes in and its output goes to.

use std::sync::Arc;

use bytes::Bytes;

use crate::job::Job;
use crate::memory::buffer_pool::{Recycled, Recycler};

/// A job's output: its prefix, then room for as many bytes as the job declares, and no more.
pub struct OutputBuffer {
    memory: Recycled,
    prefix_len: usize,
}

impl OutputBuffer {
    pub(crate) fn new(job: &Job, recycler: &Arc<Recycler>) -> OutputBuffer {
        let prefix_len = job.prefix.len();
        let used = prefix_len.saturating_add(job.output.max_len());
        let mut buffer = recycler.take(used);
        buffer[..prefix_len].copy_from_slice(&job.prefix);
        OutputBuffer { memory: Recycled { buffer, used, recycler: Arc::clone(recycler) }, prefix_len }
    }

    /// Where the operation's own bytes go. What it holds before is unspecified: it may be an earlier job's
    /// memory.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
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
    memory: InputMemory,
}

enum InputMemory {
    Recycled(Recycled),
    /// Somebody else's, of which so many bytes are used.
    Owned(Box<dyn HostMemory>, usize),
}

/// Bytes that are filled by one thread and then read by any.
pub trait HostMemory: AsRef<[u8]> + AsMut<[u8]> + Send + Sync {}

impl<T: AsRef<[u8]> + AsMut<[u8]> + Send + Sync> HostMemory for T {}

/// [`Bytes`] takes what is sized.
struct Owner(Box<dyn HostMemory>);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

impl InputBuffer {
    pub(crate) fn new(len: usize, recycler: &Arc<Recycler>) -> InputBuffer {
        let (buffer, recycler) = (recycler.take(len), Arc::clone(recycler));
        InputBuffer { memory: InputMemory::Recycled(Recycled { buffer, used: len, recycler }) }
    }

    /// Fresh memory, for who has no router at hand.
    pub fn fresh(len: usize) -> InputBuffer {
        InputBuffer::new(len, &Recycler::new(0))
    }

    /// The first `len` bytes of memory of another kind, such as one that a device copies from. It is dropped when nobody needs the
    /// bytes any more.
    ///
    /// # Panics
    /// It has not so many.
    pub fn of(mut memory: impl HostMemory + 'static, len: usize) -> InputBuffer {
        let room = memory.as_mut().len();
        assert!(len <= room, "{len} bytes in memory of {room}");
        InputBuffer { memory: InputMemory::Owned(Box::new(memory), len) }
    }

    /// Where the bytes go. What it holds before is unspecified: it may be an earlier job's memory.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        match &mut self.memory {
            InputMemory::Recycled(memory) => &mut memory.buffer[..memory.used],
            InputMemory::Owned(memory, len) => &mut (**memory).as_mut()[..*len],
        }
    }

    /// All of the room.
    pub fn finish(self) -> Bytes {
        match self.memory {
            InputMemory::Recycled(memory) => memory.into_bytes(),
            InputMemory::Owned(memory, len) => Bytes::from_owner(Owner(memory)).slice(..len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes that it was dropped.
    struct Noting(Vec<u8>, Arc<std::sync::atomic::AtomicBool>);

    impl AsRef<[u8]> for Noting {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl AsMut<[u8]> for Noting {
        fn as_mut(&mut self) -> &mut [u8] {
            &mut self.0
        }
    }

    impl Drop for Noting {
        fn drop(&mut self) {
            self.1.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    #[test]
    fn memory_of_others_lives_as_long_as_its_bytes() {
        let dropped = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let mut buffer = InputBuffer::of(Noting(vec![9; 8], dropped.clone()), 3);
        buffer.as_mut_slice().copy_from_slice(b"abc");
        let last = buffer.finish().slice(1..);
        assert_eq!((&last[..], dropped.load(std::sync::atomic::Ordering::Relaxed)), (&b"bc"[..], false));
        drop(last);
        assert!(dropped.load(std::sync::atomic::Ordering::Relaxed));
    }
}
