//! Symbols where input and region are plenty. All `unsafe` of streams in pieces is here.

#![allow(unsafe_code)]

mod matches;
mod symbols;

pub(super) use symbols::run;

/// Bytes past the end of a match that may be written.
pub(super) const PAST: usize = 40;
/// Bytes that one turn reads at most, with those that it looks at: 8 for each of three fills.
pub(super) const READ: usize = 24;
