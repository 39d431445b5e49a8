//! Links from each position to an earlier one with the same hash.

use std::collections::TryReserveError;
use std::ops::Range;

use super::buckets::{SPREAD, SPREAD_HIGH};
use crate::deflate::encoder::block_encoder::reserve;
use crate::deflate::encoder::parser::greedy::{CHUNK, GROUP, HASHED, MAX_BACKWARD};
use crate::deflate::encoder::symbols::WINDOW;

/// The bits of an entry that say which hash it is of; the others are the low ones of a position.
pub(crate) const TAG: u32 = 0xffff_0000;

/// Positions that an entry tells from each other.
const POSITIONS: usize = 1 << TAG.trailing_zeros();

/// What the table holds for a position: of its hash, the bits after those that chose the entry.
pub(crate) const fn entry(hash: u32, bits: u32, at: usize) -> u32 {
    hash << bits & TAG | at as u16 as u32
}

/// Elements of `distances` and bytes of `found` that are loaded with those of the last positions.
const PAD: usize = 8;

/// The last positions with each hash, and the links of a chunk and of the window before it.
pub(crate) struct Chains {
    pub(crate) table: Vec<u32>,
    /// What is added to a position of the buffer in the table's entries: those of earlier inputs are below it.
    pub(crate) base: usize,
    /// The length of the input.
    len: usize,
    /// The logarithm of the table's length.
    pub(crate) bits: u32,
    /// What the fifth byte is multiplied by in hashes: 0 if they are of four.
    pub(crate) fifth: u32,
    /// At how many bytes from each other positions are linked if they have the same four bytes, whatever the table says; 0 if none are.
    pub(crate) near: usize,
    /// One position in how many is insert_step: 1 or 2.
    pub(crate) insert_step: usize,
    /// Links are no longer.
    pub(crate) window: usize,
    /// Where the chunk starts.
    pub(crate) chunk: usize,
    /// How far back the last insert_step position is that has the same hash, or what is so [`Self::near`] and has the same four bytes, or 0; first of the `WINDOW` positions before the chunk.
    /// That position is at least `MAX_BACKWARD`, so that the bytes before it exist.
    pub(crate) distances: Vec<u16>,
    /// A bit for each position of the chunk: whether its distance is not 0. For vectors only.
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

    /// Gets the memory, with a table of 2^`bits` entries.
    pub(crate) fn reserve(&mut self, bits: u32) -> Result<(), TryReserveError> {
        reserve(&mut self.table, 1 << bits)?;
        reserve(&mut self.distances, WINDOW + CHUNK + PAD)?;
        reserve(&mut self.found, CHUNK / 8 + PAD)?;
        self.distances.resize(WINDOW + CHUNK + PAD, 0);
        self.found.resize(CHUNK / 8 + PAD, 0);
        Ok(())
    }

    /// Forgets everything, for an input of `len` bytes.
    ///
    /// What the table holds of earlier inputs stays as long as all positions since differ in the bits that an entry has of them: they seem to be before
    /// this input's first position, as an entry of zero does, where no candidate is. To clear the table takes a twentieth of level 1's time for 4 KB.
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

    /// Forgets all positions, and goes by four bytes from now on.
    pub(crate) fn go_by_four(&mut self) {
        self.table.fill(0);
        self.fifth = 0;
    }

    /// Begins with a first chunk. What is before it is history.
    pub(crate) fn begin(&mut self, chunk: usize) {
        self.chunk = chunk;
    }

    /// Goes on to the chunk after this one, which was a whole one.
    pub(crate) fn advance(&mut self) {
        self.chunk += CHUNK;
        self.distances.copy_within(CHUNK..CHUNK + WINDOW, 0);
    }

    /// The place of a position in `distances`.
    pub(crate) fn place(&self, at: usize) -> usize {
        at + WINDOW - self.chunk
    }

    /// The distances of some positions.
    pub(crate) fn of(&self, range: Range<usize>) -> &[u16] {
        &self.distances[self.place(range.start)..self.place(range.end)]
    }

    /// Gives positions no links, and does not note them.
    pub(crate) fn leave_out(&mut self, range: Range<usize>) {
        let places = self.place(range.start)..self.place(range.end);
        self.distances[places].fill(0);
    }

    /// Links positions, in groups of [`GROUP`], and notes every one in `insert_step`. Those that too few bytes follow are left out.
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

    fn distance(&self, buffer: &[u8], at: usize) -> u16 {
        let hash = self.hash(buffer, at);
        let (old, new) =
            (self.table[(hash >> (u32::BITS - self.bits)) as usize], entry(hash, self.bits, self.base + at));
        // Positions from long ago seem near. That is no harm: their bytes are compared.
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
