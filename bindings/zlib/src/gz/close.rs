//! `gzclose`: writes the gathered data, then frees everything.

use std::ffi::c_int;

use libz_rs_sys::{Z_BUF_ERROR, Z_ERRNO, Z_FINISH, Z_OK, Z_STREAM_ERROR};

use super::file::{File, Mode, of};
use crate::deflate::deflateEnd;
use crate::inflate::inflateEnd;
use crate::memory;

/// Closes a file. Returns the first error, or `Z_OK`.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzclose(file: *mut File) -> c_int {
    // SAFETY: the same conditions.
    unsafe {
        match of(file).map(|file| file.mode) {
            None => Z_STREAM_ERROR,
            Some(Mode::Read) => gzclose_r(file),
            Some(Mode::Write) => gzclose_w(file),
        }
    }
}

/// Closes a file opened for reading. Returns `Z_BUF_ERROR` if it ended in the middle of a stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzclose_r(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(open) = (unsafe { of(file) }).filter(|file| file.mode == Mode::Read) else {
        return Z_STREAM_ERROR;
    };
    if open.size > 0 {
        // SAFETY: the stream is open.
        unsafe { inflateEnd(&mut open.strm) };
    }
    let code = if open.err == Z_BUF_ERROR { Z_BUF_ERROR } else { Z_OK };
    // SAFETY: the file is not used again.
    if unsafe { free(file) } { code } else { Z_ERRNO }
}

/// Closes a file opened for writing.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzclose_w(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(open) = (unsafe { of(file) }).filter(|file| file.mode == Mode::Write) else {
        return Z_STREAM_ERROR;
    };
    let mut code = Z_OK;
    if open.fill_pending().is_err() {
        code = open.err;
    }
    if open.compress(Z_FINISH).is_err() {
        code = open.err;
    }
    if open.size > 0 && !open.direct {
        // SAFETY: the stream is open.
        unsafe { deflateEnd(&mut open.strm) };
    }
    // SAFETY: the file is not used again.
    if unsafe { free(file) } { code } else { Z_ERRNO }
}

/// Frees the file and closes its descriptor. Returns whether the system could close it.
///
/// # Safety
/// The file is not used again.
unsafe fn free(address: *mut File) -> bool {
    // SAFETY: the file was placed by `gzopen`, on malloc, and is read for the last time.
    unsafe {
        let file = address.read();
        memory::release(&file.strm, address);
        libc::close(file.fd) == 0
    }
}
