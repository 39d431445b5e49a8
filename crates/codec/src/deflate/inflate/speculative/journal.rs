//! Journal of output bytes that may have to be put back.
//!
//! Copies write past the ends of their matches, and lanes beyond the end of the input make tokens
//! of zeros. A caller's bytes behind the decoded data stay as they are nevertheless.

/// Recorded bytes at most. A round with more is not decoded in segments.
const CAPACITY: usize = 64 << 10;

/// The output bytes from `start` on, as they were.
pub(crate) struct Journal {
    start: usize,
    bytes: Vec<u8>,
}

impl Journal {
    /// Returns an empty one; `None` without memory.
    pub(crate) fn new() -> Option<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(CAPACITY).ok()?;
        Some(Self { start: 0, bytes })
    }

    /// Forgets all bytes, before others are written from `start` on.
    pub(crate) fn begin(&mut self, start: usize) {
        self.start = start;
        self.bytes.clear();
    }

    /// Records the bytes up to `end`, or the end of the output. `None` if they are too many.
    pub(crate) fn record(&mut self, output: &[u8], end: usize) -> Option<()> {
        let end = end.min(output.len());
        let from = self.start + self.bytes.len();
        if end > from {
            (end - self.start <= CAPACITY).then(|| self.bytes.extend_from_slice(&output[from..end]))?;
        }
        Some(())
    }

    /// Puts the recorded bytes back, from `at` on.
    pub(crate) fn restore(&self, output: &mut [u8], at: usize) {
        if let Some(bytes) = self.bytes.get(at.saturating_sub(self.start)..) {
            output[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Puts all recorded bytes back.
    pub(crate) fn undo(&self, output: &mut [u8]) {
        self.restore(output, self.start);
    }
}
