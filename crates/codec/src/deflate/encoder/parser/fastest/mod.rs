//! Fastest parser: one candidate at the position where a token begins and one at the next, and
//! another at the distance of the match before.
//!
//! Positions within a match are not hashed, so repetitive data takes little more than the time of
//! its comparisons. The distance of the match before finds what that misses: data that goes on to
//! repeat after the longest match, or after a byte that differs. All three candidates of a step are
//! compared before one is chosen, which takes less time than a branch for each.

pub(crate) mod encode;
pub(crate) mod heads;
