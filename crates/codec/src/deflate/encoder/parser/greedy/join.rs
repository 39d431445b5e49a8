//! Where one lane's tokens meet those of the next.

use std::ops::Range;

use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols;
use crate::deflate::encoder::symbols::{LITERAL, MAX_MATCH, Token, len_of};

/// Has the match that ends one lane go on into the next one, whose `positions` and tokens, those from `first` on, begin where it was cut.
/// Tokens that it wholly covers are taken out.
///
/// Of a block of 4 KB, cut sixteen times, that saves 0.3% of the bytes.
pub(crate) fn join(buffer: &[u8], positions: Range<usize>, tokens: &mut Vec<Token>, first: usize) {
    let (before, after) = tokens.split_at(first);
    let Some(&last) = before.last() else { return };
    if last & LITERAL != 0 {
        return;
    }
    let (len, less) = (len_of(last), last & (LITERAL - 1));
    let limit = (MAX_MATCH - len).min(positions.len());
    let more = common_prefix_len(buffer, positions.start - 1 - less as usize, positions.start, limit);
    let (mut covered, mut taken) = (0, 0);
    for &token in after {
        if covered + len_of(token) > more {
            break;
        }
        (covered, taken) = (covered + len_of(token), taken + 1);
    }
    if taken > 0 {
        tokens[first - 1] = symbols::match_of(len + covered, less as usize);
        tokens.drain(first..first + taken);
    }
}

#[cfg(test)]
mod tests;
