//! Error, end and buffers of a file.

use std::ffi::{c_char, c_int, c_uint};

use libz_rs_sys::Z_MEM_ERROR;

use super::file::{File, How, Mode, of};

/// Smaller buffers don't work with flushes.
const MIN_BUFFER: usize = 8;

/// Sets the size of the buffers before they are allocated. Returns 0, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzbuffer(file: *mut File, size: c_uint) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.size == 0) else { return -1 };
    // Twice the size has to fit in zlib's own fields.
    if size.checked_mul(2).is_none() {
        return -1;
    }
    file.want = (size as usize).max(MIN_BUFFER);
    0
}

/// Returns the message of the last error, which is valid until the next call, and stores its code.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzerror(file: *mut File, code: *mut c_int) -> *const c_char {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }) else { return std::ptr::null() };
    // SAFETY: the caller gives null or a number.
    if let Some(code) = unsafe { code.as_mut() } {
        *code = file.err;
    }
    match &file.msg {
        _ if file.err == Z_MEM_ERROR => c"out of memory".as_ptr(),
        Some(text) => text.as_ptr(),
        None => c"".as_ptr(),
    }
}

/// Clears the error and the end of the file, so that a file that grew can be read on.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzclearerr(file: *mut File) {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }) else { return };
    file.eof = false;
    file.past = false;
    file.clear();
}

/// Returns whether the program has tried to read beyond the end.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzeof(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    unsafe { of(file) }.is_some_and(|file| file.past).into()
}

/// Returns whether data is copied rather than decompressed.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzdirect(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }) else { return 0 };
    if file.mode == Mode::Read && file.how == How::DataType && file.have == 0 {
        // The next read reports an error.
        let _ = file.look();
    }
    file.direct.into()
}
