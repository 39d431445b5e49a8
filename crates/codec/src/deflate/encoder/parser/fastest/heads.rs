//! Table and parse of the fastest parser.

use std::collections::TryReserveError;
use std::ops::Range;

use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::match_finder::COMPARED;
use crate::deflate::encoder::match_finder::buckets::SPREAD;
use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::{self, MAX_MATCH, Token, WINDOW, literal};

/// Logarithm of the number of entries.
pub(crate) const BITS: u32 = 15;
/// Hashed bytes, the minimum length of a match.
pub(crate) const MIN_LEN: usize = 4;
/// A match that is farther counts as a byte shorter: one of the minimum length costs about as much
/// as its literals then.
pub(crate) const NEAR: usize = 1 << 12;
/// Most tokens of a step.
pub(crate) const STEP_TOKENS: usize = 2;
/// Distance between positions of the history that are hashed.
const HISTORY_STEP: usize = 4;
/// Difference of a position of an input and all entries of earlier inputs: farther than any window.
const FAR: u32 = WINDOW as u32 + 1;

/// Positions by hash.
pub(crate) struct Heads {
    /// Last position with each hash, plus `base`.
    heads: Vec<u32>,
    /// Added to positions.
    base: u32,
    /// Length of the input.
    len: u32,
}

/// A candidate, compared.
#[derive(Clone, Copy)]
struct Found {
    len: usize,
    distance: usize,
}

impl Found {
    const NONE: Self = Self { len: 0, distance: 0 };

    /// Returns the length, less one if the match is far.
    fn worth(self) -> usize {
        self.len.saturating_sub(usize::from(self.distance > NEAR))
    }
}

impl Heads {
    pub(super) const fn new() -> Self {
        Self { heads: Vec::new(), base: FAR, len: 0 }
    }

    pub(super) fn reserve(&mut self) -> Result<(), TryReserveError> {
        reserve(&mut self.heads, 1 << BITS)
    }

    /// Prepares for an input, and hashes its history.
    pub(super) fn begin(&mut self, buffer: &[u8], from: usize) {
        // The input before may have ended early, so its entries are passed here.
        self.base = self.base.saturating_add(self.len).saturating_add(FAR);
        self.len = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        if self.base.checked_add(self.len).is_none() {
            self.heads.clear();
            self.base = FAR;
        }
        self.heads.resize(1 << BITS, 0);
        let (heads, base) = self.table();
        for (number, word) in buffer[..from].windows(MIN_LEN).step_by(HISTORY_STEP).enumerate() {
            heads[hash(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))] =
                base + (number * HISTORY_STEP) as u32;
        }
    }

    /// Returns the table, and the number that is added to positions.
    pub(crate) fn table(&mut self) -> (&mut [u32; 1 << BITS], u32) {
        let heads = self.heads.as_mut_slice().try_into().expect("the memory was reserved");
        (heads, self.base)
    }

    /// Appends the tokens of some positions. Returns their end: the last one may reach further. A
    /// step chooses among the candidates of a position and of the next one, and the position at the
    /// distance of the match before: `last`, or 0 for none.
    pub(crate) fn parse(
        &mut self,
        buffer: &[u8],
        range: Range<usize>,
        window: usize,
        last: &mut usize,
        tokens: &mut Vec<Token>,
    ) -> usize {
        let mut at = range.start;
        while at < range.end {
            let here = self.look_up(buffer, at, window);
            let next = self.look_up(buffer, at + 1, window);
            let again = compare(buffer, at, *last);
            let mut best = if again.worth() >= here.worth() { again } else { here };
            let is_later = next.worth() > best.worth() + 1;
            if is_later {
                best = next;
            }
            if best.worth() < MIN_LEN {
                let end = (at + 2).min(buffer.len());
                tokens.extend(buffer[at..end].iter().map(|&byte| literal(byte)));
                at = end;
                continue;
            }
            if is_later {
                tokens.push(literal(buffer[at]));
                at += 1;
            }
            let Found { mut len, mut distance } = best;
            if len == COMPARED {
                len = extended(buffer, at, distance);
                // Others that are as long as what was compared may be longer.
                let is_open = !is_later && len < MAX_MATCH;
                if is_open && here.len == COMPARED && here.distance != distance {
                    let other = extended(buffer, at, here.distance);
                    (len, distance) = if other > len { (other, here.distance) } else { (len, distance) };
                }
                if is_open && next.len == COMPARED && next.distance != distance {
                    let other = extended(buffer, at + 1, next.distance);
                    if other > len + 1 {
                        tokens.push(literal(buffer[at]));
                        (at, len, distance) = (at + 1, other, next.distance);
                    }
                }
            }
            // A token has the distance less one.
            tokens.push(symbols::match_of(len, distance - 1));
            *last = distance;
            at += len;
        }
        at
    }

    /// Compares a position with the last one that has its hash, and puts it in its place.
    fn look_up(&mut self, buffer: &[u8], at: usize, window: usize) -> Found {
        let Some(bytes) = buffer.get(at..at + MIN_LEN) else { return Found::NONE };
        let (heads, base) = self.table();
        let entry = base + at as u32;
        let head = &mut heads[hash(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))];
        let distance = entry.wrapping_sub(std::mem::replace(head, entry)) as usize;
        if distance <= window { compare(buffer, at, distance) } else { Found::NONE }
    }
}

/// Compares a position with the one at a distance before it, which may be 0 for none.
fn compare(buffer: &[u8], at: usize, distance: usize) -> Found {
    let len = match distance {
        0 => 0,
        _ => common_prefix_len(buffer, at - distance, at, COMPARED.min(buffer.len() - at)),
    };
    Found { len, distance }
}

/// Returns the length of the match at a distance.
fn extended(buffer: &[u8], at: usize, distance: usize) -> usize {
    common_prefix_len(buffer, at - distance, at, MAX_MATCH.min(buffer.len() - at))
}

/// Returns the hash of four bytes.
#[inline(always)]
pub(crate) fn hash(bytes: u32) -> usize {
    (bytes.wrapping_mul(SPREAD) >> (u32::BITS - BITS)) as usize
}
