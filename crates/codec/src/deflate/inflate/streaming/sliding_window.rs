//! Sliding window: the bytes within reach of matches, and decoded bytes that the caller had no room
//! for.

use super::output::{Match, OutputRegion};

/// The farthest back that matches reach.
pub(super) const MAX_DISTANCE: usize = 32 << 10;
/// Bytes past the last position of a symbol: the longest match, and the overrun of copies.
pub(super) const MARGIN: usize = 1 + 258 + super::unchecked::PAST;
/// Bytes that are written before the window moves to the front: the number that moves then, so that
/// each byte is moved once.
const ROOM: usize = 80 << 10;
/// The last place of a symbol.
const LAST: usize = MAX_DISTANCE + ROOM;
/// The most bytes that [`super::StreamInflater::keep`] returns.
pub const MAX_KEPT: usize = MAX_DISTANCE + MARGIN;
/// Bytes of a window.
pub const WINDOW: usize = LAST + MARGIN;
/// With less room, the window moves.
const MIN_ROOM: usize = 8 << 10;

/// Places in a window.
#[derive(Clone, Copy, Default)]
pub(super) struct SlidingWindow {
    /// Matches reach back to here.
    pub(super) floor: usize,
    /// End of the bytes given to the caller.
    pub(super) given: usize,
    /// End of the decoded bytes.
    pub(super) end: usize,
}

impl SlidingWindow {
    /// Returns whether decoded bytes wait for room.
    pub(super) fn is_pending(&self) -> bool {
        self.given < self.end
    }

    /// Returns the number of bytes within reach of matches.
    pub(super) fn len(&self) -> usize {
        self.given - self.floor
    }

    /// Drops the bytes that wait to be given.
    pub(super) fn drop_pending(&mut self) {
        self.end = self.given;
    }

    /// Forgets all but the last `reach` bytes that the caller was given.
    pub(super) fn limit(&mut self, reach: usize) {
        self.floor = self.floor.max(self.given.saturating_sub(reach));
    }

    /// Copies waiting bytes to `output`. Returns their number.
    pub(super) fn give(&mut self, window: &[u8; WINDOW], output: &mut [u8]) -> usize {
        let len = (self.end - self.given).min(output.len());
        output[..len].copy_from_slice(&window[self.given..self.given + len]);
        self.given += len;
        len
    }

    /// Makes room for up to `wanted` bytes, when none wait to be given. Returns the last position
    /// of a symbol.
    pub(super) fn make_room(&mut self, window: &mut [u8; WINDOW], wanted: usize) -> usize {
        if LAST < self.end + wanted.min(MIN_ROOM) {
            self.slide(window);
        }
        LAST.min(self.end.saturating_add(wanted))
    }

    /// Appends bytes that the caller got without the window, when none wait to be given.
    pub(super) fn append(&mut self, window: &mut [u8; WINDOW], written: &[u8]) {
        let last = &written[written.len().saturating_sub(MAX_DISTANCE)..];
        if last.len() == MAX_DISTANCE {
            *self = Self::default();
        } else if self.end + last.len() > LAST {
            self.slide(window);
        }
        window[self.end..self.end + last.len()].copy_from_slice(last);
        self.end += last.len();
        self.given = self.end;
    }

    /// Appends bytes before the rest of the `last` symbol, which may wait. The rest of a match is
    /// then taken from its distance before.
    pub(super) fn insert(&mut self, window: &mut [u8; WINDOW], written: &[u8], last: Match) {
        let mut waiting = [0; MARGIN];
        let len = self.end - self.given;
        waiting[..len].copy_from_slice(&window[self.given..self.end]);
        self.end = self.given;
        self.append(window, written);
        for (i, &byte) in (self.end..).zip(&waiting[..len]) {
            let is_match = (1..=i - self.floor).contains(&last.distance);
            window[i] = if is_match { window[i - last.distance] } else { byte };
        }
        self.end += len;
    }

    /// Writes a match that had no room. Returns whether its distance is within reach.
    pub(super) fn repeat(&mut self, window: &mut [u8; WINDOW], Match { len, distance }: Match) -> bool {
        if self.end + len > WINDOW {
            self.slide(window);
        }
        let mut region =
            OutputRegion { bytes: window, floor: self.floor, at: self.end, until: 0, last: Match::default() };
        let is_written = region.repeat(len, distance).is_some();
        self.end = region.at;
        is_written
    }

    /// Moves the bytes within reach of matches to the front.
    fn slide(&mut self, window: &mut [u8; WINDOW]) {
        let by = self.end.saturating_sub(MAX_DISTANCE);
        window.copy_within(by..self.end, 0);
        self.floor = self.floor.saturating_sub(by);
        (self.given, self.end) = (self.given - by, self.end - by);
    }
}
