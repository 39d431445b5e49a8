//! DEFLATE blocks, with searches and parses that hardly branch on the data.
//!
//! What a compressor waits for is branches: is there a match, is the next one better, how long is it. Here, as in
//! `batch/`, they are avoided, and the work goes through the data in passes. The first two differ by level:
//!
//! 1. Levels 1 to 5 (`greedy/`): *chains* link every position to the last one with the same bytes, and *lanes*, lane_ranges of the data that are
//!    walked side by side, compare candidates where a token may begin.
//! 2. Levels 6 to 9: *find* (`match_finder.rs`) gets the longest match at every position, from buckets of the last positions with the
//!    same hash, and *parse* (`optimal.rs`) the cheapest path through the data, given what symbols cost.
//!
//! The others are the same:
//!
//! 3. *split* (`split.rs`): a block ends where codes of their own pay for what follows.
//! 4. *Huffman* (`huffman.rs`, `header.rs`): the best codes for a block's tokens, and what they cost against the fixed
//!    codes and against no compression.
//! 5. *emit* (`emit.rs`): bits.
//!
//! Pieces of data in which hardly a match is found are only sampled, until one is.
//!
//! `isa.rs` chooses between safe, portable steps and those in `arch/`. All give the same bytes.

pub(crate) mod bit_writer;
pub(crate) mod block;
pub(crate) mod block_encoder;
pub(crate) mod dispatch;
pub(crate) mod fixed;
pub(crate) mod fours;
pub(crate) mod level_policy;
pub(crate) mod levels;
pub(crate) mod long_words;
pub(crate) mod look;
pub(crate) mod match_finder;
pub(crate) mod noise;
pub(crate) mod parser;
pub(crate) mod part;
pub(crate) mod repeats;
pub(crate) mod sample;
#[cfg(target_arch = "x86_64")]
pub(crate) mod simd;
pub(crate) mod symbols;
