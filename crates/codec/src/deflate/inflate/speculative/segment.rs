//! A segment, and the tokens that its lane has made.

use super::CHUNKS;
use crate::deflate::inflate::batch::entry::is_stop;
use crate::deflate::inflate::batch::tokens::{Cursor, LANES, Tokens};

/// Look-ups after which a lane is in step, if it ever is: six times those that it takes as a mean.
const IN_STEP: usize = 90;

/// A chunk of a segment.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    /// Index of its tokens in the store.
    pub(crate) slot: (u8, u8),
    /// Number of tokens.
    pub(crate) len: u16,
    /// The cursor's offset before the first.
    pub(crate) next: u16,
    /// The bit where the first starts.
    pub(crate) at: usize,
}

/// A segment, and the position of its lane. Positions are in bits of the stream.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) start: usize,
    /// Position at which the lane goes on, and the cursor's offset there.
    pub(crate) at: usize,
    pub(crate) next: u16,
    /// Whether the lane has met a stop.
    pub(crate) is_stopped: bool,
    /// Look-ups that were made.
    pub(crate) look_ups: usize,
    chunks: [Chunk; CHUNKS],
    count: usize,
}

impl Segment {
    pub(crate) const EMPTY: Self = Self {
        start: 0,
        at: 0,
        next: 0,
        is_stopped: false,
        look_ups: 0,
        chunks: [Chunk { slot: (0, 0), len: 0, next: 0, at: 0 }; CHUNKS],
        count: 0,
    };

    /// A new one that starts at a bit.
    pub(crate) fn begin(&mut self, start: usize, next: u16) {
        (self.start, self.at, self.next) = (start, start, next);
        (self.is_stopped, self.look_ups, self.count) = (false, 0, 0);
    }

    /// Counts `len` look-ups that were put into `slot` of the store, and takes over the cursor.
    pub(crate) fn took(&mut self, store: &Store, slot: (usize, usize), len: usize, cursor: &Cursor<'_>) {
        let (chunk, lane) = slot;
        let slot = (chunk as u8, lane as u8);
        self.chunks[self.count] = Chunk { slot, len: len as u16, next: self.next, at: self.at };
        self.count += 1;
        self.look_ups += len;
        self.at = self.at / 8 * 8 + cursor.at;
        self.next = cursor.next;
        self.is_stopped = is_stop(store[chunk][lane].entries[len - 1]);
    }

    /// Returns whether the lane met a stop before it was likely to be synchronised.
    pub(crate) fn has_gone_astray(&self, store: &Store) -> bool {
        let Some(first) = self.chunks().first().filter(|_| self.is_stopped) else { return false };
        is_stop(tokens(store, first).entries[usize::from(first.len - 1).min(IN_STEP)])
    }

    /// Its chunks.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.count]
    }

    /// Returns the look-ups from here to bit `end`, at the density so far, or at a given one in
    /// sixteenths of a bit.
    pub(crate) fn look_ups_to(&self, end: usize, density: usize) -> usize {
        let left = end.saturating_sub(self.at);
        match self.at - self.start {
            0 => left * 16 / density,
            taken => left * self.look_ups / taken,
        }
    }
}

/// The tokens of a round's lanes, by chunk and slot.
pub(crate) type Store = [[Tokens; LANES]];

/// Returns the tokens of a chunk.
pub(crate) fn tokens<'a>(store: &'a Store, chunk: &Chunk) -> &'a Tokens {
    &store[usize::from(chunk.slot.0)][usize::from(chunk.slot.1)]
}
