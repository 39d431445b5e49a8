//! Puts a code's symbols in the order of their words.

use crate::deflate::inflate::batch::entry::{Counts, MAX_LEN, SYMBOLS, Sorted};

/// Parts whose symbols are counted and placed in turn: neighbours often have the same length, and
/// each waits for the store of the one before to the same counter.
const PARTS: usize = 4;

/// Counts the lengths, then puts each symbol among those of its length. Those of length 0 come
/// last, beyond the used part.
pub(crate) fn sort(lens: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    let count = lens.len();
    assert!(count == of.len() && count.is_multiple_of(PARTS) && count <= SYMBOLS);
    let part = count / PARTS;
    let lens: [&[u8]; PARTS] = std::array::from_fn(|p| &lens[p * part..][..part]);
    let of: [&[u16]; PARTS] = std::array::from_fn(|p| &of[p * part..][..part]);
    let mut places = [[0_u16; MAX_LEN + 1]; PARTS];
    for i in 0..part {
        for p in 0..PARTS {
            places[p][usize::from(lens[p][i]) % (MAX_LEN + 1)] += 1;
        }
    }
    let (mut counts, mut done) = ([0; MAX_LEN + 1], 0);
    for len in (1..=MAX_LEN).chain([0]) {
        let start = done;
        for places in &mut places {
            let count = places[len];
            places[len] = done;
            done += count;
        }
        counts[len] = done - start;
    }
    counts[0] = 0;
    for i in 0..part {
        for p in 0..PARTS {
            let place = &mut places[p][usize::from(lens[p][i]) % (MAX_LEN + 1)];
            to[usize::from(*place)] = of[p][i];
            *place += 1;
        }
    }
    counts
}
