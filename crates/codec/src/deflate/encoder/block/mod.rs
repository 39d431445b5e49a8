//! Blocks: their borders, their codes, and their bits.

pub(crate) mod codes;
pub(crate) mod header;
pub(crate) mod huffman;
pub(crate) mod splitter;
pub(crate) mod token_writer;
pub(crate) mod writer;
