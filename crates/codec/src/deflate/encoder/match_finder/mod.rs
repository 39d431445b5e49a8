//! Finding the longest match at every position, without a branch on what is found.
//!
//! A bucket holds the last few positions whose next four bytes have the same hash, newest first. Positions are 16-bit, from
//! a base that moves: whatever a bucket holds is a position in the window, also where nothing was stored (position 0 of the
//! window), so a candidate needs no check but the comparison of its bytes. That is what makes the search branch-free, and
//! safe on any table.
//!
//! This is the portable version and defines the result; `arch/` has faster ones that give the same.

pub(crate) mod buckets;
pub(crate) mod chains;
pub(crate) mod extend;

use std::collections::TryReserveError;
use std::ops::Range;

use super::levels::{EncoderParameters, reserve};
use super::symbols;
use super::symbols::{Match, WINDOW, len_of};
use buckets::{Buckets, HASHED, HASHED_LONG, spread, spread_long};
use extend::{common_prefix_len, extend_matches};

/// Positions that are searched at a time.
pub(crate) const GROUP: usize = 16;
/// Bytes that are compared at once. Longer matches are rare in most data, and are followed to their end separately.
pub(crate) const COMPARED: usize = 32;

/// The most positions whose ties are known at a time: of two groups, or of what is searched one by one at the end of a buffer.
const TIED: usize = COMPARED + GROUP;

/// The buckets of a window.
pub(crate) struct MatchFinder {
    /// By the next `HASHED` bytes.
    pub(crate) short: Buckets,
    /// By the next `HASHED_LONG` bytes: what is lost from the buckets above, where strings are frequent, is often found here.
    pub(crate) long: Buckets,
    /// Positions and candidates of theirs that are equal for `COMPARED` bytes; of the last two groups.
    ties: Vec<(usize, usize)>,
    /// What positions are counted from.
    pub(crate) base: usize,
    /// Positions stay below this, and distances too.
    window: usize,
    /// See [`EncoderParameters::skip`]. What is hashed for a position begins as many bytes after it, so that a match of what is left out
    /// is found with the position before.
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

    /// Forgets everything. Ways are for the short and the long buckets, of which there are 2^`bits` each; without
    /// any, there are none.
    pub(crate) fn reset(&mut self, parameters: EncoderParameters, bits: u32, window: usize) {
        self.short.reset(parameters.ways[0], bits);
        self.long.reset(parameters.ways[1], bits);
        (self.base, self.window, self.skip) = (0, window, parameters.skip);
    }

    /// Moves the base if the position is as far from it as positions go, and returns where it has to be moved next.
    ///
    /// A quarter of the window at a time: moving costs a pass over the buckets, and what falls out is lost to matches.
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

    /// Finds a match for each position of a range, into `matches`, in groups of `GROUP` positions. There is room for the
    /// range's positions: see [`Self::make_room`]. Returns where the last whole group ends; the rest is for
    /// [`Self::find_each`].
    ///
    /// The first match of a group that is `COMPARED` bytes long is followed: what is left of it is taken as the match of the
    /// positions in it, and they are not searched. This is looked at only after the next group was searched, so that a
    /// processor need not wait for what it has just written; if there is such a match then, the next group is not looked at.
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

    /// Finds a match for each position of a range, of which none is followed.
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

    /// Finds a match for a position and those that are left out after it, unless there are no more matches.
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
        // Where the match that begins with what is hashed ends, and the length of that from the position itself.
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

    /// Follows the matches at `at` to their ends, and takes what is left of the longest as the match of the positions in it.
    /// Those below `searched` are in the buckets already. Returns the next position that is to be searched.
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

    /// Notes positions that there is room for, without searching: in any order, but none at or after what is searched next, which would find itself.
    /// Those that are too close to the end for a hash are left out.
    pub(crate) fn insert_range(&mut self, buffer: &[u8], range: Range<usize>) {
        for at in range.start..range.end.min((buffer.len() + 1).saturating_sub(HASHED_LONG)) {
            self.insert(buffer, at);
        }
    }

    /// The buckets of a position. Where fewer bytes than `HASHED_LONG` follow what is skipped, zeros take their place.
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
