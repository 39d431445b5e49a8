//! Puts a code's symbols in the order of their words.

use crate::deflate::batch::{Counts, MAX_LEN, SYMBOLS, Sorted};

/// Counts the lengths, then puts each symbol where those of its length are.
pub(in super::super) fn sort(lens: &[u8], of: &[u16], to: &mut Sorted) -> Counts {
    assert!(lens.len() == of.len() && lens.len() <= SYMBOLS);
    let mut counts = [0; MAX_LEN + 1];
    for &len in lens {
        counts[usize::from(len) % counts.len()] += 1;
    }
    counts[0] = 0;
    let mut places = [0; MAX_LEN + 1];
    for len in 1..MAX_LEN {
        places[len + 1] = places[len] + counts[len];
    }
    // What has no word goes past the end, where nobody looks.
    places[0] = SYMBOLS as u16;
    for (&len, &of) in lens.iter().zip(of) {
        let place = &mut places[usize::from(len) % counts.len()];
        to[usize::from(*place)] = of;
        *place += u16::from(len != 0);
    }
    counts
}
