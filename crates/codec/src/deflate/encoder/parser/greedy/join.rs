//! Extension of a lane's last match over the tokens of the next lane.

use std::ops::Range;

use crate::deflate::encoder::match_finder::extend::common_prefix_len;
use crate::deflate::encoder::symbols::{self, LITERAL, MAX_MATCH, Token, len_of};

/// Extends the match that the end of its lane cut off into the next lane, which has `positions` and
/// the tokens from `first` on. Tokens that it covers entirely are removed.
///
/// Saves bytes mostly in short blocks, which have short lanes.
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
