//! The three steps in safe code: the reference for the vector implementations, and their substitute
//! on other processors.

use super::entry::{
    BASES, CONSUMED, Counts, DISTANCE_TABLE, ENTRIES, EXTRAS, MAX_LEN, NEXT_TABLE, SYMBOL_SHIFT, Sorted,
    TABLE_LINK, TABLE_SIZE, is_stop, literal,
};
use super::tokens::{Cursor, GROUP, Sequences, Tokens};
use crate::deflate::inflate::bit_buffer::peek_bits;

/// Puts the elements of `of` with non-zero `lengths` in the order of these lengths, and counts them
/// by length.
pub(crate) fn sort(lengths: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    let mut counts = [0; MAX_LEN + 1];
    let mut done = 0;
    for (wanted, sum) in counts.iter_mut().enumerate().skip(1) {
        let start = done;
        for (_, &of) in lengths.iter().zip(of).filter(|&(&len, _)| usize::from(len) == wanted) {
            to[done] = of;
            done += 1;
        }
        *sum = (done - start) as u16;
    }
    counts
}

/// Looks up a chunk's tokens for one lane.
pub(crate) fn decode(entries: &[u16; ENTRIES], cursor: &mut Cursor<'_>, tokens: &mut Tokens, groups: usize) {
    for start in (0..GROUP * groups).step_by(GROUP) {
        let mut bits = peek_bits(cursor.input, cursor.at);
        for i in start..start + GROUP {
            let table = usize::from(cursor.next) / size_of::<u16>();
            let entry = entries[table + bits as usize % TABLE_SIZE];
            tokens.entries[i] = entry;
            tokens.bit_buffers[i] = bits as u32;
            bits >>= entry & CONSUMED;
            cursor.at += usize::from(entry & CONSUMED);
            cursor.next = entry & NEXT_TABLE;
        }
    }
}

/// Sorts a chunk's tokens by kind. `at_distance` says whether the first one is a distance.
pub(crate) fn partition(tokens: &Tokens, mut at_distance: bool, to: &mut Sequences) {
    for (&entry, &bits) in tokens.entries.iter().zip(&tokens.bit_buffers) {
        if is_stop(entry) {
            return;
        }
        let symbol = usize::from(entry >> SYMBOL_SHIFT) % BASES.len();
        let extra = EXTRAS[symbol];
        let code = (entry & CONSUMED).saturating_sub(extra);
        let value = BASES[symbol] + ((bits >> code) as u16 & ((1 << extra) - 1));
        if entry & TABLE_LINK != 0 {
            // No symbol yet.
        } else if entry & DISTANCE_TABLE != 0 {
            to.before[to.number_count / 2] = to.literal_count as u16;
            to.matches[to.number_count] = value;
            to.number_count += 1;
        } else if at_distance {
            to.matches[to.number_count] = value;
            to.number_count += 1;
        } else {
            to.literals[to.literal_count] = literal(entry);
            to.literal_count += 1;
        }
        at_distance = entry & DISTANCE_TABLE != 0;
    }
}

/// Writes a chunk's data from match `first` on, after the `done` literals before it: to `output`
/// from `at`; matches reach back to `start` at most. Returns the new end, or `None` if the data
/// does not fit or a distance is invalid.
pub(crate) fn copy(
    sequences: &Sequences,
    (first, mut done): (usize, usize),
    output: &mut [u8],
    start: usize,
    mut at: usize,
) -> Option<usize> {
    let literals = &sequences.literals[..sequences.literal_count];
    let matches = &sequences.matches[..sequences.number_count];
    for (&before, &[len, distance]) in sequences.before.iter().zip(matches.as_chunks().0).skip(first) {
        let before = usize::from(before);
        at = put(&literals[done..before], output, at)?;
        done = before;
        at = repeat(usize::from(len), usize::from(distance), output, start, at)?;
    }
    put(&literals[done..], output, at)
}

/// Writes literals.
fn put(literals: &[u8], output: &mut [u8], at: usize) -> Option<usize> {
    let end = at + literals.len();
    output.get_mut(at..end)?.copy_from_slice(literals);
    Some(end)
}

/// Writes a match.
pub(crate) fn repeat(
    len: usize,
    distance: usize,
    output: &mut [u8],
    start: usize,
    at: usize,
) -> Option<usize> {
    let end = at + len;
    if distance == 0 || distance > at - start || end > output.len() {
        return None;
    }
    if distance >= len {
        output.copy_within(at - distance..at - distance + len, at);
    } else {
        for i in at..end {
            output[i] = output[i - distance];
        }
    }
    Some(end)
}
