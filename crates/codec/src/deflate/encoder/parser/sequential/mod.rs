//! Sequential lazy parser over hash chains: one position after the other, and none that a match
//! covers.
//!
//! The other parsers search in vectors, whatever the data: lanes cut long matches, and the
//! near-optimal parser compares every other position. Where data repeats much, as source code and
//! JSON do, most positions lie within a match, so searching only where a token may begin takes less
//! time than any vector saves.
//!
//! - *Links* (`links.rs`): a pass over each chunk links every position to the one before with the
//!   same hash of four bytes, and for short matches to the one with the same three.
//! - *Search* (`search.rs`): follows the links of a position, and compares candidates.
//! - *Choice* (`choose.rs`): takes a match unless one of the next positions has a better one.
//!
//! It has no vector code, so its bytes are the same everywhere; the steps after it have.

pub(crate) mod choose;
pub(crate) mod encode;
pub(crate) mod links;
pub(crate) mod search;
