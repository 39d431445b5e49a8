//! `gzwrite` and its variants: gathering, compressing, and writing to the file.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libz_rs_sys::{
    Z_BLOCK, Z_DATA_ERROR, Z_DEFLATED, Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR,
    z_stream,
};

use super::file::{Failed, File, buffer, of};
use crate::deflate::{deflate, deflateInit2_, deflateParams, deflateReset};
use crate::version::VERSION;

/// gzip's format with the largest window.
const GZIP_BITS: c_int = 16 + 15;
/// zlib's default.
const MEM_LEVEL: c_int = 8;

impl File {
    /// Allocates the buffers and opens a stream, at the first write.
    pub fn begin_writing(&mut self) -> Result<(), Failed> {
        if self.size > 0 {
            return Ok(());
        }
        let (want, compressed) = (self.want, if self.direct { 0 } else { self.want });
        let (Some(input), Some(output)) = (buffer(2 * want), buffer(compressed)) else {
            return Err(self.no_memory());
        };
        if !self.direct {
            let (level, strategy) = (self.level, self.strategy);
            let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
            let strm = &mut self.strm;
            // SAFETY: a stream without a state.
            let code = unsafe {
                deflateInit2_(strm, level, Z_DEFLATED, GZIP_BITS, MEM_LEVEL, strategy, version, size)
            };
            if code != Z_OK {
                return Err(self.no_memory());
            }
        }
        (self.input, self.output, self.size) = (input, output, want);
        self.strm.next_in = self.input.as_ptr();
        self.strm.avail_in = 0;
        self.empty_output();
        Ok(())
    }

    fn empty_output(&mut self) {
        self.next = self.output.as_mut_ptr();
        self.strm.next_out = self.next;
        self.strm.avail_out = self.output.len() as c_uint;
    }

    /// Writes up to `len` bytes to the file. Returns their number, which is at least 1.
    ///
    /// # Safety
    /// `from` points to `len` bytes.
    unsafe fn put(&mut self, from: *const u8, len: usize) -> Result<usize, Failed> {
        // SAFETY: by this function's condition.
        match unsafe { libc::write(self.fd, from.cast(), len.min(c_int::MAX as usize)) } {
            ..0 => Err(self.fail_by_system()),
            written => Ok(written as usize),
        }
    }

    /// Compresses all input of the stream. Compressed data is written to the file when the buffer
    /// is full, or by a flush.
    pub fn compress(&mut self, flush: c_int) -> Result<(), Failed> {
        self.begin_writing()?;
        if self.direct {
            while self.strm.avail_in > 0 {
                // SAFETY: the stream's input is that long.
                unsafe {
                    let written = self.put(self.strm.next_in, self.strm.avail_in as usize)?;
                    self.strm.next_in = self.strm.next_in.add(written);
                    self.strm.avail_in -= written as c_uint;
                }
            }
            return Ok(());
        }
        if self.reset {
            // The next byte begins another stream; a flush does not.
            if self.strm.avail_in == 0 {
                return Ok(());
            }
            // SAFETY: the stream is open.
            unsafe { deflateReset(&mut self.strm) };
            self.reset = false;
        }
        let mut code = Z_OK;
        loop {
            // `Z_FINISH` writes the data once the stream has ended.
            let flushed = flush != Z_NO_FLUSH && (flush != Z_FINISH || code == Z_STREAM_END);
            if self.strm.avail_out == 0 || flushed {
                self.drain()?;
            }
            let room = self.strm.avail_out;
            // SAFETY: the stream is open, its output is our buffer, its input is ours or the
            // caller's.
            code = unsafe { deflate(&mut self.strm, flush) };
            match code {
                Z_STREAM_ERROR => {
                    return Err(self.fail(Z_STREAM_ERROR, c"internal error: deflate stream corrupt"));
                }
                Z_MEM_ERROR => return Err(self.no_memory()),
                _ if self.strm.avail_out == room => break,
                _ => {}
            }
        }
        self.reset = flush == Z_FINISH;
        Ok(())
    }

    /// Writes the compressed data to the file.
    fn drain(&mut self) -> Result<(), Failed> {
        loop {
            let len = self.strm.next_out as usize - self.next as usize;
            if len == 0 {
                break;
            }
            // SAFETY: the compressed data lies from `next` to `next_out`.
            unsafe {
                let written = self.put(self.next, len)?;
                self.next = self.next.add(written);
            }
        }
        if self.strm.avail_out == 0 {
            self.empty_output();
        }
        Ok(())
    }

    /// Writes the zeros that a seek has left.
    pub fn fill_pending(&mut self) -> Result<(), Failed> {
        let mut left = std::mem::take(&mut self.skip);
        if left == 0 {
            return Ok(());
        }
        self.begin_writing()?;
        if self.strm.avail_in > 0 {
            self.compress(Z_NO_FLUSH)?;
        }
        let size = self.size;
        self.input[..size].fill(0);
        while left > 0 {
            let len = left.min(size as i64);
            self.strm.next_in = self.input.as_ptr();
            self.strm.avail_in = len as c_uint;
            self.pos += len;
            self.compress(Z_NO_FLUSH)?;
            left -= len;
        }
        Ok(())
    }

    /// Writes `len` bytes.
    ///
    /// # Safety
    /// `from` points to `len` bytes.
    pub unsafe fn write(&mut self, from: *const u8, len: usize) -> Result<(), Failed> {
        if len == 0 {
            return Ok(());
        }
        self.begin_writing()?;
        self.fill_pending()?;
        // SAFETY: by this function's condition.
        if len < self.size { unsafe { self.gather(from, len) } } else { unsafe { self.pass_on(from, len) } }
    }

    /// Appends bytes to the input buffer, which is compressed whenever it is full.
    ///
    /// # Safety
    /// `from` points to `len` bytes.
    unsafe fn gather(&mut self, from: *const u8, len: usize) -> Result<(), Failed> {
        let mut done = 0;
        loop {
            let start = self.input.as_mut_ptr();
            if self.strm.avail_in == 0 {
                self.strm.next_in = start;
            }
            let have = self.strm.next_in as usize - start as usize + self.strm.avail_in as usize;
            let fits = (self.size - have).min(len - done);
            // SAFETY: the buffer has capacity for these bytes, and `from` has as much data left.
            unsafe { std::ptr::copy(from.add(done), start.add(have), fits) };
            self.strm.avail_in += fits as c_uint;
            self.pos += fits as i64;
            done += fits;
            if done == len {
                return Ok(());
            }
            self.compress(Z_NO_FLUSH)?;
        }
    }

    /// Compresses large data without copying it to the buffer.
    ///
    /// # Safety
    /// `from` points to `len` bytes.
    unsafe fn pass_on(&mut self, from: *const u8, len: usize) -> Result<(), Failed> {
        if self.strm.avail_in > 0 {
            self.compress(Z_NO_FLUSH)?;
        }
        self.strm.next_in = from;
        let mut left = len;
        while left > 0 {
            let escaped = left.min(c_uint::MAX as usize);
            self.strm.avail_in = escaped as c_uint;
            self.pos += escaped as i64;
            self.compress(Z_NO_FLUSH)?;
            left -= escaped;
        }
        Ok(())
    }
}

/// Writes `len` bytes. Returns `len`, or 0 after an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzwrite(file: *mut File, from: *const c_void, len: c_uint) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return 0 };
    if len > c_int::MAX as c_uint {
        file.fail(Z_DATA_ERROR, c"requested length does not fit in int");
        return 0;
    }
    // SAFETY: the caller's buffer is that long.
    match unsafe { file.write(from.cast(), len as usize) } {
        Ok(()) => len as c_int,
        Err(_) => 0,
    }
}

/// Writes `count` items of `size` bytes. Returns `count`, or 0 after an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzfwrite(from: *const c_void, size: usize, count: usize, file: *mut File) -> usize {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return 0 };
    let Some(len) = size.checked_mul(count) else {
        file.fail(Z_STREAM_ERROR, c"request does not fit in a size_t");
        return 0;
    };
    // SAFETY: the caller's buffer is that long.
    if len == 0 || unsafe { file.write(from.cast(), len) }.is_err() { 0 } else { count }
}

/// Writes a byte. Returns it, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzputc(file: *mut File, byte: c_int) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return -1 };
    let byte = byte as u8;
    // SAFETY: there is one byte.
    if unsafe { file.write(&byte, 1) }.is_ok() { byte.into() } else { -1 }
}

/// Writes a string without its terminating zero. Returns its length, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzputs(file: *mut File, text: *const c_char) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return -1 };
    // SAFETY: the caller gives a string.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    let Ok(len) = c_int::try_from(bytes.len()) else {
        file.fail(Z_STREAM_ERROR, c"string length does not fit in int");
        return -1;
    };
    // SAFETY: a slice has its length.
    if unsafe { file.write(bytes.as_ptr(), bytes.len()) }.is_ok() { len } else { -1 }
}

/// Compresses the gathered data and flushes it.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzflush(file: *mut File, flush: c_int) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return Z_STREAM_ERROR };
    if !(Z_NO_FLUSH..=Z_FINISH).contains(&flush) {
        return Z_STREAM_ERROR;
    }
    // The error is stored in the file, and returned here.
    let _ = file.fill_pending().and_then(|()| file.compress(flush));
    file.err
}

/// Changes level and strategy for the following data.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzsetparams(file: *mut File, level: c_int, strategy: c_int) -> c_int {
    // SAFETY: the caller gives null or a file.
    let file = unsafe { of(file) }.filter(|file| file.may_write() && !file.direct);
    let Some(file) = file else { return Z_STREAM_ERROR };
    if (level, strategy) == (file.level, file.strategy) {
        return Z_OK;
    }
    if file.fill_pending().is_err() {
        return file.err;
    }
    if file.size > 0 {
        if file.strm.avail_in > 0 && file.compress(Z_BLOCK).is_err() {
            return file.err;
        }
        // SAFETY: the stream is open, over our buffers.
        unsafe { deflateParams(&mut file.strm, level, strategy) };
    }
    (file.level, file.strategy) = (level, strategy);
    Z_OK
}

/// Returns the buffer in which `gzvprintf` formats its text. The result is an error code, or
/// `Z_OK`.
#[unsafe(no_mangle)]
unsafe extern "C" fn pelton_gz_text(file: *mut File, text: *mut *mut c_char, room: *mut usize) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return Z_STREAM_ERROR };
    if file.begin_writing().is_err() {
        return file.err;
    }
    // SAFETY: `gzvprintf` gives two variables. The second half of the input buffer is for this.
    unsafe {
        *text = file.input.as_mut_ptr().add(file.size).cast();
        *room = file.size;
    }
    Z_OK
}
