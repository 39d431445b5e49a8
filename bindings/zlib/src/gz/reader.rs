//! How bytes that were read reach the program: skipped, copied, by lines, and put back.

use std::ffi::c_uint;

use libz_rs_sys::Z_DATA_ERROR;

use super::file::{Failed, File, How};

impl File {
    /// Takes `len` bytes that are ready.
    fn take(&mut self, len: usize) {
        // SAFETY: `len` is at most `have`.
        self.next = unsafe { self.next.add(len) };
        self.have -= len as c_uint;
        self.pos += len as i64;
    }

    /// Skips what a seek left to be skipped.
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

    /// Reads up to `len` bytes to `to`; how many there were.
    ///
    /// # Safety
    /// `to` has room for `len` bytes.
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
            if self.how == How::Look || left < self.output.len() {
                self.fetch()?;
                continue;
            }
            // What is large needs no buffer.
            // SAFETY: `to` has room for `left`.
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

    /// Copies a line, up to `to.len()` bytes; how many.
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

    /// Puts a byte before what is ready.
    pub fn push_back(&mut self, byte: u8) -> Result<(), Failed> {
        let (start, room) = (self.output.as_mut_ptr(), self.output.len());
        let have = self.have as usize;
        if have == room {
            return Err(self.fail(Z_DATA_ERROR, c"out of room to push characters"));
        }
        if have == 0 || self.next == start {
            // SAFETY: what is ready lies at the start of the buffer, and fits at its end.
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
