//! `deflate` for a stream that our coder compresses: what is consumed, written and returned is what zlib would, but for when
//! output comes. zlib has some after tens of kilobytes of input, this after a block.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys as rs;
use rs::{
    Z_BLOCK, Z_BUF_ERROR, Z_DEFAULT_STRATEGY, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    Z_STREAM_ERROR, Z_UNKNOWN, z_stream,
};

use super::blocks::{BLOCK, Blocks, Coders};
use super::state::{Settings, State};
use crate::stream::Open;

/// The smallest window that our coder is used for: of less, zlib-rs makes as much.
const LEAST_WINDOW_BITS: u32 = 12;
/// zlib's default; who asks for less wants a stream to be small.
const LEAST_MEM_LEVEL: c_int = 8;
/// A stream that is flushed before it has this much will be flushed often, as connections are. The time for a block's codes
/// and its history is too much for each message.
const LEAST_FLUSHED: u32 = 16 << 10;

impl Open<'_, State> {
    /// The stream as our coder has it; none if zlib-rs has it, or should.
    pub fn blocks(&mut self, flush: c_int) -> Option<&mut Blocks> {
        if self.state.is_open() {
            return None;
        }
        if self.state.blocks.is_none() {
            let Settings { level, mem_level, strategy, .. } = self.state.settings;
            let bits = self.state.settings.log2_window();
            let (given, is_short) = (self.strm.avail_in, self.strm.avail_in as usize <= BLOCK.min(1 << bits));
            let is_right = level > 0
                && strategy == Z_DEFAULT_STRATEGY
                && mem_level >= LEAST_MEM_LEVEL
                && bits >= LEAST_WINDOW_BITS
                && self.state.header.is_null()
                && (matches!(flush, Z_NO_FLUSH | Z_FINISH) || given >= LEAST_FLUSHED)
                && (flush == Z_FINISH && is_short || Coders::are_fast());
            if !is_right {
                return None;
            }
            self.state.blocks = Blocks::new(&self.state.settings);
        }
        self.state.blocks.as_deref_mut()
    }

    /// `deflate`, for a stream that has [`Self::blocks`].
    pub fn pack(&mut self, flush: c_int) -> c_int {
        let input = self.strm.next_in;
        let before = self.strm.avail_in;
        let code = self.pack_blocks(flush);
        let read = (before - self.strm.avail_in) as usize;
        if self.strm.data_type == Z_UNKNOWN {
            if read > 0 {
                // SAFETY: that much was just read from the caller's buffer.
                self.state.look.at(unsafe { slice::from_raw_parts(input, read) });
            }
            if let Some(kind) = self.state.look.kind(flush).filter(|_| code >= Z_OK) {
                self.strm.data_type = kind;
            }
        }
        code
    }

    fn pack_blocks(&mut self, flush: c_int) -> c_int {
        let level = self.state.settings.level;
        let (strm, Some(blocks)) = (&mut *self.strm, &mut self.state.blocks) else { return Z_STREAM_ERROR };
        let is_late = blocks.is_finished && flush != Z_FINISH;
        if strm.next_out.is_null() || strm.avail_in > 0 && strm.next_in.is_null() || is_late {
            return fail(strm, Z_STREAM_ERROR);
        }
        if strm.avail_out == 0 {
            return fail(strm, Z_BUF_ERROR);
        }
        let before = std::mem::replace(&mut blocks.last_flush, flush);
        let waited = !blocks.waiting().0.is_empty() && before != -2;
        if waited {
            drain(blocks, strm);
            if strm.avail_out == 0 {
                blocks.last_flush = -1;
                return Z_OK;
            }
        } else if strm.avail_in == 0 && rank(flush) <= rank(before) && flush != Z_FINISH {
            return fail(strm, Z_BUF_ERROR);
        }
        if blocks.is_finished && strm.avail_in > 0 {
            return fail(strm, Z_BUF_ERROR);
        }
        if blocks.is_finished {
            return Z_STREAM_END;
        }
        // A mark that did not fit is not repeated.
        let is_marked = waited && before == -1 && strm.avail_in == 0 && blocks.gathered().is_empty();
        if before == -2 && flush == Z_FINISH && pack_at_once(blocks, strm, level) {
            return Z_STREAM_END;
        }
        while strm.avail_in > 0 {
            if blocks.is_full() {
                blocks.pack(level, false);
                drain(blocks, strm);
                if strm.avail_out == 0 {
                    blocks.last_flush = -1;
                    return Z_OK;
                }
            }
            // SAFETY: the caller's input is as long as it says.
            let input = unsafe { slice::from_raw_parts(strm.next_in, strm.avail_in as usize) };
            let Ok(taken) = blocks.gather(input) else {
                strm.msg = c"insufficient memory".as_ptr().cast_mut();
                return Z_MEM_ERROR;
            };
            take(strm, taken);
            if blocks.has_check() {
                strm.adler = blocks.check.into();
            }
        }
        if flush != Z_NO_FLUSH && !is_marked {
            blocks.pack(level, flush == Z_FINISH);
            blocks.mark(flush);
        }
        drain(blocks, strm);
        if strm.avail_out == 0 {
            blocks.last_flush = -1;
        }
        if blocks.is_finished && blocks.waiting().0.is_empty() { Z_STREAM_END } else { Z_OK }
    }

    /// Compresses what was gathered, so that what comes next can be compressed otherwise; whether that is done with.
    pub fn end_block(&mut self) -> Result<(), c_int> {
        let is_new = self.state.blocks.as_ref().is_none_or(|blocks| blocks.last_flush == -2);
        if is_new {
            return Ok(());
        }
        match self.pack(Z_BLOCK) {
            Z_STREAM_ERROR => Err(Z_STREAM_ERROR),
            _ if self.strm.avail_in > 0 => Err(Z_BUF_ERROR),
            _ => Ok(()),
        }
    }
}

/// Compresses all of the input into the output, if it fits there; whether it did.
fn pack_at_once(blocks: &mut Blocks, strm: &mut z_stream, level: c_int) -> bool {
    let len = strm.avail_in as usize;
    if len > BLOCK {
        return false;
    }
    let input = match len {
        0 => &[],
        // SAFETY: the caller's input is as long as it says.
        _ => unsafe { slice::from_raw_parts(strm.next_in, len) },
    };
    // SAFETY: the caller's output is as long as it says, and is only written to.
    let output = unsafe { slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize) };
    let Some(written) = blocks.pack_at_once(level, input, output) else { return false };
    take(strm, len);
    put(strm, written);
    if blocks.has_check() {
        strm.adler = blocks.check.into();
    }
    true
}

/// Writes what is compressed, as much as fits.
fn drain(blocks: &mut Blocks, strm: &mut z_stream) {
    let (waiting, _) = blocks.waiting();
    let len = waiting.len().min(strm.avail_out as usize);
    // SAFETY: the caller's output has room for that.
    unsafe { std::ptr::copy_nonoverlapping(waiting.as_ptr(), strm.next_out, len) };
    blocks.give(len);
    put(strm, len);
}

/// Moves the caller's input on.
fn take(strm: &mut z_stream, len: usize) {
    // SAFETY: the caller's input has that much.
    strm.next_in = unsafe { strm.next_in.add(len) };
    strm.avail_in -= len as u32;
    strm.total_in += len as u64;
}

/// Moves the caller's output on.
fn put(strm: &mut z_stream, len: usize) {
    // SAFETY: the caller's output has room for that.
    strm.next_out = unsafe { strm.next_out.add(len) };
    strm.avail_out -= len as u32;
    strm.total_out += len as u64;
}

/// An error that has zlib's message.
fn fail(strm: &mut z_stream, code: c_int) -> c_int {
    let text = if code == Z_BUF_ERROR { c"buffer error" } else { c"stream error" };
    strm.msg = text.as_ptr().cast_mut();
    code
}

/// Orders the values of `flush` by how much they flush: zlib's numbers are in order, but for Z_BLOCK, which is between
/// Z_NO_FLUSH and Z_PARTIAL_FLUSH.
fn rank(flush: c_int) -> c_int {
    2 * flush - if flush > Z_FINISH { 9 } else { 0 }
}
