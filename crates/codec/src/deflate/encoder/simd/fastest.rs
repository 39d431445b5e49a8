//! Parse of the fastest parser, with one comparison of 32 bytes for each candidate, so that the
//! only branches that data decides are those between literals, matches and long matches.

use std::hint::select_unpredictable;
use std::ops::Range;

use super::vector::Simd;
use crate::deflate::encoder::match_finder::COMPARED;
use crate::deflate::encoder::parser::fastest::heads::{BITS, Heads, MIN_LEN, NEAR, STEP_TOKENS, hash};
use crate::deflate::encoder::symbols::{MAX_MATCH, Token, WINDOW, literal};

/// Bytes from a position on that a step reads: its own and the next position's.
const READ: usize = 1 + COMPARED;

/// As `Heads::parse`.
#[inline(always)]
pub(crate) fn parse<S: Simd>(
    simd: S,
    heads: &mut Heads,
    buffer: &[u8],
    range: Range<usize>,
    window: usize,
    last: &mut usize,
    tokens: &mut Vec<Token>,
) -> usize {
    assert!(window <= WINDOW && *last <= range.start);
    let bulk = range.end.min((buffer.len() + 1).saturating_sub(READ));
    tokens.reserve(range.len() + STEP_TOKENS);
    let mut at = range.start;
    let mut distance = *last as u32;
    let (table, base) = heads.table();
    let (table, window_bytes) = (table.as_mut_ptr(), window as u32);
    // SAFETY: `READ` bytes follow each position below `bulk`. A distance from the table of at most
    // the window leads to an earlier position of this input, as entries of earlier inputs are
    // farther, and so does that of the last match. A step has no more tokens than positions, but
    // for those that pass the end, and room for `STEP_TOKENS` more is reserved.
    unsafe {
        let first = tokens.as_mut_ptr().add(tokens.len());
        let mut to = first;
        while at < bulk {
            let from = buffer.as_ptr().add(at);
            let word = u64::from_le(from.cast::<u64>().read_unaligned());
            let entry = base.wrapping_add(at as u32);
            let (here_len, here) = look_up(simd, table, from, word as u32, entry, window_bytes);
            let (next_len, next) =
                look_up(simd, table, from.add(1), (word >> 8) as u32, entry.wrapping_add(1), window_bytes);
            let again_len = compare(simd, from, distance);
            let (here_worth, next_worth) = (worth(here_len, here), worth(next_len, next));
            let again_worth = worth(again_len, distance);
            let is_again = again_worth >= here_worth;
            let best_worth = here_worth.max(again_worth);
            let is_later = next_worth > best_worth + 1;
            to.write(literal(word as u8));
            if select_unpredictable(is_later, next_worth, best_worth) < MIN_LEN as i32 {
                to.add(1).write(literal((word >> 8) as u8));
                to = to.add(2);
                at += 2;
                continue;
            }
            let len = select_unpredictable(is_again, again_len, here_len);
            let mut len = select_unpredictable(is_later, next_len, len);
            distance = select_unpredictable(is_again, distance, here);
            distance = select_unpredictable(is_later, next, distance);
            at += usize::from(is_later);
            to = to.add(usize::from(is_later));
            if len == COMPARED as u32 {
                let from = buffer.as_ptr().add(at);
                let left = buffer.len() - at;
                len = extended(simd, from, distance, left);
                // Others that are as long as what was compared may be longer.
                let is_open = !is_later && len < MAX_MATCH as u32;
                if is_open && here_len == COMPARED as u32 && here != distance {
                    let other = extended(simd, from, here, left);
                    (len, distance) = if other > len { (other, here) } else { (len, distance) };
                }
                if is_open && next_len == COMPARED as u32 && next != distance {
                    let other = extended(simd, from.add(1), next, left - 1);
                    if other > len + 1 {
                        (len, distance) = (other, next);
                        at += 1;
                        to = to.add(1);
                    }
                }
            }
            // A token has the distance less one.
            to.write(len << 16 | (distance - 1));
            to = to.add(1);
            at += len as usize;
        }
        tokens.set_len(tokens.len() + to.offset_from_unsigned(first));
    }
    *last = distance as usize;
    if at < range.end { heads.parse(buffer, at..range.end, window, last, tokens) } else { at }
}

/// Returns the length of a match, less one if it is far.
#[inline(always)]
fn worth(len: u32, distance: u32) -> i32 {
    len as i32 - i32::from(distance > NEAR as u32)
}

/// Returns the length and the distance of the match with the last position that has the same hash,
/// and puts an entry in its place.
///
/// # Safety
/// `COMPARED` bytes follow, also at the distance before, and the table has an entry for each hash.
#[inline(always)]
unsafe fn look_up<S: Simd>(
    simd: S,
    table: *mut u32,
    from: *const u8,
    bytes: u32,
    entry: u32,
    window: u32,
) -> (u32, u32) {
    const { assert!(BITS < u32::BITS) };
    // SAFETY: the caller's.
    unsafe {
        let head = table.add(hash(bytes));
        let distance = entry.wrapping_sub(*head);
        *head = entry;
        let distance = select_unpredictable(distance <= window, distance, 0);
        (compare(simd, from, distance), distance)
    }
}

/// Returns the number of equal bytes at a distance, of those compared; 0 at a distance of 0.
///
/// # Safety
/// `COMPARED` bytes follow, also at the distance before.
#[inline(always)]
unsafe fn compare<S: Simd>(simd: S, from: *const u8, distance: u32) -> u32 {
    // SAFETY: the caller's.
    let equal = unsafe { simd.equal_bytes(from, from.sub(distance as usize)) };
    (!select_unpredictable(distance != 0, equal, 0)).trailing_zeros()
}

/// Returns the length of a match of `COMPARED` bytes or more.
///
/// # Safety
/// `left` bytes follow, and those at the distance before exist.
#[inline(always)]
unsafe fn extended<S: Simd>(simd: S, from: *const u8, distance: u32, left: usize) -> u32 {
    let limit = left.min(MAX_MATCH);
    let distance = distance as usize;
    let mut len = COMPARED;
    // SAFETY: the caller's; no byte from `limit` on is read.
    unsafe {
        while len + COMPARED <= limit {
            let here = from.add(len);
            let equal = simd.equal_bytes(here, here.sub(distance));
            if equal != u32::MAX {
                return len as u32 + (!equal).trailing_zeros();
            }
            len += COMPARED;
        }
        while len < limit && *from.add(len) == *from.add(len).sub(distance) {
            len += 1;
        }
    }
    len as u32
}
