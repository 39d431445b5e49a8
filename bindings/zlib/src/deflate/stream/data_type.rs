//! Whether data looks like text: `strm.data_type`, which programs may read after the first block.
//!
//! zlib looks at the literals of the first block. Every byte of a block is a literal where it first
//! occurs, so its bytes tell the same. zlib-rs looks at some levels only.

use std::ffi::c_int;

use libz_rs_sys::{Z_BINARY, Z_FINISH, Z_NO_FLUSH, Z_TEXT};

/// zlib ends a block after so many symbols at the default memLevel; text is seldom longer than this
/// in so few.
const FIRST_BLOCK: usize = 1 << 14;

/// What was seen of the first block.
#[derive(Clone, Copy, Default)]
pub struct DataType {
    seen: usize,
    binary: bool,
    text: bool,
}

impl DataType {
    /// Looks at what was just read.
    pub fn observe(&mut self, input: &[u8]) {
        let input = &input[..input.len().min(FIRST_BLOCK - self.seen)];
        self.seen += input.len();
        for &byte in input {
            match byte {
                // Control characters that no text has; others, such as escape, prove nothing.
                0..=6 | 14..=25 | 28..=31 => self.binary = true,
                b'\t' | b'\n' | b'\r' | b' '.. => self.text = true,
                _ => {}
            }
        }
    }

    /// The kind of the data, once a block was made: by `flush`, or because it was full.
    pub fn kind(&self, flush: c_int) -> Option<c_int> {
        let block = match flush {
            Z_FINISH => true,
            Z_NO_FLUSH => self.seen == FIRST_BLOCK,
            _ => self.seen > 0,
        };
        let kind = if self.text && !self.binary { Z_TEXT } else { Z_BINARY };
        block.then_some(kind)
    }
}
