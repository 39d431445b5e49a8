//! The calls that read.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libz_rs_sys::{Z_BUF_ERROR, Z_OK, Z_STREAM_ERROR};

use super::file::{File, How, of};

/// Reads up to `len` bytes; how many there were, or -1.
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

/// Reads up to `count` items of `size` bytes; how many whole ones there were.
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

/// The next byte, or -1.
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

/// As [`gzgetc`], which is a macro where zlib.h is.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzgetc_(file: *mut File) -> c_int {
    // SAFETY: the same conditions.
    unsafe { gzgetc(file) }
}

/// Puts a byte back, to be read next; the byte, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzungetc(byte: c_int, file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_read()) else { return -1 };
    if file.how == How::Look && file.have == 0 {
        // It may be the first call, and there are no buffers before one. What goes wrong here is
        // seen by the next read.
        let _ = file.look();
    }
    if !file.may_read() || file.skip_pending().is_err() || byte < 0 {
        return -1;
    }
    if file.push_back(byte as u8).is_err() { -1 } else { byte }
}

/// Reads a line of up to `len` - 1 bytes, and ends it with a zero; null if there was nothing.
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
