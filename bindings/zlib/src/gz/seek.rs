//! Where a file is, and going elsewhere.

use std::ffi::{c_int, c_long};

use libz_rs_sys::{Z_BUF_ERROR, Z_OK};

use super::file::{File, How, Mode, of};

/// Goes to a place in what is not compressed; where that is, or -1. Going back means reading again;
/// going on is done by the next read or write, which skips or writes zeros.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzseek64(file: *mut File, offset: i64, whence: c_int) -> i64 {
    // SAFETY: the caller gives null or a file.
    let file = unsafe { of(file) }.filter(|file| matches!(file.err, Z_OK | Z_BUF_ERROR));
    file.and_then(|file| seek(file, offset, whence)).unwrap_or(-1)
}

/// As [`gzseek64`].
#[unsafe(no_mangle)]
unsafe extern "C" fn gzseek(file: *mut File, offset: c_long, whence: c_int) -> c_long {
    // SAFETY: the same conditions.
    unsafe { gzseek64(file, offset, whence) }
}

/// [`gzseek64`]; none if it can't be done.
fn seek(file: &mut File, offset: i64, whence: c_int) -> Option<i64> {
    let mut offset = match whence {
        libc::SEEK_SET => offset.checked_sub(file.pos)?,
        libc::SEEK_CUR => offset.checked_add(file.skip)?,
        _ => return None,
    };
    file.skip = 0;
    let target = file.pos.checked_add(offset)?;
    if file.mode == Mode::Read && file.how == How::Copy && target >= 0 {
        // SAFETY: lseek has no conditions.
        if unsafe { libc::lseek64(file.fd, offset - i64::from(file.have), libc::SEEK_CUR) } == -1 {
            return None;
        }
        file.have = 0;
        file.eof = false;
        file.past = false;
        file.clear();
        file.strm.avail_in = 0;
        file.pos = target;
        return Some(target);
    }
    if offset < 0 {
        if target < 0 || !rewind(file) {
            return None;
        }
        offset = target;
    }
    if file.mode == Mode::Read {
        let ready = offset.min(file.have.into());
        if ready > 0 {
            // SAFETY: that much is ready.
            file.next = unsafe { file.next.add(ready as usize) };
        }
        file.have -= ready as u32;
        file.pos += ready;
        offset -= ready;
    }
    file.skip = offset;
    Some(file.pos + offset)
}

/// Back to the beginning of what is read; whether that could be done.
fn rewind(file: &mut File) -> bool {
    // SAFETY: lseek has no conditions.
    if !file.may_read() || unsafe { libc::lseek64(file.fd, file.start, libc::SEEK_SET) } == -1 {
        return false;
    }
    file.rewind();
    true
}

/// Back to the beginning of what is read; 0, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzrewind(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    if unsafe { of(file) }.is_some_and(rewind) { 0 } else { -1 }
}

/// Where the program is in what is not compressed; -1 if there is no file.
#[unsafe(no_mangle)]
unsafe extern "C" fn gztell64(file: *mut File) -> i64 {
    // SAFETY: the caller gives null or a file.
    unsafe { of(file) }.map_or(-1, |file| file.pos + file.skip)
}

/// As [`gztell64`].
#[unsafe(no_mangle)]
unsafe extern "C" fn gztell(file: *mut File) -> c_long {
    // SAFETY: the same conditions.
    unsafe { gztell64(file) }
}

/// Where the file is: what was read and not decompressed yet doesn't count.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzoffset64(file: *mut File) -> i64 {
    // SAFETY: the caller gives null or a file.
    let Some(file) = (unsafe { of(file) }) else { return -1 };
    // SAFETY: lseek has no conditions.
    let offset = unsafe { libc::lseek64(file.fd, 0, libc::SEEK_CUR) };
    match file.mode {
        Mode::Read if offset != -1 => offset - i64::from(file.strm.avail_in),
        _ => offset,
    }
}

/// As [`gzoffset64`].
#[unsafe(no_mangle)]
unsafe extern "C" fn gzoffset(file: *mut File) -> c_long {
    // SAFETY: the same conditions.
    unsafe { gzoffset64(file) }
}
