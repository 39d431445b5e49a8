//! Finding the longest match at every position, without a branch on what is found.
//!
//! A bucket holds the last few positions whose next four bytes have the same hash, newest first. Positions are 16-bit, from
//! a base that moves: whatever a bucket holds is a position in the window, also where nothing was stored (position 0 of the
//! window), so a candidate needs no check but the comparison of its bytes. That is what makes the search branch-free, and
//! safe on any table.
//!
//! This is the portable version and defines the result; `arch/` has faster ones that give the same.

use std::ops::Range;

use super::symbols::{self, Find, MAX_MATCH, WINDOW, len_of};

/// Bytes that are hashed, and so the shortest match that is looked for. Three bytes would find matches that mostly cost
/// more than the literals.
pub(super) const HASHED: usize = 4;
/// What makes four bytes those that are hashed for the shortest matches.
pub(super) const TINY_SHIFT: u32 = 8 * (HASHED - HASHED_TINY) as u32;
/// Bytes that are hashed for the shortest matches.
const HASHED_TINY: usize = 3;
/// Bytes that are hashed for long matches.
pub(super) const HASHED_LONG: usize = 8;
/// Positions that are searched at a time.
pub(super) const GROUP: usize = 16;
/// Bytes that are compared at once. Longer matches are rare in most data, and are followed to their end separately.
pub(super) const COMPARED: usize = 32;

/// Buckets of positions, one for each hash of some bytes.
pub(super) struct Buckets {
    /// `ways` positions for each hash, newest first.
    pub(super) positions: Vec<u16>,
    pub(super) ways: usize,
    /// The logarithm of the number of buckets.
    pub(super) bits: u32,
}

/// The buckets of a window.
pub(super) struct Finder {
    /// By the next `HASHED` bytes.
    pub(super) short: Buckets,
    /// By the next `HASHED_TINY` bytes: for data that repeats little, such as numbers of a few bits.
    pub(super) tiny: Buckets,
    /// By the next `HASHED_LONG` bytes: what is lost from the buckets above, where strings are frequent, is often found here.
    pub(super) long: Buckets,
    /// Positions and candidates of theirs that are equal for `COMPARED` bytes; of the last two groups.
    ties: Vec<(usize, usize)>,
    /// What positions are counted from.
    pub(super) base: usize,
    /// Positions stay below this, and distances too.
    window: usize,
}

impl Finder {
    pub(super) fn new() -> Self {
        Self {
            short: Buckets::new(),
            tiny: Buckets::new(),
            long: Buckets::new(),
            ties: Vec::new(),
            base: 0,
            window: WINDOW,
        }
    }

    /// Forgets everything. Ways are for the short, the long and the tiny buckets; without any, there are none.
    pub(super) fn reset(&mut self, ways: [usize; 3], bits: u32, window: usize) {
        self.short.reset(ways[0], bits);
        self.long.reset(ways[1], bits);
        self.tiny.reset(ways[2], bits);
        (self.base, self.window) = (0, window);
    }

    /// Moves the base if the position is as far from it as positions go, and returns where it has to be moved next.
    ///
    /// A quarter of the window at a time: moving costs a pass over the buckets, and what falls out is lost to matches.
    pub(super) fn make_room(&mut self, at: usize) -> usize {
        while at - self.base >= self.window {
            let step = self.window / 4;
            self.base += step;
            let step = step as u16;
            self.short.lower(step);
            self.long.lower(step);
            self.tiny.lower(step);
        }
        self.base + self.window
    }

    /// Finds a match for each position of a range, into `finds`, in groups of `GROUP` positions. There is room for the
    /// range's positions: see [`Self::make_room`]. Returns where the last whole group ends; the rest is for
    /// [`Self::find_each`].
    ///
    /// The first match of a group that is `COMPARED` bytes long is followed: what is left of it is taken as the match of the
    /// positions in it, and they are not searched. This is looked at only after the next group was searched, so that a
    /// processor need not wait for what it has just written; if there is such a match then, the next group is not looked at.
    pub(super) fn find(&mut self, buffer: &[u8], range: Range<usize>, finds: &mut [Find]) -> usize {
        let start = range.start;
        let first = |finds: &[Find], group: usize| {
            (group..group + GROUP).find(|at| len_of(finds[at - start]) == COMPARED)
        };
        let mut at = start;
        let mut before = None;
        self.ties.clear();
        while at + GROUP <= range.end {
            self.ties.retain(|&(position, _)| before.is_some_and(|before| position >= before));
            self.find_each(buffer, at..at + GROUP, &mut finds[at - start..][..GROUP]);
            (before, at) = match before.and_then(|before| first(finds, before)) {
                None => (Some(at), at + GROUP),
                Some(first) => (None, self.follow(buffer, range.clone(), finds, first, at + GROUP)),
            };
        }
        match before.and_then(|before| first(finds, before)) {
            None => at,
            Some(first) => self.follow(buffer, range, finds, first, at),
        }
    }

    /// Finds a match for each position of a range, one by one.
    pub(super) fn find_each(&mut self, buffer: &[u8], range: Range<usize>, finds: &mut [Find]) {
        for (at, find) in range.zip(finds) {
            let limit = (buffer.len() - at).min(COMPARED);
            // The first position of all has nothing before it, and would find itself.
            if limit < HASHED || at == 0 {
                *find = 0;
                continue;
            }
            let relative = at - self.base;
            let [short, long, tiny] = self.buckets(buffer, at);
            let candidates = self.short.positions[short.clone()]
                .iter()
                .chain(&self.long.positions[long.clone()])
                .chain(&self.tiny.positions[tiny.clone()]);
            let (mut best, mut from) = (0, self.short.positions[short.start]);
            for &position in candidates {
                let len = common(buffer, self.base + usize::from(position), at, limit);
                if len > best {
                    (best, from) = (len, position);
                }
                if len == COMPARED {
                    self.ties.push((at, self.base + usize::from(position)));
                }
            }
            self.short.insert(short, relative);
            self.long.insert(long, relative);
            self.tiny.insert(tiny, relative);
            *find = symbols::find(best, relative - usize::from(from));
        }
    }

    /// Follows the matches at `at` to their ends, and takes what is left of the longest as the match of the positions in it.
    /// Those below `searched` are in the buckets already. Returns the next position that is to be searched.
    fn follow(
        &mut self,
        buffer: &[u8],
        range: Range<usize>,
        finds: &mut [Find],
        at: usize,
        searched: usize,
    ) -> usize {
        let candidates = self.ties.iter().filter(|tie| tie.0 == at).map(|tie| tie.1);
        let end = follow(buffer, range, finds, at, candidates, searched);
        (searched..end).for_each(|within| self.insert(buffer, within));
        end.max(searched)
    }

    /// Notes positions without searching. Those that are too close to the end for a hash are left out.
    pub(super) fn note(&mut self, buffer: &[u8], range: Range<usize>) {
        for at in range.start..range.end.min((buffer.len() + 1).saturating_sub(HASHED_LONG)) {
            self.make_room(at);
            self.insert(buffer, at);
        }
    }

    /// The buckets of a position that `HASHED` bytes follow. If fewer than `HASHED_LONG` do, zeros take their place.
    fn buckets(&self, buffer: &[u8], at: usize) -> [Range<usize>; 3] {
        let mut bytes = [0; HASHED_LONG];
        let len = (buffer.len() - at).min(HASHED_LONG);
        bytes[..len].copy_from_slice(&buffer[at..at + len]);
        let bytes = u64::from_le_bytes(bytes);
        let (low, high) = (bytes as u32, (bytes >> 32) as u32);
        [
            self.short.bucket(spread(low)),
            self.long.bucket(spread_long(low, high)),
            self.tiny.bucket(spread(low << TINY_SHIFT)),
        ]
    }

    fn insert(&mut self, buffer: &[u8], at: usize) {
        let [short, long, tiny] = self.buckets(buffer, at);
        self.short.insert(short, at - self.base);
        self.long.insert(long, at - self.base);
        self.tiny.insert(tiny, at - self.base);
    }
}

impl Buckets {
    const fn new() -> Self {
        Self { positions: Vec::new(), ways: 0, bits: 0 }
    }

    fn reset(&mut self, ways: usize, bits: u32) {
        self.positions.clear();
        self.positions.resize(ways << bits, 0);
        (self.ways, self.bits) = (ways, bits);
    }

    /// Lowers all positions, and those that fall out of the window to its start.
    fn lower(&mut self, by: u16) {
        self.positions.iter_mut().for_each(|position| *position = position.saturating_sub(by));
    }

    /// The bucket of what `spread` returned.
    fn bucket(&self, spread: u32) -> Range<usize> {
        let first = (spread >> (32 - self.bits)) as usize * self.ways;
        first..first + self.ways
    }

    fn insert(&mut self, bucket: Range<usize>, position: usize) {
        let bucket = &mut self.positions[bucket];
        if let Some(last) = bucket.len().checked_sub(1) {
            bucket.copy_within(..last, 1);
            bucket[0] = position as u16;
        }
    }
}

/// 2^32 divided by the golden ratio, odd: multiplication spreads the bytes over the high bits (Knuth, The Art of Computer
/// Programming, volume 3, section 6.4).
pub(super) const SPREAD: u32 = 0x9E37_79B1;

/// Another odd number, 2^32 times the square root of 3 less 1, for the bytes after the first four.
pub(super) const SPREAD_HIGH: u32 = 0xBB67_AE85;

/// The hash of four bytes, of which the high bits are used.
fn spread(bytes: u32) -> u32 {
    bytes.wrapping_mul(SPREAD)
}

/// The hash of eight bytes, of which the high bits are used.
fn spread_long(low: u32, high: u32) -> u32 {
    low.wrapping_mul(SPREAD).wrapping_add(high.wrapping_mul(SPREAD_HIGH))
}

/// Follows the matches at `at` to their ends, and takes what is left of the longest as the match of the positions in it, but
/// for those below `searched` that have a longer one. Returns where the rests get too short.
#[inline(always)]
pub(super) fn follow(
    buffer: &[u8],
    range: Range<usize>,
    finds: &mut [Find],
    at: usize,
    candidates: impl Iterator<Item = usize>,
    searched: usize,
) -> usize {
    let limit = (buffer.len() - at).min(MAX_MATCH);
    let (mut len, mut distance) = (0, 0);
    for candidate in candidates {
        let equal = common(buffer, candidate, at, limit);
        if equal > len {
            (len, distance) = (equal, at - candidate);
        }
    }
    let end = (at + len - HASHED + 1).min(range.end);
    let (from, middle, to) = (at - range.start, searched.min(end) - range.start, end - range.start);
    // A position further, one byte less.
    let rest = |place: usize| symbols::find(len - (place - from), distance);
    for (place, find) in (from..).zip(&mut finds[from..middle]) {
        let rest = rest(place);
        *find = if len_of(*find) < len_of(rest) { rest } else { *find };
    }
    for (place, find) in (middle..).zip(&mut finds[middle..to]) {
        *find = rest(place);
    }
    end
}

/// How many bytes from `a` and from `b` on are equal, up to `limit`; `b` is the later one, and `limit` bytes follow it.
pub(super) fn common(buffer: &[u8], a: usize, b: usize, limit: usize) -> usize {
    let (first, second) = (&buffer[a..a + limit], &buffer[b..b + limit]);
    let mut same = 0;
    for (x, y) in first.chunks_exact(8).zip(second.chunks_exact(8)) {
        let load = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let differ = load(x) ^ load(y);
        if differ != 0 {
            return same + differ.trailing_zeros() as usize / 8;
        }
        same += 8;
    }
    same + first[same..].iter().zip(&second[same..]).take_while(|(x, y)| x == y).count()
}
