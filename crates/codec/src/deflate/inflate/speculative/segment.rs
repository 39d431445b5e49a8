//! What a lane has done of a segment.

use super::CHUNKS;
use crate::deflate::inflate::batch::entry::is_stop;
use crate::deflate::inflate::batch::tokens::{Cursor, LANES, Tokens};

/// Look-ups after which a lane is in step, if it ever is: six times those that it takes as a mean.
const IN_STEP: usize = 90;

/// A chunk of a segment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Chunk {
    /// Where its tokens are in the store.
    pub(crate) slot: (u8, u8),
    /// How many there are.
    pub(crate) len: u16,
    /// The cursor's offset before the first.
    pub(crate) next: u16,
    /// The bit where the first starts.
    pub(crate) at: usize,
}

/// A segment, and how far its lane is. Positions are in bits of the stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Segment {
    pub(crate) start: usize,
    /// Where the lane goes on, and the cursor's offset there.
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
    /// A new one that starts at a bit.
    pub(crate) fn begin(&mut self, start: usize, next: u16) {
        (self.start, self.at, self.next) = (start, start, next);
        (self.is_stopped, self.look_ups, self.count) = (false, 0, 0);
    }

    /// Takes note of `len` look-ups that were put into `slot` of the store and left the cursor where it is.
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

    /// Whether the lane met a stop before it was likely to be in step: what it took for symbols had one among it.
    pub(crate) fn has_gone_astray(&self, store: &Store) -> bool {
        let Some(first) = self.chunks().first().filter(|_| self.is_stopped) else { return false };
        is_stop(tokens(store, first).entries[usize::from(first.len - 1).min(IN_STEP)])
    }

    /// Its chunks.
    pub(crate) fn chunks(&self) -> &[Chunk] {
        &self.chunks[..self.count]
    }

    /// Look-ups from here to bit `end`, if they commit what they took until now, or sixteenths of a bit that are given.
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

/// Where a chunk's tokens are.
pub(crate) fn tokens<'a>(store: &'a Store, chunk: &Chunk) -> &'a Tokens {
    &store[usize::from(chunk.slot.0)][usize::from(chunk.slot.1)]
}
