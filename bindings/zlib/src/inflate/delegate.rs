//! How a call reaches zlib-rs: it is lent the caller's buffers, and what it leaves becomes what
//! zlib would leave.

use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_MEM_ERROR, Z_NEED_DICT, Z_STREAM_ERROR, Z_TREES, z_stream};

use super::message;
use super::state::State;
use super::wrap::{self, HeaderKind};
use crate::stream::{self, Open};

/// The bit of `data_type` for a block whose header was read and nothing else.
const AFTER_HEADER: c_int = 256;

impl Open<'_, State> {
    /// Runs a call of zlib-rs on the caller's buffers, and moves the caller's stream on; what was
    /// written, and the code. The message is left to those who call this.
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

    /// A call that decompresses nothing.
    pub fn delegate(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        let said = self.strm.msg;
        let code = self.call_zlib_rs(call).1;
        if code != Z_MEM_ERROR {
            self.strm.msg = said;
        }
        code
    }

    /// A call that decompresses: checksum and `data_type` become what zlib would leave there.
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
        let output = match written {
            0 => &[],
            // SAFETY: that much was just written to the caller's buffer.
            _ => unsafe { std::slice::from_raw_parts(before.next_out, written) },
        };
        if code == Z_NEED_DICT {
            // zlib returns before it counts what it read of the header, and never does.
            self.strm.total_in = before.total_in;
            self.strm.adler = self.state.inner.adler;
            self.state.record_header(code);
            return code;
        }
        self.strm.msg = match code {
            Z_DATA_ERROR if !self.state.bad => message::of(self.strm.msg, self.state.window_bits, &before),
            // Nothing new is wrong; zlib-rs may still tell of what was.
            _ => before.msg,
        };
        self.state.bad = code == Z_DATA_ERROR;
        self.strm.data_type = self.state.inner.data_type;
        if flush != Z_TREES {
            // That a block's header was read is told only to who asked to stop there.
            self.strm.data_type &= !AFTER_HEADER;
        }
        let header_kind = self.state.header_kind;
        self.state.record_header(code);
        if header_kind == HeaderKind::Unknown && self.state.header_kind == HeaderKind::Gzip {
            // A checksum begins with the header, also where none is wanted.
            self.strm.adler = 0;
        }
        if let Some(adler) = self.state.check(output) {
            self.strm.adler = adler;
        }
        code
    }

    /// Sets the fields of the caller's stream and its state to a beginning, as a reset does.
    pub fn begin(&mut self) {
        self.strm.total_in = 0;
        self.strm.total_out = 0;
        self.strm.msg = std::ptr::null_mut();
        self.restart();
    }

    /// Forgets the header and the checksum, but not where the stream is.
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
