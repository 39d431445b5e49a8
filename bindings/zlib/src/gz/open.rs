//! `gzopen` and `gzdopen`, and their modes.

use std::ffi::{CStr, CString, c_char, c_int};

use libz_rs_sys::{
    Z_DEFAULT_COMPRESSION, Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_OK, Z_RLE, z_stream,
};

use super::file::{BUFFER, File, How, Mode};
use crate::memory;

/// A parsed mode.
struct OpenMode {
    mode: Mode,
    append: bool,
    exclusive: bool,
    close_on_exec: bool,
    direct: bool,
    level: c_int,
    strategy: c_int,
}

impl OpenMode {
    /// Parses a mode. Unknown letters are ignored, as by zlib. `None` if the mode names no
    /// direction, or names a combination that is not supported.
    fn parse(mode: &CStr) -> Option<Self> {
        let mut how = None;
        let mut open_mode = Self {
            mode: Mode::Read,
            append: false,
            exclusive: false,
            close_on_exec: false,
            direct: false,
            level: Z_DEFAULT_COMPRESSION,
            strategy: Z_DEFAULT_STRATEGY,
        };
        for &letter in mode.to_bytes() {
            match letter {
                b'0'..=b'9' => open_mode.level = (letter - b'0').into(),
                b'r' => how = Some((Mode::Read, false)),
                b'w' => how = Some((Mode::Write, false)),
                b'a' => how = Some((Mode::Write, true)),
                b'+' => return None,
                b'e' => open_mode.close_on_exec = true,
                b'x' => open_mode.exclusive = true,
                b'f' => open_mode.strategy = Z_FILTERED,
                b'h' => open_mode.strategy = Z_HUFFMAN_ONLY,
                b'R' => open_mode.strategy = Z_RLE,
                b'F' => open_mode.strategy = Z_FIXED,
                b'T' => open_mode.direct = true,
                _ => {}
            }
        }
        (open_mode.mode, open_mode.append) = how?;
        // The header decides whether a file is read as gzip, so `T` is for writing only.
        (open_mode.mode == Mode::Write || !open_mode.direct).then_some(open_mode)
    }

    /// Opens a path. Returns the descriptor, or -1.
    fn open(&self, path: &CStr) -> c_int {
        let mut flags = libc::O_LARGEFILE;
        if self.close_on_exec {
            flags |= libc::O_CLOEXEC;
        }
        flags |= match self.mode {
            Mode::Read => libc::O_RDONLY,
            Mode::Write => {
                let end = if self.append { libc::O_APPEND } else { libc::O_TRUNC };
                libc::O_WRONLY | libc::O_CREAT | end | if self.exclusive { libc::O_EXCL } else { 0 }
            }
        };
        // SAFETY: the path is a C string.
        unsafe { libc::open(path.as_ptr(), flags, 0o666) }
    }
}

/// Opens a file by its path.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzopen(path: *const c_char, mode: *const c_char) -> *mut File {
    if path.is_null() || mode.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the caller gives C strings.
    let (path, mode) = unsafe { (CStr::from_ptr(path), CStr::from_ptr(mode)) };
    let Some(open_mode) = OpenMode::parse(mode) else { return std::ptr::null_mut() };
    match open_mode.open(path) {
        -1 => std::ptr::null_mut(),
        fd => begin(fd, path.to_owned(), &open_mode),
    }
}

/// As [`gzopen`]. Offsets have 64 bits in any case.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzopen64(path: *const c_char, mode: *const c_char) -> *mut File {
    // SAFETY: the same conditions.
    unsafe { gzopen(path, mode) }
}

/// Opens a file on a descriptor, which `gzclose` closes.
#[unsafe(no_mangle)]
unsafe extern "C" fn gzdopen(fd: c_int, mode: *const c_char) -> *mut File {
    if fd == -1 || mode.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the caller gives a C string.
    let Some(open_mode) = OpenMode::parse(unsafe { CStr::from_ptr(mode) }) else {
        return std::ptr::null_mut();
    };
    begin(fd, CString::new(format!("<fd:{fd}>")).unwrap_or_default(), &open_mode)
}

/// Returns the file of an open descriptor; null, with the descriptor left open, if there is no
/// memory.
fn begin(fd: c_int, name: CString, open_mode: &OpenMode) -> *mut File {
    // SAFETY: lseek has no conditions. It fails for a pipe, which begins at 0.
    let start = unsafe {
        match open_mode.append {
            true => libc::lseek64(fd, 0, libc::SEEK_END),
            false => libc::lseek64(fd, 0, libc::SEEK_CUR),
        }
    };
    let mut strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
    memory::set_defaults(&mut strm);
    let file = File {
        have: 0,
        next: std::ptr::null_mut(),
        pos: 0,
        mode: open_mode.mode,
        fd,
        name,
        want: BUFFER,
        size: 0,
        input: Vec::new(),
        output: Vec::new(),
        // Data is copied until a gzip header is found.
        direct: open_mode.direct || open_mode.mode == Mode::Read,
        how: How::DataType,
        start: start.max(0),
        eof: false,
        past: false,
        level: open_mode.level,
        strategy: open_mode.strategy,
        reset: false,
        skip: 0,
        err: Z_OK,
        msg: None,
        strm,
    };
    // SAFETY: the allocator is malloc.
    unsafe { memory::place(&strm, file) }
}
