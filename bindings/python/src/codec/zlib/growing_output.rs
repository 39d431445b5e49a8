//! Output buffer that grows while a stream writes to it.

use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK};

use crate::codec::codecs;
use crate::codec::sys::Status;

/// zlib's DEF_BUF_SIZE: the least capacity of an output buffer.
pub const MIN_CAPACITY: usize = 16 << 10;

/// Result of running a stream on its input.
pub struct GrownOutput {
    /// Contains the output in front, and returns to `codecs` on drop.
    pub scratch: Vec<u8>,
    pub produced: usize,
    pub consumed: usize,
    /// zlib's last code.
    pub code: c_int,
}

impl GrownOutput {
    pub fn bytes(&self) -> &[u8] {
        &self.scratch[..self.produced]
    }
}

impl Drop for GrownOutput {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        codecs::with(|codecs| codecs.give_scratch(scratch));
    }
}

/// Calls `step` with the rest of the input and of the output buffer until it has no more to do or
/// `limit` bytes are written. The buffer has `guess` bytes at first.
pub fn run_growing(
    input: &[u8],
    guess: usize,
    limit: usize,
    mut step: impl FnMut(&[u8], &mut [u8]) -> Status,
) -> GrownOutput {
    let capacity = guess.max(MIN_CAPACITY).min(limit);
    let scratch = codecs::with(|codecs| codecs.take_scratch(capacity));
    let is_there = scratch.is_some();
    let mut output =
        GrownOutput { scratch: scratch.unwrap_or_default(), produced: 0, consumed: 0, code: Z_OK };
    if !is_there {
        output.code = Z_MEM_ERROR;
        return output;
    }
    loop {
        let capacity = output.scratch.len().min(limit);
        let done = step(&input[output.consumed..], &mut output.scratch[output.produced..capacity]);
        output.consumed += done.consumed;
        output.produced += done.produced;
        output.code = done.code;
        let is_full = output.produced == capacity;
        let goes_on = done.code == Z_OK || done.code == Z_BUF_ERROR && is_full;
        // zlib's counts have 32 bits, so that input may remain although the output buffer is not
        // full.
        let is_idle = done.consumed == 0 && done.produced == 0;
        if !goes_on || output.produced == limit || !is_full && (output.consumed == input.len() || is_idle) {
            return output;
        }
        if is_full && !output.grow(limit) {
            output.code = Z_MEM_ERROR;
            return output;
        }
    }
}

impl GrownOutput {
    fn grow(&mut self, limit: usize) -> bool {
        let len = self.scratch.len();
        let more = len.min(limit.saturating_sub(len));
        if self.scratch.try_reserve_exact(more).is_err() {
            return false;
        }
        self.scratch.resize(len + more, 0);
        true
    }
}
