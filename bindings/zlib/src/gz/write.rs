//! The calls that write.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libz_rs_sys::{Z_BLOCK, Z_DATA_ERROR, Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_ERROR};

use super::file::{File, of};
use crate::deflate::deflateParams;

/// Writes `len` bytes; how many, which is 0 if anything went wrong.
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

/// Writes `count` items of `size` bytes; how many, which is 0 if anything went wrong.
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

/// Writes a byte; the byte, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzputc(file: *mut File, byte: c_int) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return -1 };
    let byte = byte as u8;
    // SAFETY: there is one byte.
    if unsafe { file.write(&byte, 1) }.is_ok() { byte.into() } else { -1 }
}

/// Writes a string without its end; its length, or -1.
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

/// Compresses what was gathered, and flushes it.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzflush(file: *mut File, flush: c_int) -> c_int {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }).filter(|file| file.may_write()) else { return Z_STREAM_ERROR };
    if !(Z_NO_FLUSH..=Z_FINISH).contains(&flush) {
        return Z_STREAM_ERROR;
    }
    // An error is in the file, and told here.
    let _ = file.fill_pending().and_then(|()| file.compress(flush));
    file.err
}

/// Changes level and strategy for what comes next.
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

/// Where `gzvprintf` makes its text, and how much room there is; what to return if it can't.
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
