//! Output that grows while a stream writes to it.

use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK};

use crate::codec::codecs;
use crate::codec::sys::Status;

/// zlib's DEF_BUF_SIZE: the least capacity of an output buffer.
pub const LEAST: usize = 16 << 10;

/// Result of running a stream on its input.
pub struct Pumped {
    /// Holds the output in front. Goes back to `codecs` when it was read.
    pub scratch: Vec<u8>,
    pub produced: usize,
    pub consumed: usize,
    /// zlib's last code.
    pub code: c_int,
}

impl Pumped {
    pub fn output(&self) -> &[u8] {
        &self.scratch[..self.produced]
    }
}

impl Drop for Pumped {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        codecs::with(|codecs| codecs.give_scratch(scratch));
    }
}

/// Calls `step` with the rest of the input and of the output buffer until it has no more to do or
/// `limit` bytes are written. The buffer has `guess` bytes at first.
pub fn pump(
    input: &[u8],
    guess: usize,
    limit: usize,
    mut step: impl FnMut(&[u8], &mut [u8]) -> Status,
) -> Pumped {
    let room = guess.max(LEAST).min(limit);
    let scratch = codecs::with(|codecs| codecs.take_scratch(room));
    let is_there = scratch.is_some();
    let mut pumped = Pumped { scratch: scratch.unwrap_or_default(), produced: 0, consumed: 0, code: Z_OK };
    if !is_there {
        pumped.code = Z_MEM_ERROR;
        return pumped;
    }
    loop {
        let room = pumped.scratch.len().min(limit);
        let done = step(&input[pumped.consumed..], &mut pumped.scratch[pumped.produced..room]);
        pumped.consumed += done.consumed;
        pumped.produced += done.produced;
        pumped.code = done.code;
        let is_full = pumped.produced == room;
        let goes_on = done.code == Z_OK || done.code == Z_BUF_ERROR && is_full;
        // zlib's counts have 32 bits, so that there may be more input without a want of room.
        let is_idle = done.consumed == 0 && done.produced == 0;
        if !goes_on || pumped.produced == limit || !is_full && (pumped.consumed == input.len() || is_idle) {
            return pumped;
        }
        if is_full && !pumped.grow(limit) {
            pumped.code = Z_MEM_ERROR;
            return pumped;
        }
    }
}

impl Pumped {
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
