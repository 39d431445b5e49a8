//! Input of a file: its bytes are examined, then copied or decompressed.

use std::ffi::{CStr, c_int, c_uint};

use libz_rs_sys::{
    Z_BUF_ERROR, Z_DATA_ERROR, Z_MEM_ERROR, Z_NEED_DICT, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR,
    z_stream,
};

use super::file::{Failed, File, How, buffer};
use crate::inflate::{inflate, inflateInit2_, inflateReset};
use crate::version::VERSION;

/// gzip's format with the largest window.
const GZIP_BITS: c_int = 16 + 15;
/// The first bytes of every gzip file.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

impl File {
    /// Reads until `len` bytes are at `to` or the file ends. Returns their number.
    ///
    /// # Safety
    /// `to` has a capacity of `len` bytes.
    pub unsafe fn load(&mut self, to: *mut u8, len: usize) -> Result<usize, Failed> {
        let mut have = 0;
        while have < len {
            // The system reads no more than this at once.
            let most = (len - have).min(c_int::MAX as usize);
            // SAFETY: by this function's condition.
            match unsafe { libc::read(self.fd, to.add(have).cast(), most) } {
                ..0 => return Err(self.fail_by_system()),
                0 => {
                    self.eof = true;
                    break;
                }
                read => have += read as usize,
            }
        }
        Ok(have)
    }

    /// Fills the input buffer behind its remaining bytes.
    fn refill(&mut self) -> Result<(), Failed> {
        if !matches!(self.err, Z_OK | Z_BUF_ERROR) {
            return Err(Failed);
        }
        if self.eof {
            return Ok(());
        }
        let left = self.strm.avail_in as usize;
        let start = self.input.as_mut_ptr();
        if left > 0 {
            // SAFETY: the remaining bytes lie in the input buffer.
            unsafe { std::ptr::copy(self.strm.next_in, start, left) };
        }
        self.strm.next_in = start;
        // SAFETY: the buffer has room for the rest of `size`.
        let read = unsafe { self.load(start.add(left), self.size - left) }?;
        self.strm.avail_in += read as c_uint;
        Ok(())
    }

    /// Allocates the buffers and opens a stream, at the first read.
    fn begin_reading(&mut self) -> Result<(), Failed> {
        if self.size > 0 {
            return Ok(());
        }
        let (Some(input), Some(output)) = (buffer(self.want), buffer(2 * self.want)) else {
            return Err(self.no_memory());
        };
        self.strm.avail_in = 0;
        // SAFETY: a stream without a state.
        let code = unsafe {
            inflateInit2_(&mut self.strm, GZIP_BITS, VERSION.as_ptr(), size_of::<z_stream>() as c_int)
        };
        if code != Z_OK {
            return Err(self.no_memory());
        }
        (self.input, self.output, self.size) = (input, output, self.want);
        Ok(())
    }

    /// Detects the kind of the next bytes: gzip or not. Other data is copied if the file began with
    /// it, and ignored after gzip.
    pub fn look(&mut self) -> Result<(), Failed> {
        self.begin_reading()?;
        if self.strm.avail_in < 2 {
            self.refill()?;
            if self.strm.avail_in == 0 {
                return Ok(());
            }
        }
        let (next, left) = (self.strm.next_in, self.strm.avail_in as usize);
        // SAFETY: the stream's input lies in the input buffer.
        let input = unsafe { std::slice::from_raw_parts(next, left) };
        if input.starts_with(&MAGIC) {
            // SAFETY: the stream is open.
            unsafe { inflateReset(&mut self.strm) };
            (self.how, self.direct) = (How::Gzip, false);
            return Ok(());
        }
        self.strm.avail_in = 0;
        self.have = 0;
        if self.direct {
            self.output[..left].copy_from_slice(input);
            self.next = self.output.as_mut_ptr();
            self.have = left as c_uint;
            self.how = How::Copy;
        } else {
            self.eof = true;
        }
        Ok(())
    }

    /// Decompresses up to `len` bytes to `to`. Returns their number, which may be 0 at the end of a
    /// stream.
    ///
    /// # Safety
    /// `to` has a capacity of `len` bytes.
    pub unsafe fn decompress(&mut self, to: *mut u8, len: c_uint) -> Result<c_uint, Failed> {
        self.strm.next_out = to;
        self.strm.avail_out = len;
        loop {
            if self.strm.avail_in == 0 {
                self.refill()?;
            }
            if self.strm.avail_in == 0 {
                self.fail(Z_BUF_ERROR, c"unexpected end of file");
                break;
            }
            // SAFETY: the stream is open, its input is in our buffer, and its output is the
            // caller's.
            match unsafe { inflate(&mut self.strm, Z_NO_FLUSH) } {
                Z_STREAM_ERROR | Z_NEED_DICT => {
                    return Err(self.fail(Z_STREAM_ERROR, c"internal error: inflate stream corrupt"));
                }
                Z_MEM_ERROR => return Err(self.no_memory()),
                Z_DATA_ERROR => {
                    let text = match self.strm.msg.is_null() {
                        true => c"compressed data error",
                        // SAFETY: inflate's messages are strings that last.
                        false => unsafe { CStr::from_ptr(self.strm.msg) },
                    };
                    return Err(self.fail(Z_DATA_ERROR, text));
                }
                Z_STREAM_END => {
                    self.how = How::DataType;
                    break;
                }
                _ if self.strm.avail_out == 0 => break,
                _ => {}
            }
        }
        Ok(len - self.strm.avail_out)
    }

    /// Fills the empty output buffer. It stays empty at the end of the file.
    pub fn fetch(&mut self) -> Result<(), Failed> {
        loop {
            let room = self.output.len();
            let to = self.output.as_mut_ptr();
            match self.how {
                How::DataType => {
                    self.look()?;
                    if self.how == How::DataType {
                        return Ok(());
                    }
                }
                How::Copy => {
                    // SAFETY: the buffer is that long.
                    self.have = unsafe { self.load(to, room) }? as c_uint;
                    self.next = to;
                    return Ok(());
                }
                How::Gzip => {
                    // SAFETY: the buffer is that long.
                    self.have = unsafe { self.decompress(to, room as c_uint) }?;
                    self.next = to;
                }
            }
            if self.have > 0 || self.at_end() {
                return Ok(());
            }
        }
    }

    /// Returns whether all of the file has been read and decompressed.
    pub fn at_end(&self) -> bool {
        self.eof && self.strm.avail_in == 0
    }
}
