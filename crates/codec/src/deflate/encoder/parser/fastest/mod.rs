//! Fastest parser: one candidate at each position where a token begins, and another at the distance
//! of the match before.
//!
//! Positions within a match are not hashed, so repetitive data takes little more than the time of
//! its comparisons. The distance of the match before finds what that misses: data that goes on to
//! repeat after the longest match, or after a byte that differs.

pub(crate) mod encode;
pub(crate) mod heads;
