//! Parsers: the choice of tokens among the matches that were found.

pub(crate) mod fastest;
pub(crate) mod greedy;
pub(crate) mod lazy;
pub(crate) mod near_optimal;
pub(crate) mod sequential;
