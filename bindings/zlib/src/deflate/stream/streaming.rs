//! `deflate` on the block encoder: the same codes and counters as zlib's.
//!
//! Only the time of output differs: zlib has the first output after tens of kilobytes of input,
//! this after a block.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys as rs;
use rs::{
    Z_BLOCK, Z_BUF_ERROR, Z_DEFAULT_STRATEGY, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    Z_STREAM_ERROR, Z_UNKNOWN, z_stream,
};

use super::state::State;
use crate::deflate::block_encoder::{BlockStream, MIN_HISTORY_FLUSHED};
use crate::deflate::policy::{self, BLOCK, MIN_FLUSHED};
use crate::stats::{Path, Reason};
use crate::stream::Open;

impl Open<'_, State> {
    /// Checks the first call. If it cannot write, the stream has not begun, and may still get a
    /// header or a dictionary.
    pub fn check_begin(&mut self) -> Result<(), c_int> {
        let has_begun = self.state.is_open() || self.state.blocks.is_some();
        let strm = &mut *self.strm;
        match () {
            () if has_begun => Ok(()),
            () if strm.next_out.is_null() || strm.avail_in > 0 && strm.next_in.is_null() => {
                Err(fail(strm, Z_STREAM_ERROR))
            }
            () if strm.avail_out == 0 => Err(fail(strm, Z_BUF_ERROR)),
            () => Ok(()),
        }
    }

    /// Returns whether the block encoder compresses this stream, which the first call decides.
    pub fn uses_block_encoder(&mut self, flush: c_int) -> bool {
        if !self.state.is_open() && self.state.blocks.is_none() {
            match policy::fallback_reason_at_start(
                &self.state.parameters,
                !self.state.header.is_null(),
                flush,
                self.strm.avail_in,
            ) {
                Some(Reason::TooSmall) if !self.state.take_place() => {
                    self.state.make_blocks();
                    if let Some(blocks) = &mut self.state.blocks {
                        blocks.min_history = MIN_HISTORY_FLUSHED;
                    }
                }
                Some(reason) => self.state.reason = reason,
                None => self.state.make_blocks(),
            }
        }
        self.state.blocks.is_some()
    }

    /// Runs `deflate` on the block encoder. Returns the code, and the path for the statistics.
    pub fn compress(&mut self, flush: c_int) -> (c_int, Path) {
        let input = self.strm.next_in;
        let before = self.strm.avail_in;
        let is_usual =
            |blocks: &BlockStream| blocks.last_flush == -2 && blocks.strategy == Z_DEFAULT_STRATEGY;
        let is_first = self.state.blocks.as_ref().is_some_and(is_usual) && self.state.parameters.level > 0;
        let code = if is_first && flush == Z_FINISH { self.compress_one_shot() } else { None };
        let is_one_shot = code.is_some();
        let code = code.unwrap_or_else(|| self.compress_blocks(flush));
        let path = match (is_one_shot, self.state.blocks.as_mut().is_some_and(BlockStream::take_device_flag))
        {
            (true, false) => Path::CpuOneShot,
            (true, true) => Path::DeviceOneShot,
            (false, false) => Path::CpuBlocks,
            (false, true) => Path::DeviceBlocks,
        };
        let read = (before - self.strm.avail_in) as usize;
        if self.strm.data_type == Z_UNKNOWN {
            if read > 0 {
                // SAFETY: that much was just read from the caller's buffer.
                self.state.data_type.observe(unsafe { slice::from_raw_parts(input, read) });
            }
            if let Some(kind) = self.state.data_type.kind(flush).filter(|_| code >= Z_OK) {
                self.strm.data_type = kind;
            }
        }
        (code, path)
    }

    fn compress_blocks(&mut self, flush: c_int) -> c_int {
        let level = self.state.parameters.level;
        let (strm, Some(blocks)) = (&mut *self.strm, &mut self.state.blocks) else { return Z_STREAM_ERROR };
        let is_late = blocks.is_finished && flush != Z_FINISH;
        if strm.next_out.is_null() || strm.avail_in > 0 && strm.next_in.is_null() || is_late {
            return fail(strm, Z_STREAM_ERROR);
        }
        if strm.avail_out == 0 {
            return fail(strm, Z_BUF_ERROR);
        }
        let before = std::mem::replace(&mut blocks.last_flush, flush);
        let waited = !blocks.undelivered().0.is_empty() && before != -2;
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
        // A marker that did not fit is not written twice, but a stronger flush has its own.
        let is_marked = waited && before == -1 && strm.avail_in == 0 && rank(flush) <= rank(blocks.marked);
        while strm.avail_in > 0 {
            if blocks.is_full() {
                if blocks.compress_full(level, strm.avail_in as usize).is_err() {
                    return no_memory(blocks, strm);
                }
                drain(blocks, strm);
                if strm.avail_out == 0 {
                    blocks.last_flush = -1;
                    return if blocks.finish_call().is_ok() { Z_OK } else { no_memory(blocks, strm) };
                }
            }
            // SAFETY: the caller's input is as long as it says.
            let input = unsafe { slice::from_raw_parts(strm.next_in, strm.avail_in as usize) };
            let Ok(taken) = blocks.gather(input) else { return no_memory(blocks, strm) };
            take(strm, taken);
            if blocks.has_check() {
                strm.adler = blocks.check.into();
            }
        }
        if blocks.finish_call().is_err() {
            return no_memory(blocks, strm);
        }
        let is_message = flush != Z_FINISH && blocks.gathered().len() < MIN_FLUSHED as usize;
        if flush != Z_NO_FLUSH && is_message {
            blocks.min_history = MIN_HISTORY_FLUSHED;
        }
        if flush != Z_NO_FLUSH && !is_marked {
            if blocks.compress(level, flush == Z_FINISH).and_then(|()| blocks.mark(flush)).is_err() {
                return no_memory(blocks, strm);
            }
            blocks.marked = flush;
        }
        drain(blocks, strm);
        if strm.avail_out == 0 {
            blocks.last_flush = -1;
        }
        if blocks.is_finished && blocks.undelivered().0.is_empty() { Z_STREAM_END } else { Z_OK }
    }

    /// Compresses all input to the output in one call. `None` if the output is too small, or if
    /// `compress_blocks` has to report an error.
    fn compress_one_shot(&mut self) -> Option<c_int> {
        let level = self.state.parameters.level;
        let State { blocks, trials, .. } = &mut *self.state;
        let (strm, Some(blocks)) = (&mut *self.strm, blocks) else { return None };
        let len = strm.avail_in as usize;
        if len > BLOCK || strm.next_out.is_null() || len > 0 && strm.next_in.is_null() {
            return None;
        }
        let input = match len {
            0 => &[],
            // SAFETY: the caller's input is as long as it says.
            _ => unsafe { slice::from_raw_parts(strm.next_in, len) },
        };
        // SAFETY: the caller's output is as long as it says, and is only written to.
        let output = unsafe { slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize) };
        let written = blocks.compress_one_shot(level, input, output, trials)?;
        blocks.last_flush = Z_FINISH;
        take(strm, len);
        put(strm, written);
        if blocks.has_check() {
            strm.adler = blocks.check.into();
        }
        Some(Z_STREAM_END)
    }

    fn has_gathered(&self) -> bool {
        self.state.blocks.as_ref().is_some_and(|blocks| !blocks.gathered().is_empty())
    }

    /// Compresses the gathered input before a change of parameters. Fails if that cannot be
    /// completed.
    pub fn end_block(&mut self) -> Result<(), c_int> {
        let is_new = self.state.blocks.as_ref().is_none_or(|blocks| blocks.last_flush == -2);
        if is_new {
            return Ok(());
        }
        match self.compress(Z_BLOCK).0 {
            code @ (Z_STREAM_ERROR | Z_MEM_ERROR) => Err(code),
            _ if self.strm.avail_in > 0 || self.has_gathered() => Err(Z_BUF_ERROR),
            _ => Ok(()),
        }
    }
}

/// Delivers compressed data, up to the size of the output.
fn drain(blocks: &mut BlockStream, strm: &mut z_stream) {
    let (undelivered, _) = blocks.undelivered();
    let len = undelivered.len().min(strm.avail_out as usize);
    // SAFETY: the caller's output has that capacity.
    unsafe { std::ptr::copy_nonoverlapping(undelivered.as_ptr(), strm.next_out, len) };
    blocks.deliver(len);
    put(strm, len);
}

/// Advances the caller's input.
fn take(strm: &mut z_stream, len: usize) {
    // SAFETY: the caller's input has that much.
    strm.next_in = unsafe { strm.next_in.add(len) };
    strm.avail_in -= len as u32;
    strm.total_in += len as u64;
}

/// Advances the caller's output.
fn put(strm: &mut z_stream, len: usize) {
    // SAFETY: the caller's output has that capacity.
    strm.next_out = unsafe { strm.next_out.add(len) };
    strm.avail_out -= len as u32;
    strm.total_out += len as u64;
}

/// Sets zlib's message for an error, and returns its code.
fn fail(strm: &mut z_stream, code: c_int) -> c_int {
    let text = if code == Z_BUF_ERROR { c"buffer error" } else { c"stream error" };
    strm.msg = text.as_ptr().cast_mut();
    code
}

/// Returns the error for missing memory. The call can be repeated.
fn no_memory(blocks: &mut BlockStream, strm: &mut z_stream) -> c_int {
    // The next call may repeat the flush, as after a call with too little output.
    blocks.last_flush = -1;
    strm.msg = c"insufficient memory".as_ptr().cast_mut();
    Z_MEM_ERROR
}

/// Returns the strength of a flush. zlib's numbers are in order, except that Z_BLOCK belongs
/// between Z_NO_FLUSH and Z_PARTIAL_FLUSH.
fn rank(flush: c_int) -> c_int {
    2 * flush - if flush > Z_FINISH { 9 } else { 0 }
}
