//! Detection of text: `strm.data_type`, which programs may read after the first block.
//!
//! zlib examines the literals of the first block. The first occurrence of a byte in a block is a
//! literal, so examining all bytes gives the same result. zlib-rs examines them at some levels
//! only.

use std::ffi::c_int;

use libz_rs_sys::{Z_BINARY, Z_FINISH, Z_NO_FLUSH, Z_TEXT};

/// Bytes to examine. At the default memLevel, zlib's first block ends after as many symbols.
const FIRST_BLOCK: usize = 1 << 14;

/// Bytes of the first block that were examined, and their kinds.
#[derive(Clone, Copy, Default)]
pub struct DataType {
    /// Number of bytes examined, up to [`FIRST_BLOCK`].
    seen: usize,
    /// Whether there was a control character.
    binary: bool,
    /// Whether there was a character of text.
    text: bool,
}

impl DataType {
    /// Examines the next input.
    pub fn observe(&mut self, input: &[u8]) {
        let input = &input[..input.len().min(FIRST_BLOCK - self.seen)];
        self.seen += input.len();
        for &byte in input {
            match byte {
                // Control characters that are not in text. Others, such as escape, prove nothing.
                0..=6 | 14..=25 | 28..=31 => self.binary = true,
                b'\t' | b'\n' | b'\r' | b' '.. => self.text = true,
                _ => {}
            }
        }
    }

    /// Returns the kind of the data once the first block has ended, by `flush` or because it is
    /// full.
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
