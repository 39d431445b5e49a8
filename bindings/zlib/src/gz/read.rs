//! `gzread` and its variants: bytes, items, lines, skipped bytes, and bytes that are put back.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_OK, Z_STREAM_ERROR};

use super::file::{Failed, File, How, of};

impl File {
    /// Consumes `len` bytes of the buffer.
    fn take(&mut self, len: usize) {
        // SAFETY: `len` is at most `have`.
        self.next = unsafe { self.next.add(len) };
        self.have -= len as c_uint;
        self.pos += len as i64;
    }

    /// Skips the bytes that a seek has left.
    pub fn skip_pending(&mut self) -> Result<(), Failed> {
        let mut left = std::mem::take(&mut self.skip);
        while left > 0 {
            if self.have > 0 {
                let len = left.min(self.have.into());
                self.take(len as usize);
                left -= len;
            } else if self.at_end() {
                break;
            } else {
                self.fetch()?;
            }
        }
        Ok(())
    }

    /// Reads up to `len` bytes to `to`. Returns their number.
    ///
    /// # Safety
    /// `to` has a capacity of `len` bytes.
    pub unsafe fn read(&mut self, to: *mut u8, len: usize) -> Result<usize, Failed> {
        if len == 0 {
            return Ok(0);
        }
        self.skip_pending()?;
        let mut got = 0;
        while got < len {
            // SAFETY: `got` is below `len`.
            let (to, left) = (unsafe { to.add(got) }, (len - got).min(c_uint::MAX as usize));
            if self.have > 0 {
                let ready = left.min(self.have as usize);
                // SAFETY: both have that many bytes, and the buffer is ours.
                unsafe { std::ptr::copy_nonoverlapping(self.next, to, ready) };
                self.take(ready);
                got += ready;
                continue;
            }
            if self.at_end() {
                self.past = true;
                break;
            }
            if self.how == How::DataType || left < self.output.len() {
                self.fetch()?;
                continue;
            }
            // Large reads go past the buffer. SAFETY: `to` has a capacity of `left` bytes.
            let read = unsafe {
                match self.how {
                    How::Copy => self.load(to, left)?,
                    _ => self.decompress(to, left as c_uint)? as usize,
                }
            };
            self.pos += read as i64;
            got += read;
        }
        Ok(got)
    }

    /// Copies a line of up to `to.len()` bytes. Returns its length.
    pub fn read_line(&mut self, to: &mut [u8]) -> Result<usize, Failed> {
        self.skip_pending()?;
        let mut got = 0;
        while got < to.len() {
            if self.have == 0 {
                self.fetch()?;
            }
            if self.have == 0 {
                self.past = true;
                break;
            }
            let len = (to.len() - got).min(self.have as usize);
            // SAFETY: that much is ready.
            let ready = unsafe { std::slice::from_raw_parts(self.next, len) };
            let end = ready.iter().position(|&byte| byte == b'\n');
            let len = end.map_or(len, |end| end + 1);
            to[got..got + len].copy_from_slice(&ready[..len]);
            self.take(len);
            got += len;
            if end.is_some() {
                break;
            }
        }
        Ok(got)
    }

    /// Puts a byte before those of the buffer.
    pub fn push_back(&mut self, byte: u8) -> Result<(), Failed> {
        let (start, room) = (self.output.as_mut_ptr(), self.output.len());
        let have = self.have as usize;
        if have == room {
            return Err(self.fail(Z_DATA_ERROR, c"out of room to push characters"));
        }
        if have == 0 || self.next == start {
            // SAFETY: the bytes lie at the start of the buffer, and fit at its end.
            unsafe {
                let end = start.add(room - have);
                std::ptr::copy(start, end, have);
                self.next = end;
            }
        }
        // SAFETY: there is a byte before, as the buffer isn't full.
        unsafe {
            self.next = self.next.sub(1);
            self.next.write(byte);
        }
        self.have += 1;
        self.pos -= 1;
        self.past = false;
        Ok(())
    }
}

/// Reads up to `len` bytes. Returns their number, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzread(file: *mut File, to: *mut c_void, len: c_uint) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_read()) else { return -1 };
    if len > c_int::MAX as c_uint {
        file.fail(Z_STREAM_ERROR, c"request does not fit in an int");
        return -1;
    }
    // SAFETY: the caller's buffer is that long.
    let got = unsafe { file.read(to.cast(), len as usize) }.unwrap_or(0);
    if got == 0 && !matches!(file.err, Z_OK | Z_BUF_ERROR) { -1 } else { got as c_int }
}

/// Reads up to `count` items of `size` bytes. Returns the number of complete ones.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzfread(to: *mut c_void, size: usize, count: usize, file: *mut File) -> usize {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_read()) else { return 0 };
    let Some(len) = size.checked_mul(count) else {
        file.fail(Z_STREAM_ERROR, c"request does not fit in a size_t");
        return 0;
    };
    // SAFETY: the caller's buffer is that long.
    if len == 0 { 0 } else { unsafe { file.read(to.cast(), len) }.unwrap_or(0) / size }
}

/// Returns the next byte, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzgetc(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_read()) else { return -1 };
    let mut byte = 0;
    // SAFETY: a byte is room for one.
    match unsafe { file.read(&mut byte, 1) } {
        Ok(1) => byte.into(),
        _ => -1,
    }
}

/// As [`gzgetc`], which is a macro in zlib.h.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzgetc_(file: *mut File) -> c_int {
    // SAFETY: the same conditions.
    unsafe { gzgetc(file) }
}

/// Puts a byte back, to be read next. Returns the byte, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzungetc(byte: c_int, file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_read()) else { return -1 };
    if file.how == How::DataType && file.have == 0 {
        // The first call allocates the buffers. The next read reports an error.
        let _ = file.look();
    }
    if !file.may_read() || file.skip_pending().is_err() || byte < 0 {
        return -1;
    }
    if file.push_back(byte as u8).is_err() { -1 } else { byte }
}

/// Reads a line of up to `len` - 1 bytes, and ends it with a zero byte. Returns null if there are
/// no bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzgets(file: *mut File, to: *mut c_char, len: c_int) -> *mut c_char {
    // SAFETY: the caller gives null or a file.
    let file = unsafe { of(file) }.filter(|file| file.may_read());
    let Some(file) = file.filter(|_| !to.is_null() && len >= 1) else { return std::ptr::null_mut() };
    // SAFETY: the caller's buffer is that long.
    let line = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), len as usize) };
    let most = line.len() - 1;
    match file.read_line(&mut line[..most]) {
        Ok(got @ 1..) => {
            line[got] = 0;
            to
        }
        _ => std::ptr::null_mut(),
    }
}
