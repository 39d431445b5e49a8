//! Eviction of streams that don't keep a lane busy.

use super::tokens::Sequences;

/// Chunks that may stop early before it counts.
const FREE: u32 = 16;

/// One chunk in this many may stop early. A stop costs a whole chunk and perhaps new tables, more
/// than a full chunk gains. Blocks of usual encoders are many chunks long.
const ONE_IN: u32 = 4;

/// Minimum bytes of a chunk for its near matches to count as runs and sorted keys. libdeflate takes
/// few, predictable symbols for them, while a lane waits for each match to be written.
const RUNS: usize = 1 << 10;

impl Sequences {
    /// Returns whether most matches of a chunk of `len` bytes copy bytes that are still being
    /// written.
    pub(crate) fn wait(&self, len: usize) -> bool {
        len >= RUNS && self.are_near()
    }
}

/// Counts the chunks of a stream, and the early stops: ends of blocks, and symbols outside the
/// tables. A crafted stream of stops alone takes a lane far longer than libdeflate; it is evicted
/// after some twenty chunks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Eviction {
    chunks: u32,
    stops: u32,
}

impl Eviction {
    /// Counts a chunk; `None` evicts the stream. `waits` returns whether most matches wait for the
    /// ones before to be written; it is called for the first chunk only, as later the decoded data
    /// would be lost.
    pub(crate) fn count_chunk(&mut self, stopped: bool, waits: impl FnOnce() -> bool) -> Option<()> {
        let waits = self.chunks == 0 && waits();
        self.chunks = self.chunks.saturating_add(1);
        self.stops += u32::from(stopped);
        (!waits && self.is_kept()).then_some(())
    }

    /// Counts an event that costs about as much as a chunk and yields nothing; `None` evicts the
    /// stream.
    pub(crate) fn count_stop(&mut self) -> Option<()> {
        self.stops = self.stops.saturating_add(1);
        self.is_kept().then_some(())
    }

    fn is_kept(&self) -> bool {
        self.stops <= FREE + self.chunks / ONE_IN
    }
}

#[cfg(test)]
mod tests;
