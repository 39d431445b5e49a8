//! Seeking, and positions in the data and the file.

use std::ffi::{c_int, c_long};

use libz_rs_sys::{Z_BUF_ERROR, Z_OK};

use super::file::{File, How, Mode, of};

/// Moves to a position in the uncompressed data. Returns it, or -1. Going back decompresses again
/// from the start; going forward is left to the next read or write, which skips data or writes
/// zeros.
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

/// As [`gzseek64`]; `None` if it fails.
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

/// Returns to the beginning of a file that is read. Returns whether that succeeded.
fn rewind(file: &mut File) -> bool {
    // SAFETY: lseek has no conditions.
    if !file.may_read() || unsafe { libc::lseek64(file.fd, file.start, libc::SEEK_SET) } == -1 {
        return false;
    }
    file.rewind();
    true
}

/// Returns to the beginning of a file that is read. Returns 0, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzrewind(file: *mut File) -> c_int {
    // SAFETY: the caller gives null or a file.
    if unsafe { of(file) }.is_some_and(rewind) { 0 } else { -1 }
}

/// Returns the position in the uncompressed data; -1 for a null file.
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

/// Returns the position in the file, without the bytes that were read but not decompressed.
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
