//! Parser with its match finder: the same tokens in every pass over the same bytes.
//!
//! The hardware's match finder is not published. This one suits hardware: a table of n-way buckets
//! by a hash of three bytes. All positions of a bucket are compared, and the longest match is
//! taken, the nearest one of equals. A lazy parser waits one byte for a longer match. All matches
//! are within the decompressor's window.
//!
//! It compresses somewhat better than igzip at the same window (docs/iaa.md, "Costs"). A device may
//! be somewhat worse than that.

use std::convert::Infallible;

use pelton_device_iaa::hw::aecs::decompress::HISTORY_BYTES;

use super::symbols::{MAX_LENGTH, MIN_LENGTH, Token};

/// Bits of the hash: a bucket for each byte of the window.
const HASH_BITS: u32 = HISTORY_BYTES.ilog2();

/// Positions in a bucket.
const WAYS: usize = 4;

/// Maximum distance of a match of minimum length: farther ones cost more than three literals.
const NEAR: usize = 512;

/// Minimum length of a match that is taken without lookahead.
const GOOD_LENGTH: usize = 32;

/// An unused position in a bucket.
const EMPTY: u32 = u32::MAX;

/// Rules of a parse, from the descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether to write literals only.
    pub literals_only: bool,
    /// Mini-block size: a match neither crosses a multiple of it nor refers to bytes before one.
    pub mini_block: Option<usize>,
}

/// Calls `take` with each token of `input`, in order, until it fails.
pub(super) fn try_parse<E>(
    input: &[u8],
    rules: Rules,
    mut take: impl FnMut(Token) -> Result<(), E>,
) -> Result<(), E> {
    if rules.literals_only {
        return input.iter().try_for_each(|byte| take(Token::Literal(*byte)));
    }
    let mut finder = Finder { input, table: vec![[EMPTY; WAYS]; 1 << HASH_BITS] };
    for begin in (0..input.len()).step_by(rules.mini_block.unwrap_or(input.len().max(1))) {
        let end = rules.mini_block.map_or(input.len(), |bytes| (begin + bytes).min(input.len()));
        let mut at = begin;
        let mut found = finder.find_and_add(at, begin, end);
        while at < end {
            let Some((length, distance)) = found else {
                take(Token::Literal(input[at]))?;
                at += 1;
                found = finder.find_and_add(at, begin, end);
                continue;
            };
            let mut next = at + 1;
            if length < GOOD_LENGTH {
                let later = finder.find_and_add(next, begin, end);
                if later.is_some_and(|(later, _)| later > length) {
                    take(Token::Literal(input[at]))?;
                    (at, found) = (next, later);
                    continue;
                }
                next += 1;
            }
            take(Token::Match { length, distance })?;
            (next..at + length).for_each(|skipped| finder.add(skipped));
            at += length;
            // A match is longer than the lookahead, so this position is not inserted yet.
            found = finder.find_and_add(at, begin, end);
        }
    }
    Ok(())
}

/// Parses like [`try_parse`], with a `take` that can't fail.
pub(super) fn parse(input: &[u8], rules: Rules, mut take: impl FnMut(Token)) {
    let done: Result<(), Infallible> = try_parse(input, rules, |token| {
        take(token);
        Ok(())
    });
    match done {
        Ok(()) => {}
        Err(never) => match never {},
    }
}

/// Match finder over three bytes.
struct Finder<'a> {
    input: &'a [u8],
    table: Vec<[u32; WAYS]>,
}

impl Finder<'_> {
    /// Returns the bucket of the bytes at a position; none at the last two bytes.
    fn bucket(&self, at: usize) -> Option<usize> {
        let [a, b, c] = *self.input.get(at..)?.first_chunk::<MIN_LENGTH>()?;
        // Knuth's multiplier, from the golden ratio, spreads the bytes over the high bits.
        let hash = u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1);
        Some((hash >> (u32::BITS - HASH_BITS)) as usize)
    }

    /// Inserts a position.
    fn add(&mut self, at: usize) {
        if let Some(bucket) = self.bucket(at) {
            let ways = &mut self.table[bucket];
            ways.copy_within(..WAYS - 1, 1);
            // A descriptor's sizes have 32 bits, as do positions.
            ways[0] = at as u32;
        }
    }

    /// Returns the best match at a position within `begin..end`, then inserts the position.
    fn find_and_add(&mut self, at: usize, begin: usize, end: usize) -> Option<(usize, usize)> {
        let bucket = self.bucket(at).filter(|_| at < end)?;
        let most = (end - at).min(MAX_LENGTH);
        let mut best = None;
        let mut best_length = MIN_LENGTH - 1;
        for place in self.table[bucket] {
            let place = place as usize;
            // Positions are sorted by distance, so the first one outside of the window ends the
            // search.
            if place < begin || place >= at || at - place > HISTORY_BYTES {
                break;
            }
            let (before, here) = (&self.input[place..], &self.input[at..at + most]);
            // A match without the byte at the end of the best match is not longer.
            if here.get(best_length).is_none_or(|byte| before[best_length] != *byte) {
                continue;
            }
            let length = common(before, here);
            let worth = length > MIN_LENGTH || at - place <= NEAR;
            if length > best_length && worth {
                (best, best_length) = (Some((length, at - place)), length);
            }
        }
        self.add(at);
        best
    }
}

/// Returns the length of the common prefix. It compares eight bytes at a time, as a parse spends
/// most of its time here.
fn common(before: &[u8], here: &[u8]) -> usize {
    let mut length = 0;
    while let (Some(a), Some(b)) = (before[length..].first_chunk(), here[length..].first_chunk()) {
        let difference = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if difference != 0 {
            return length + difference.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    length + before[length..].iter().zip(&here[length..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
