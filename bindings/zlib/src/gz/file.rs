//! What a `gzFile` points to, and its errors.

use std::ffi::{CStr, CString, c_int, c_uint};

use libz_rs_sys::{Z_BUF_ERROR, Z_MEM_ERROR, Z_OK, z_stream};

/// Bytes of a buffer, unless `gzbuffer` says otherwise. `gzprintf` is documented to write that many
/// less one.
pub const BUFFER: usize = 8192;

/// What the file was opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Read,
    Write,
}

/// What is read at present.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Not known: the next bytes tell.
    DataType,
    /// Bytes that are no gzip, as they are.
    Copy,
    Gzip,
}

/// A file that is open. `gzgetc` is a macro in programs that were compiled with zlib.h, which takes
/// bytes by the first three fields.
#[repr(C)]
pub struct File {
    /// Bytes at `next`.
    pub have: c_uint,
    /// Reading: what was decompressed and not asked for. Writing: what was compressed and not
    /// written to the file.
    pub next: *mut u8,
    /// Where the program is in what is not compressed.
    pub pos: i64,
    pub mode: Mode,
    pub fd: c_int,
    /// What messages call the file.
    pub name: CString,
    /// Bytes that the buffers are to have.
    pub want: usize,
    /// Bytes that they have; 0 before there are any.
    pub size: usize,
    /// Reading: compressed bytes, `size`. Writing: bytes to be compressed, and as much again in
    /// which text is made.
    pub input: Vec<u8>,
    /// Reading: decompressed bytes, twice `size`, so that some can be pushed back. Writing:
    /// compressed bytes.
    pub output: Vec<u8>,
    /// The file is no gzip.
    pub direct: bool,
    pub how: How,
    /// Where in the file the data begins.
    pub start: i64,
    /// Nothing more can be read from the file.
    pub eof: bool,
    /// More was asked for than there was.
    pub past: bool,
    pub level: c_int,
    pub strategy: c_int,
    /// A stream was finished, and the next byte begins another.
    pub reset: bool,
    /// Bytes that a seek left to be skipped.
    pub skip: i64,
    pub err: c_int,
    pub msg: Option<CString>,
    pub strm: z_stream,
}

/// The file has an error, which [`File::fail`] put there.
pub struct Failed;

impl File {
    /// Notes an error, which `gzerror` tells. Output that is left is dropped, unless it was only
    /// input that ended.
    pub fn fail(&mut self, code: c_int, message: &CStr) -> Failed {
        if code != Z_BUF_ERROR {
            self.have = 0;
        }
        self.err = code;
        // What is said of missing memory is said without memory.
        self.msg = (code != Z_MEM_ERROR).then(|| {
            let text = [self.name.to_bytes(), b": ", message.to_bytes()].concat();
            CString::new(text).unwrap_or_default()
        });
        Failed
    }

    /// Notes that there was no memory.
    pub fn no_memory(&mut self) -> Failed {
        self.fail(Z_MEM_ERROR, c"out of memory")
    }

    /// Notes what the system said of the last call.
    pub fn fail_by_system(&mut self) -> Failed {
        let code = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
        // SAFETY: strerror returns a string of its own, which is copied before anyone calls it
        // again in this thread.
        let text = unsafe { CStr::from_ptr(libc::strerror(code)) }.to_owned();
        self.fail(libz_rs_sys::Z_ERRNO, &text)
    }

    /// Forgets the error.
    pub fn clear(&mut self) {
        self.err = Z_OK;
        self.msg = None;
    }

    /// Whether reading can go on: what was missing at the end of the file may be there by now.
    pub fn may_read(&self) -> bool {
        self.mode == Mode::Read && matches!(self.err, Z_OK | Z_BUF_ERROR)
    }

    /// Whether writing can go on.
    pub fn may_write(&self) -> bool {
        self.mode == Mode::Write && self.err == Z_OK
    }

    /// To the beginning, with empty buffers.
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

/// A buffer; none if there is no memory.
pub fn buffer(bytes: usize) -> Option<Vec<u8>> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).ok()?;
    buffer.resize(bytes, 0);
    Some(buffer)
}

/// The file of a call; none if it gives none.
///
/// # Safety
/// `file` is null or open, and used by nobody else meanwhile.
pub unsafe fn of<'a>(file: *mut File) -> Option<&'a mut File> {
    // SAFETY: by this function's condition.
    unsafe { file.as_mut() }
}
