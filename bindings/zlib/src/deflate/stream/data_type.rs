//! Detection of text: `strm.data_type`, which programs may read after the first block.
//!
//! zlib examines the literals of the first block. The first occurrence of a byte in a block is a
//! literal, so examining all bytes gives the same result. zlib-rs examines them at some levels
//! only.

use std::ffi::c_int;

use libz_rs_sys::{Z_BINARY, Z_FINISH, Z_NO_FLUSH, Z_TEXT};

/// Bytes to examine. At the default memLevel, zlib's first block ends after as many symbols.
const FIRST_BLOCK: usize = 1 << 14;

/// Bytes to examine before the next look at the result.
const CHUNK: usize = 256;

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
        for chunk in input.chunks(CHUNK) {
            // A control character decides, whatever follows.
            if self.binary {
                return;
            }
            // Without branches, so that the compiler examines many bytes at once.
            for &byte in chunk {
                // Control characters that are not in text. Others, such as escape, prove nothing.
                self.binary |= (byte <= 6) | (byte.wrapping_sub(14) <= 11) | (byte.wrapping_sub(28) <= 3);
                self.text |= (byte >= b' ') | (byte.wrapping_sub(b'\t') <= 1) | (byte == b'\r');
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

#[cfg(test)]
mod tests;
