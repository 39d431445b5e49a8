//! Choice of the sequential parser between a match and a literal.

use std::ops::Range;

use super::search::{Found, Search};
use crate::deflate::encoder::levels::SequentialParameters;
use crate::deflate::encoder::parser::lazy::{MIN_GAINS, MIN_WORTH};
use crate::deflate::encoder::symbols::{self, Token, literal};

/// Returns the worth of a match in quarters of a byte, less one for each doubling of its distance.
fn worth(found: Found) -> i32 {
    4 * found.len as i32 - (found.distance | 1).ilog2() as i32
}

/// Appends the tokens of some positions. Returns their end: the last one may reach further.
#[inline(always)]
pub(crate) fn parse(
    search: &Search<'_>,
    parameters: SequentialParameters,
    buffer: &[u8],
    range: Range<usize>,
    min_len: usize,
    tokens: &mut Vec<Token>,
) -> usize {
    let SequentialParameters { depth, max_lazy, lookahead, .. } = parameters;
    let mut at = range.start;
    // The last two distances of matches.
    let mut recent = [0; 2];
    let mut is_behind_match = false;
    while at < range.end {
        // A match is likely behind another one, even if the link leads to other bytes. After a byte
        // that differs, or the longest match, its distance is often the same, or in a run within a
        // longer repetition that of the match before.
        let others = if std::mem::take(&mut is_behind_match) { recent } else { [0; 2] };
        let is_searched = others[0] > 0 || search.has_link(at);
        let mut found =
            if is_searched { search.longest(at, min_len - 1, depth, others) } else { Found::default() };
        if found.len == 0 || worth(found) <= MIN_WORTH {
            tokens.push(literal(buffer[at]));
            at += 1;
            continue;
        }
        'better: while found.len < max_lazy {
            for (number, &gain) in MIN_GAINS[..lookahead].iter().enumerate() {
                let later = at + 1 + number;
                if later >= range.end || !search.has_link(later) {
                    continue;
                }
                let next = search.longest(later, found.len - 1, depth >> (1 + number), [0; 2]);
                if next.len > 0 && worth(next) > worth(found) + gain {
                    tokens.extend(buffer[at..later].iter().map(|&byte| literal(byte)));
                    (at, found) = (later, next);
                    continue 'better;
                }
            }
            break;
        }
        // A token has the distance less one.
        tokens.push(symbols::match_of(found.len, found.distance - 1));
        at += found.len;
        if found.distance != recent[0] {
            recent = [found.distance, recent[0]];
        }
        is_behind_match = true;
    }
    at
}
