//! Several blocks at a time, an element of each in turn.
//!
//! The decoding of a single block is bound by latency: each tag is loaded and looked up to find the
//! next one, and a mispredicted kind of element costs more. Here the source of a copy is selected
//! without a branch, and while one block waits for its next tag, the others have theirs. The
//! remaining branches are rare, or predictable: elements of more than 32 bytes, copies that overlap
//! their output, and the ends of buffers.

use super::copy::{STEP, WIDE, repeat, wide};
use super::{LONGEST, TAGS, Tag, bytes_of_copy, bytes_of_literal};

/// Blocks that are decoded at a time. With two they were slower, and with four, for which the
/// registers don't suffice, not faster.
pub(in super::super) const LANES: usize = 3;

/// Bytes from the place of an element on that may be written: the last step of a copy that overlaps
/// its output begins before its end.
const ROOM: usize = LONGEST + STEP;
/// Bytes from a tag on that may be read: itself, and LONGEST for a literal, more than an offset
/// has.
const AHEAD: usize = 1 + LONGEST;

/// A block that is being decoded.
pub(in super::super) struct Lane<'a> {
    /// Its elements.
    pub input: &'a [u8],
    /// The output, of the size in the block's header.
    pub output: &'a mut [u8],
    /// Bytes that were read.
    pub at: usize,
    /// Bytes that were written.
    pub done: usize,
}

/// Place of a lane in its buffers.
#[derive(Clone, Copy)]
struct Cursor {
    at: *const u8,
    to: *mut u8,
    start: *mut u8,
}

impl Lane<'_> {
    /// Returns the number of elements of any kind that there is room for.
    fn rounds(&self) -> usize {
        let (ahead, room) = (self.input.len() - self.at, self.output.len() - self.done);
        (ahead / AHEAD).min(room / ROOM)
    }

    fn cursor(&mut self) -> Cursor {
        let start = self.output.as_mut_ptr();
        Cursor { at: self.input.as_ptr().wrapping_add(self.at), to: start.wrapping_add(self.done), start }
    }
}

/// Decodes an element of each lane in turn, until one has none that can be decoded here: it is
/// close to an end of a buffer, bad, or of a kind that is not decoded here. Returns the number of
/// that lane.
pub(in super::super) fn decompress(lanes: &mut [Lane<'_>; LANES]) -> usize {
    loop {
        let rounds = lanes.each_ref().map(|lane| lane.rounds());
        let without = rounds.iter().position(|&rounds| rounds == 0);
        let stopped = without.or_else(|| turns(lanes, rounds.into_iter().min().unwrap_or(0)));
        if let Some(stopped) = stopped {
            return stopped;
        }
    }
}

/// Decodes `rounds` elements of each lane, for which there is room in all of them, or up to one
/// that can't be decoded here. Returns the number of the lane of that one.
fn turns(lanes: &mut [Lane<'_>; LANES], rounds: usize) -> Option<usize> {
    let [mut first, mut second, mut third] = lanes.each_mut().map(|lane| lane.cursor());
    let mut stopped = None;
    // Each by its name, so that their state stays in registers.
    for _ in 0..rounds {
        // SAFETY: there was room for `rounds` times AHEAD and ROOM bytes, and each round takes no
        // more.
        let [one, two, three] = unsafe { [element(&mut first), element(&mut second), element(&mut third)] };
        if !(one && two && three) {
            stopped = [one, two, three].iter().position(|is_done| !is_done);
            break;
        }
    }
    for (lane, cursor) in lanes.iter_mut().zip([first, second, third]) {
        lane.at = cursor.at as usize - lane.input.as_ptr() as usize;
        lane.done = cursor.to as usize - cursor.start as usize;
    }
    stopped
}

/// Decodes an element, and moves the cursor behind it; or leaves it where it is, if it is bad or
/// its length in bytes of its own.
///
/// # Safety
/// AHEAD bytes can be read from `at` on, ROOM bytes be written from `to` on, and the bytes between
/// `start` and `to` be read.
#[inline(always)]
unsafe fn element(cursor: &mut Cursor) -> bool {
    // A copy that comes to `wide` begins WIDE bytes before or earlier, or is no longer than it is
    // apart, so shorter than WIDE: `wide` reads bytes that were written before.
    // SAFETY: after the tag two bytes are read as an offset, and LONGEST for a literal. A copy
    // begins `offset` bytes before `to`, and that many are there. Both kinds of copies write ROOM
    // bytes at most. The places behind are at most one behind the bytes read and written.
    unsafe {
        let tag = *cursor.at;
        let Tag { len, offset, mask } = TAGS[usize::from(tag)];
        let literal = cursor.at.add(1);
        let trailer = u16::from_le_bytes(literal.cast::<[u8; 2]>().read_unaligned());
        let offset = usize::from(offset) + usize::from(trailer & mask);
        let (len, is_copy) = (usize::from(len), tag & 3 != 0);
        let written = cursor.to as usize - cursor.start as usize;
        if len == 0 || (is_copy && offset.wrapping_sub(1) >= written) {
            return false;
        }
        if is_copy && offset < len && offset < WIDE {
            repeat(cursor.to, offset, len);
        } else {
            // A literal's is not used.
            let copied = cursor.to.cast_const().wrapping_sub(offset);
            let from = if is_copy { copied } else { literal };
            wide(from, cursor.to);
            if len > WIDE {
                wide(from.add(WIDE), cursor.to.add(WIDE));
            }
        }
        cursor.at = cursor.at.add(if is_copy { bytes_of_copy(tag) } else { bytes_of_literal(tag) });
        cursor.to = cursor.to.add(len);
        true
    }
}
