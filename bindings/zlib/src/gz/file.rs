//! The structure behind a `gzFile`, and its errors. The fields have zlib's names.

use std::ffi::{CStr, CString, c_int, c_uint};

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK, z_stream};

/// Default size of a buffer. `gzprintf` is documented to write up to one byte less.
pub const BUFFER: usize = 8192;

/// The direction of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Read,
    Write,
}

/// The kind of data that is being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Unknown: the next bytes decide.
    DataType,
    /// Data without gzip's header, which is copied.
    Copy,
    Gzip,
}

/// An open file. The macro `gzgetc` of zlib.h reads the first three fields.
#[repr(C)]
pub struct File {
    /// Number of bytes at `next`.
    pub have: c_uint,
    /// Reading: decompressed bytes that the program has not read. Writing: compressed bytes that
    /// are not in the file yet.
    pub next: *mut u8,
    /// Position in the uncompressed data.
    pub pos: i64,
    pub mode: Mode,
    pub fd: c_int,
    /// The file's name in messages.
    pub name: CString,
    /// Size of the buffers once they are allocated.
    pub want: usize,
    /// Size of the allocated buffers; 0 before that.
    pub size: usize,
    /// Reading: compressed bytes, `size`. Writing: uncompressed bytes, with a second half for
    /// formatted text.
    pub input: Vec<u8>,
    /// Reading: decompressed bytes, twice `size` so that bytes can be pushed back. Writing:
    /// compressed bytes.
    pub output: Vec<u8>,
    /// The data is not gzip's and is copied.
    pub direct: bool,
    pub how: How,
    /// Offset of the data in the file.
    pub start: i64,
    /// The end of the file has been reached.
    pub eof: bool,
    /// The program has tried to read beyond the end.
    pub past: bool,
    pub level: c_int,
    pub strategy: c_int,
    /// A stream is finished; the next byte begins another.
    pub reset: bool,
    /// Bytes to skip, or zeros to write, since a seek.
    pub skip: i64,
    pub err: c_int,
    pub msg: Option<CString>,
    pub strm: z_stream,
}

/// An error that [`File::fail`] has stored in the file.
pub struct Failed;

impl File {
    /// Stores an error for `gzerror`. Decompressed data is discarded, unless the error is the end
    /// of the input.
    pub fn fail(&mut self, code: c_int, message: &CStr) -> Failed {
        if code != Z_BUF_ERROR {
            self.have = 0;
        }
        self.err = code;
        // The message for missing memory is constant, as there is no memory for another.
        self.msg = (code != Z_MEM_ERROR).then(|| {
            let text = [self.name.to_bytes(), b": ", message.to_bytes()].concat();
            CString::new(text).unwrap_or_default()
        });
        Failed
    }

    /// Stores that there was no memory.
    pub fn no_memory(&mut self) -> Failed {
        self.fail(Z_MEM_ERROR, c"out of memory")
    }

    /// Stores the system's error for the last call.
    pub fn fail_by_system(&mut self) -> Failed {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        // SAFETY: strerror returns a string of its own, which is copied before anyone calls it
        // again in this thread.
        let text = unsafe { CStr::from_ptr(libc::strerror(code)) }.to_owned();
        self.fail(libz_rs_sys::Z_ERRNO, &text)
    }

    /// Clears the error.
    pub fn clear(&mut self) {
        self.err = Z_OK;
        self.msg = None;
    }

    /// Returns whether the file can be read. After an unexpected end more data may have come.
    pub fn may_read(&self) -> bool {
        self.mode == Mode::Read && matches!(self.err, Z_OK | Z_BUF_ERROR)
    }

    /// Returns whether the file can be written.
    pub fn may_write(&self) -> bool {
        self.mode == Mode::Write && self.err == Z_OK
    }

    /// Resets position and buffers to the beginning.
    pub fn rewind(&mut self) {
        self.have = 0;
        self.eof = false;
        self.past = false;
        self.how = How::DataType;
        self.reset = false;
        self.skip = 0;
        self.clear();
        self.pos = 0;
        self.strm.avail_in = 0;
    }
}

/// Returns a buffer; `None` if there is no memory.
pub fn buffer(bytes: usize) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).ok()?;
    buffer.resize(bytes, 0);
    Some(buffer)
}

/// Borrows the file of a call; `None` if it is null.
///
/// # Safety
/// `file` is null, or open with no other user during the borrow.
pub unsafe fn of<'a>(file: *mut File) -> Option<&'a mut File> {
    // SAFETY: by this function's condition.
    unsafe { file.as_mut() }
}
