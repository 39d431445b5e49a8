//! Match finder: the longest match at every position, without a branch on the data.
//!
//! A bucket holds the most recent positions with the same hash of their next four bytes, newest
//! first. Positions are 16-bit numbers from a moving base, so every element of a bucket is a
//! position in the window, even an unused one (0, the start of the window), and a candidate needs
//! no check but the comparison of its bytes. That makes the search branch-free, and safe on any
//! table.
//!
//! This is the portable version and defines the result; `arch/` has faster ones that give the same.

pub(crate) mod buckets;
pub(crate) mod chains;
pub(crate) mod extend;

use std::collections::TryReserveError;
use std::ops::Range;

use super::levels::{EncoderParameters, reserve};
use super::symbols::{self, Match, WINDOW, len_of};
use buckets::{Buckets, HASHED, HASHED_LONG, spread, spread_long};
use extend::{common_prefix_len, extend_matches};

/// Positions that are searched at a time.
pub(crate) const GROUP: usize = 16;
/// Bytes that are compared at once. Longer matches are rare, and are extended separately.
pub(crate) const COMPARED: usize = 32;

/// Maximum number of positions with known ties: those of two groups, or of the end of a buffer.
const TIED: usize = COMPARED + GROUP;

/// The buckets of a window.
pub(crate) struct MatchFinder {
    /// By the next `HASHED` bytes.
    pub(crate) short: Buckets,
    /// By the next `HASHED_LONG` bytes: finds candidates that frequent strings push out of the
    /// short buckets.
    pub(crate) long: Buckets,
    /// Positions of the last two groups, each with a candidate that is equal for `COMPARED` bytes.
    ties: Vec<(usize, usize)>,
    /// Origin of the positions in buckets.
    pub(crate) base: usize,
    /// Positions stay below this, and distances too.
    window: usize,
    /// See [`EncoderParameters::skip`]. The hash of a position covers the bytes that begin `skip`
    /// later, so that the match of a skipped position is found with the position before.
    pub(crate) skip: usize,
}

impl MatchFinder {
    pub(crate) fn new() -> Self {
        Self {
            short: Buckets::new(),
            long: Buckets::new(),
            ties: Vec::new(),
            base: 0,
            window: WINDOW,
            skip: 0,
        }
    }

    /// Gets the memory for a search.
    pub(crate) fn reserve(
        &mut self,
        parameters: EncoderParameters,
        bits: u32,
    ) -> Result<(), TryReserveError> {
        let [short, long] = parameters.ways;
        self.short.reserve(short, bits)?;
        self.long.reserve(long, bits)?;
        reserve(&mut self.ties, TIED * (short + long))
    }

    /// Clears the state. The short and the long buckets have their number of ways, and 2^`bits`
    /// buckets each if that is not 0.
    pub(crate) fn reset(&mut self, parameters: EncoderParameters, bits: u32, window: usize) {
        self.short.reset(parameters.ways[0], bits);
        self.long.reset(parameters.ways[1], bits);
        (self.base, self.window, self.skip) = (0, window, parameters.skip);
    }

    /// Moves the base if the position is too far from it, and returns the position at which to move
    /// it next.
    ///
    /// It moves by a quarter of the window: each move costs a pass over the buckets, and positions
    /// that fall out are lost.
    pub(crate) fn make_room(&mut self, at: usize) -> usize {
        while at - self.base >= self.window {
            let step = self.window / 4;
            self.base += step;
            let step = step as u16;
            self.short.lower(step);
            self.long.lower(step);
        }
        self.base + self.window
    }

    /// Finds a match for each position of a range, into `matches`, in groups of `GROUP` positions
    /// that [`Self::make_room`] allows. Returns the end of the last whole group; the remaining
    /// positions are left to [`Self::find_each`].
    ///
    /// The first match of a group that is `COMPARED` bytes long is extended: its remainder becomes
    /// the match of the positions in it, which are not searched. This happens after the next group
    /// was searched, so that no load waits for a recent store; if there is such a match, the next
    /// group is not checked.
    pub(crate) fn find(&mut self, buffer: &[u8], range: Range<usize>, matches: &mut [Match]) -> usize {
        let start = range.start;
        let first = |matches: &[Match], group: usize| {
            (group..group + GROUP).find(|at| len_of(matches[at - start]) == COMPARED)
        };
        let mut at = start;
        let mut before = None;
        self.ties.clear();
        while at + GROUP <= range.end {
            self.ties.retain(|&(position, _)| before.is_some_and(|before| position >= before));
            self.search_each(buffer, at..at + GROUP, &mut matches[at - start..][..GROUP]);
            (before, at) = match before.and_then(|before| first(matches, before)) {
                None => (Some(at), at + GROUP),
                Some(first) => (None, self.extend(buffer, range.clone(), matches, first, at + GROUP)),
            };
        }
        match before.and_then(|before| first(matches, before)) {
            None => at,
            Some(first) => self.extend(buffer, range, matches, first, at),
        }
    }

    /// Finds a match for each position of a range, and extends none.
    pub(crate) fn find_each(&mut self, buffer: &[u8], range: Range<usize>, matches: &mut [Match]) {
        self.search_each(buffer, range, matches);
        self.ties.clear();
    }

    /// Finds a match for each position of a range, one by one or two by two.
    fn search_each(&mut self, buffer: &[u8], range: Range<usize>, matches: &mut [Match]) {
        let step = 1 + self.skip;
        for (at, matches) in range.clone().step_by(step).zip(matches[..range.len()].chunks_mut(step)) {
            self.search(buffer, at, matches);
        }
    }

    /// Finds a match for a position and the skipped ones after it, as far as `matches` goes.
    fn search(&mut self, buffer: &[u8], at: usize, matches: &mut [Match]) {
        let skip = self.skip;
        let limit = (buffer.len() - at).min(COMPARED);
        // The first position of all has nothing before it, and would find itself.
        if limit < HASHED + skip || at == 0 {
            matches.fill(0);
            return;
        }
        let relative = at - self.base;
        let [short, long] = self.buckets(buffer, at);
        let candidates = self.short.positions[short.clone()].iter().chain(&self.long.positions[long]);
        // End of the longest match of the hashed bytes, and its length from the position itself.
        let (mut end, mut len, mut from) = (0, 0, self.short.positions[short.start]);
        for &position in candidates {
            let candidate = self.base + usize::from(position);
            let its_end = skip + common_prefix_len(buffer, candidate + skip, at + skip, limit - skip);
            let its_len = if buffer[candidate..][..skip] == buffer[at..][..skip] { its_end } else { 0 };
            if (its_end, its_len) > (end, len) {
                (end, len, from) = (its_end, its_len, position);
            }
            if its_len == COMPARED {
                self.ties.push((at, candidate));
            }
        }
        for (place, find) in matches.iter_mut().enumerate() {
            self.insert(buffer, at + place);
            let len = if place == 0 { len } else { end - place };
            *find = symbols::match_of(len, relative - usize::from(from));
        }
    }

    /// Extends the matches at `at` to their ends, and gives the positions in the longest one its
    /// remainder. Those below `searched` are in the buckets already. Returns the next position to
    /// search.
    fn extend(
        &mut self,
        buffer: &[u8],
        range: Range<usize>,
        matches: &mut [Match],
        at: usize,
        searched: usize,
    ) -> usize {
        let candidates = self.ties.iter().filter(|tie| tie.0 == at).map(|tie| tie.1);
        let end = extend_matches(buffer, range, matches, at, candidates, searched);
        (searched..end).for_each(|within| self.insert(buffer, within));
        end.max(searched)
    }

    /// Inserts positions without searching, in any order, but none at or after the next one to
    /// search, which would find itself. Positions too close to the end for a hash are left out.
    pub(crate) fn insert_range(&mut self, buffer: &[u8], range: Range<usize>) {
        for at in range.start..range.end.min((buffer.len() + 1).saturating_sub(HASHED_LONG)) {
            self.insert(buffer, at);
        }
    }

    /// Returns the buckets of a position. Zeros stand for hashed bytes beyond the end.
    fn buckets(&self, buffer: &[u8], at: usize) -> [Range<usize>; 2] {
        let mut bytes = [0; HASHED_LONG];
        let hashed = &buffer[at + self.skip..];
        let len = hashed.len().min(HASHED_LONG);
        bytes[..len].copy_from_slice(&hashed[..len]);
        let bytes = u64::from_le_bytes(bytes);
        let (low, high) = (bytes as u32, (bytes >> 32) as u32);
        [self.short.bucket(spread(low)), self.long.bucket(spread_long(low, high))]
    }

    fn insert(&mut self, buffer: &[u8], at: usize) {
        let [short, long] = self.buckets(buffer, at);
        self.short.insert(short, at - self.base);
        self.long.insert(long, at - self.base);
    }
}
