//! Delegation to zlib-rs: a call runs on the caller's buffers, then the fields of the stream get
//! zlib's values.

use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_MEM_ERROR, Z_NEED_DICT, Z_STREAM_ERROR, Z_TREES, z_stream};

use super::message;
use super::state::State;
use super::wrap::{self, HeaderKind};
use crate::stream::{self, Open};

/// Bit of `data_type` for a block of which only the header has been read.
const AFTER_HEADER: c_int = 256;

impl Open<'_, State> {
    /// Runs a call of zlib-rs on the caller's buffers and advances the caller's stream. Returns the
    /// bytes written and the code. The methods below set the message.
    fn call_zlib_rs(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> (usize, c_int) {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        state.is_new = false;
        match state.open() {
            Ok(inner) => {
                stream::attach(inner, strm);
                let code = call(inner);
                (stream::advance(inner, strm).1, code)
            }
            Err(code) => {
                if code == Z_MEM_ERROR {
                    strm.msg = c"insufficient memory".as_ptr().cast_mut();
                }
                (0, code)
            }
        }
    }

    /// Delegates a call that decompresses nothing.
    pub fn delegate(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        let said = self.strm.msg;
        let code = self.call_zlib_rs(call).1;
        if code != Z_MEM_ERROR {
            self.strm.msg = said;
        }
        code
    }

    /// Delegates a call that decompresses, and sets checksum and `data_type` as zlib does.
    pub fn delegate_inflate(&mut self, flush: c_int, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        let before = *self.strm;
        let (written, code) = self.call_zlib_rs(call);
        if code == Z_MEM_ERROR {
            return code;
        }
        if code == Z_STREAM_ERROR {
            self.strm.msg = before.msg;
            return code;
        }
        let read = (self.strm.total_in - before.total_in) as usize;
        if before.total_in < self.state.start.len() as u64 && read > 0 {
            // SAFETY: that much was just read from the caller's buffer.
            let input = unsafe { std::slice::from_raw_parts(before.next_in, read) };
            self.state.record_start(before.total_in, input);
        }
        let output = match written {
            0 => &[],
            // SAFETY: that much was just written to the caller's buffer.
            _ => unsafe { std::slice::from_raw_parts(before.next_out, written) },
        };
        if code == Z_NEED_DICT {
            // zlib never counts the part of the header that it has read here.
            self.strm.total_in = before.total_in;
            self.strm.adler = self.state.inner.adler;
            self.state.record_header(code);
            return code;
        }
        self.strm.msg = match code {
            Z_DATA_ERROR if !self.state.bad => message::of(self.strm.msg, self.state.window_bits, &before),
            // No new error; zlib-rs may repeat the message of an old one.
            _ => before.msg,
        };
        self.state.bad = code == Z_DATA_ERROR;
        self.strm.data_type = self.state.inner.data_type;
        if flush != Z_TREES {
            // Only a caller that asked for the stop is told that a block's header was read.
            self.strm.data_type &= !AFTER_HEADER;
        }
        let header_kind = self.state.header_kind;
        self.state.record_header(code);
        if header_kind == HeaderKind::Unknown && self.state.header_kind == HeaderKind::Gzip {
            // A checksum begins with the header, even if it is not verified.
            self.strm.adler = 0;
        }
        if let Some(adler) = self.state.check(output) {
            self.strm.adler = adler;
        }
        code
    }

    /// Sets the caller's stream and its state to a beginning, as a reset does.
    pub fn begin(&mut self) {
        self.strm.total_in = 0;
        self.strm.total_out = 0;
        self.strm.msg = std::ptr::null_mut();
        self.restart();
    }

    /// Forgets header and checksum, but not the position in the stream.
    pub fn restart(&mut self) {
        if self.state.wrap != 0 {
            self.strm.adler = (self.state.wrap & wrap::ZLIB) as u64;
        }
        self.state.header_kind = HeaderKind::Unknown;
        (self.state.bad, self.state.is_delegated) = (false, false);
        if std::mem::take(&mut self.state.has_no_sum) {
            self.state.validate();
        }
        (self.state.is_new, self.state.has_ended, self.state.is_native) = (true, false, false);
        self.state.history.clear();
        self.state.header = std::ptr::null_mut();
        if self.state.is_open() {
            self.state.want_header();
        }
    }
}
