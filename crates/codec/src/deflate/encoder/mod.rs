//! Encoder of DEFLATE blocks, with searches and parsers that hardly branch on the data.
//!
//! A compressor's time goes to mispredicted branches: whether a match exists, how long it is, and
//! whether the next one is better. Here, as in `inflate/batch`, branches are avoided, and the work
//! passes over the data in steps. The first two depend on the level:
//!
//! - The lower levels: hash chains link every position to its predecessor with the same hash
//!   (`match_finder/chains.rs`), and the greedy parser (`parser/greedy`) compares candidates where
//!   a token may begin, in interleaved lanes.
//! - The levels from 6 on: the match finder (`match_finder`) returns the longest match at every
//!   position from n-way buckets, and the near-optimal parser (`parser/near_optimal`) minimises the
//!   bits of the tokens, given the cost of each symbol.
//!
//! The other steps are the same (`block`):
//!
//! - The block splitter ends a block where codes of its own pay for the tokens that follow.
//! - The Huffman codes with the fewest bits are made for a block's tokens, and their cost compared
//!   with the fixed codes and with a stored block.
//! - The writer writes the bits.
//!
//! Pieces with few matches are only sampled, until a match is found (`heuristics.rs`).
//!
//! `dispatch.rs` calls the portable implementation or the one in `simd/`. All write the same bytes.
//! `level_policy.rs` chooses between this encoder and libdeflate.

pub(crate) mod bit_writer;
pub(crate) mod block;
pub(crate) mod block_encoder;
pub(crate) mod dispatch;
pub(crate) mod fixed;
pub(crate) mod heuristics;
pub(crate) mod level_policy;
pub(crate) mod levels;
pub(crate) mod match_finder;
pub(crate) mod parser;
pub(crate) mod scratch;
#[cfg(target_arch = "x86_64")]
pub(crate) mod simd;
pub(crate) mod symbols;
