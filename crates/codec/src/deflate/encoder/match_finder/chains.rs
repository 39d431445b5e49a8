//! Hash chains: the distance from each position to its predecessor with the same hash.

use std::collections::TryReserveError;
use std::ops::Range;

use super::buckets::{SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::symbols::WINDOW;

/// Positions that are searched and parsed at a time.
pub(crate) const CHUNK: usize = 64 << 10;
/// Positions that are looked up before any of them is inserted: a vector of them. So matches within
/// a group are found by [`Chains::link_near`] only, and a run loses its first few bytes.
pub(crate) const GROUP: usize = 16;
/// Hashed bytes. With four, the most recent candidate is a worse one in most data.
pub(crate) const HASHED: usize = 5;
/// Maximum bytes by which a match is extended backwards. More gain nothing.
pub(crate) const MAX_BACKWARD: usize = 2;

/// Bits of an entry that hold a part of the hash; the others are the low bits of a position.
pub(crate) const TAG: u32 = 0xffff_0000;

/// Positions that an entry can tell apart.
const POSITIONS: usize = 1 << TAG.trailing_zeros();

/// Bytes of a near match: see [`Chains::link_near`].
const NEAR_BYTES: usize = 4;
/// Positions that are compared at a time for near matches.
const NEAR_POSITIONS: usize = 64;

/// Returns the table entry of a position: the bits of its hash after those that chose the entry,
/// and the low bits of the position.
pub(crate) const fn entry(hash: u32, bits: u32, at: usize) -> u32 {
    hash << bits & TAG | at as u16 as u32
}

/// Elements of `distances` and bytes of `found` that are loaded with those of the last positions.
const PAD: usize = 8;

/// The most recent positions with each hash, and the links of a chunk and of the window before it.
pub(crate) struct Chains {
    pub(crate) table: Vec<u32>,
    /// Added to positions in table entries, so that entries of earlier inputs are below it.
    pub(crate) base: usize,
    /// Length of the input.
    len: usize,
    /// Logarithm of the table's length.
    pub(crate) bits: u32,
    /// Multiplier of the fifth byte in hashes; 0 for hashes of four bytes.
    pub(crate) fifth: u32,
    /// Distance at which positions with the same four bytes are linked whatever the table says; 0
    /// for none.
    pub(crate) near: usize,
    /// Distance between inserted positions: 1 or 2.
    pub(crate) insert_step: usize,
    /// Maximum length of a link.
    pub(crate) window: usize,
    /// Start of the chunk.
    pub(crate) chunk: usize,
    /// Distance from each position to its predecessor in the hash chain, or to a near match; 0 if
    /// it has neither. Holds the `WINDOW` positions before the chunk, then the chunk. A predecessor
    /// is at least at position `MAX_BACKWARD`, so that the bytes before it exist.
    pub(crate) distances: Vec<u16>,
    /// One bit for each position of the chunk: whether its distance is not 0. For vectors only.
    pub(crate) found: Vec<u8>,
}

impl Chains {
    pub(crate) const fn new() -> Self {
        Self {
            table: Vec::new(),
            base: 0,
            len: 0,
            bits: 0,
            fifth: SPREAD_HIGH,
            near: 0,
            insert_step: 1,
            window: 0,
            chunk: 0,
            distances: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Reserves the memory, with a table of 2^`bits` entries.
    pub(crate) fn reserve(&mut self, bits: u32) -> Result<(), TryReserveError> {
        reserve(&mut self.table, 1 << bits)?;
        reserve(&mut self.distances, WINDOW + CHUNK + PAD)?;
        reserve(&mut self.found, CHUNK / 8 + PAD)?;
        self.distances.resize(WINDOW + CHUNK + PAD, 0);
        self.found.resize(CHUNK / 8 + PAD, 0);
        Ok(())
    }

    /// Prepares for an input of `len` bytes.
    ///
    /// Entries of earlier inputs stay in the table while all positions since then differ in the
    /// bits of an entry: they seem to be before this input's first position, as zeros do, where no
    /// candidate is. Clearing the table costs much of the time of a short input.
    pub(crate) fn reset(&mut self, len: usize, bits: u32, insert_step: usize, window: usize) {
        self.base += self.len;
        self.len = len;
        if self.base + len > POSITIONS {
            self.base = 0;
            self.table.clear();
        }
        self.table.resize(1 << bits, 0);
        (self.bits, self.fifth, self.near) = (bits, SPREAD_HIGH, 0);
        (self.insert_step, self.window) = (insert_step, window);
    }

    /// Clears the table, and hashes four bytes from now on.
    pub(crate) fn hash_four_bytes(&mut self) {
        self.table.fill(0);
        self.fifth = 0;
    }

    /// Starts the first chunk. The positions before it are history.
    pub(crate) fn begin(&mut self, chunk: usize) {
        self.chunk = chunk;
    }

    /// Advances to the chunk after this one, which was a whole one.
    pub(crate) fn advance(&mut self) {
        self.chunk += CHUNK;
        self.distances.copy_within(CHUNK..CHUNK + WINDOW, 0);
    }

    /// Returns the index of a position in `distances`.
    pub(crate) fn place(&self, at: usize) -> usize {
        at + WINDOW - self.chunk
    }

    /// Returns the distances of some positions.
    pub(crate) fn of(&self, range: Range<usize>) -> &[u16] {
        &self.distances[self.place(range.start)..self.place(range.end)]
    }

    /// Gives positions no links, and does not insert them.
    pub(crate) fn leave_out(&mut self, range: Range<usize>) {
        let places = self.place(range.start)..self.place(range.end);
        self.distances[places].fill(0);
    }

    /// Links positions, in groups of [`GROUP`], and inserts every one in `insert_step`. Positions
    /// with too few bytes after them are left out.
    pub(crate) fn insert_range(&mut self, buffer: &[u8], range: Range<usize>) {
        // No two bytes before position `MAX_BACKWARD` exist.
        let first = range.start.max(MAX_BACKWARD).min(range.end);
        self.leave_out(range.start..first);
        let limit = (buffer.len() + 1).saturating_sub(HASHED);
        for start in (range.start..range.end).step_by(GROUP) {
            let group = start..(start + GROUP).min(range.end);
            for at in group.clone().filter(|&at| at >= first) {
                let place = self.place(at);
                self.distances[place] = if at < limit { self.distance(buffer, at) } else { 0 };
            }
            for at in group.step_by(self.insert_step).filter(|&at| (first..limit).contains(&at)) {
                let hash = self.hash(buffer, at);
                self.table[(hash >> (u32::BITS - self.bits)) as usize] =
                    entry(hash, self.bits, self.base + at);
            }
        }
    }

    /// Links positions to those [`Self::near`] bytes before them, if they have the same four bytes.
    #[inline(always)]
    pub(crate) fn link_near(&mut self, buffer: &[u8], range: Range<usize>) {
        let by = self.near;
        let first = range.start.max(MAX_BACKWARD + by);
        let end = range.end.min((buffer.len() + 1).saturating_sub(NEAR_BYTES));
        if by == 0 || first >= end {
            return;
        }
        let places = self.place(first)..self.place(end);
        let (mut here, mut there) = (&buffer[first..], &buffer[first - by..]);
        // All ones where a byte is equal: in bytes, as vectors are compared.
        let mut equal = [0_u8; NEAR_POSITIONS + NEAR_BYTES - 1];
        for distances in self.distances[places].chunks_mut(NEAR_POSITIONS) {
            let bytes = distances.len() + NEAR_BYTES - 1;
            for ((equal, a), b) in equal.iter_mut().zip(&here[..bytes]).zip(&there[..bytes]) {
                *equal = if a == b { u8::MAX } else { 0 };
            }
            for (number, distance) in distances.iter_mut().enumerate() {
                let four = (0..NEAR_BYTES).fold(u8::MAX, |four, byte| four & equal[number + byte]);
                // Sign extension: all bits are set or none.
                let four = four as i8 as u16;
                *distance = by as u16 & four | *distance & !four;
            }
            (here, there) = (&here[distances.len()..], &there[distances.len()..]);
        }
    }

    fn distance(&self, buffer: &[u8], at: usize) -> u16 {
        let hash = self.hash(buffer, at);
        let (old, new) =
            (self.table[(hash >> (u32::BITS - self.bits)) as usize], entry(hash, self.bits, self.base + at));
        // Positions from long ago may seem near. That does no harm: their bytes are compared.
        let distance = new.wrapping_sub(old) & !TAG;
        let is_link =
            (new ^ old) & TAG == 0 && distance > 0 && distance as usize <= self.window.min(at - MAX_BACKWARD);
        if is_link { distance as u16 } else { 0 }
    }

    fn hash(&self, buffer: &[u8], at: usize) -> u32 {
        let bytes = &buffer[at..at + HASHED];
        let low = [bytes[0], bytes[1], bytes[2], bytes[3]];
        let high = u32::from(bytes[HASHED - 1]);
        u32::from_le_bytes(low).wrapping_mul(SPREAD).wrapping_add(high.wrapping_mul(self.fifth))
    }
}
