//! Table and parse of the fastest parser.

use std::collections::TryReserveError;
use std::ops::Range;

use crate::deflate::encoder::levels::reserve;
use crate::deflate::encoder::match_finder::buckets::SPREAD;
use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::{self, MAX_MATCH, Token, literal};

/// Logarithm of the number of entries.
const BITS: u32 = 15;
/// Hashed bytes, the minimum length of a match.
const MIN_LEN: usize = 4;
/// Bytes that are compared at once. The last positions with fewer are literals.
const WORD: usize = 8;
/// A match at the distance of the one before is taken from this length on, without a look at the
/// candidate.
const LONG: usize = 16;
/// A match below this length is left for one at the next position that is longer by more than a
/// byte.
const SHORT: usize = 8;
/// A match of the minimum length is taken up to this distance: a farther one costs about as much as
/// its literals.
const NEAR: usize = 1 << 12;
/// Distance between positions of the history that are hashed.
const HISTORY_STEP: usize = 4;

/// Positions by hash.
pub(crate) struct Heads {
    /// Last position with each hash, plus `base`.
    heads: Vec<u32>,
    /// Added to positions, so that entries of earlier inputs are below it. Never 0.
    base: u32,
    /// Length of the input.
    len: u32,
}

impl Heads {
    pub(super) const fn new() -> Self {
        Self { heads: Vec::new(), base: 1, len: 0 }
    }

    pub(super) fn reserve(&mut self) -> Result<(), TryReserveError> {
        reserve(&mut self.heads, 1 << BITS)
    }

    /// Prepares for an input, and hashes its history.
    pub(super) fn begin(&mut self, buffer: &[u8], from: usize) {
        // The input before may have ended early, so its entries are passed here.
        self.base = self.base.saturating_add(self.len);
        self.len = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        if self.base.checked_add(self.len).is_none() {
            self.heads.clear();
            self.base = 1;
        }
        self.heads.resize(1 << BITS, 0);
        let (heads, base) = self.table();
        for (number, word) in buffer[..from].windows(MIN_LEN).step_by(HISTORY_STEP).enumerate() {
            heads[hash(u32::from_le_bytes([word[0], word[1], word[2], word[3]]))] =
                base + (number * HISTORY_STEP) as u32;
        }
    }

    fn table(&mut self) -> (&mut [u32; 1 << BITS], u32) {
        let heads = self.heads.as_mut_slice().try_into().expect("the memory was reserved");
        (heads, self.base)
    }

    /// Appends the tokens of some positions. Returns their end: the last one may reach further.
    #[inline(always)]
    pub(crate) fn parse(
        &mut self,
        buffer: &[u8],
        range: Range<usize>,
        window: usize,
        tokens: &mut Vec<Token>,
    ) -> usize {
        let (heads, base) = self.table();
        let mut at = range.start;
        // Distance of the match before.
        let mut last = 0;
        while at < range.end {
            let Some(word) = word(buffer, at) else {
                tokens.push(literal(buffer[at]));
                at += 1;
                continue;
            };
            let limit = MAX_MATCH.min(buffer.len() - at);
            let reach = window.min(at);
            let distance = distance(heads, word, base + at as u32);
            let mut len = 0;
            if (1..=reach).contains(&last) {
                len = match_len(buffer, word, at, last, limit);
            }
            if len < LONG && (1..=reach).contains(&distance) && distance != last {
                let other = match_len(buffer, word, at, distance, limit);
                if other > len && (other > MIN_LEN || distance <= NEAR) {
                    (len, last) = (other, distance);
                }
            }
            if len < MIN_LEN {
                tokens.push(literal(buffer[at]));
                at += 1;
                continue;
            }
            if len < SHORT {
                let next = self::distance(heads, word >> 8, base + at as u32 + 1);
                if (1..=reach).contains(&next) && next != last {
                    let other = self::word(buffer, at + 1)
                        .map_or(0, |word| match_len(buffer, word, at + 1, next, limit - 1));
                    if other > len + 1 {
                        tokens.push(literal(buffer[at]));
                        at += 1;
                        (len, last) = (other, next);
                    }
                }
            }
            // A token has the distance less one.
            tokens.push(symbols::match_of(len, last - 1));
            at += len;
        }
        at
    }
}

/// Returns the hash of four bytes.
#[inline(always)]
fn hash(bytes: u32) -> usize {
    (bytes.wrapping_mul(SPREAD) >> (u32::BITS - BITS)) as usize
}

/// Returns the distance to the last position with the hash of the first bytes of `word`, and puts
/// an entry in its place. A position of an earlier input is farther than all bytes.
#[inline(always)]
fn distance(heads: &mut [u32; 1 << BITS], word: u64, entry: u32) -> usize {
    let head = &mut heads[hash(word as u32)];
    entry.wrapping_sub(std::mem::replace(head, entry)) as usize
}

/// Returns the bytes from a position on, if there are enough.
#[inline(always)]
fn word(buffer: &[u8], at: usize) -> Option<u64> {
    buffer.get(at..at + WORD)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Returns the length of the match at a distance, where the bytes are those of `word`.
#[inline(always)]
fn match_len(buffer: &[u8], word: u64, at: usize, distance: usize, limit: usize) -> usize {
    let candidate = at - distance;
    let Some(other) = self::word(buffer, candidate) else { return 0 };
    let differ = word ^ other;
    if differ != 0 {
        return differ.trailing_zeros() as usize / 8;
    }
    WORD + common_prefix_len(buffer, candidate + WORD, at + WORD, limit - WORD)
}
