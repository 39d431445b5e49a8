//! Calls of a loaded libz on whole buffers.

use std::ffi::{c_int, c_ulong};
use std::path::Path;

use libz_rs_sys::{Z_DEFLATED, Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH, z_stream};

pub use super::api::Zlib;

const VERSION: *const std::ffi::c_char = c"1.2.13".as_ptr();
const SIZE: c_int = size_of::<z_stream>() as c_int;

/// Loads a library with symbols of its own.
pub fn load(path: &Path) -> Zlib {
    Zlib::load(path)
}

/// Loads a copy of our library in which zlib-rs does everything. It reads its settings while it is
/// loaded, before this program has a second thread.
pub fn load_without_acceleration(path: &Path) -> Zlib {
    const SETTING: &str = "PELTON_ZLIB_ACCELERATE";
    // SAFETY: no other thread reads the environment.
    unsafe { std::env::set_var(SETTING, "0") };
    let library = Zlib::load(path);
    // SAFETY: as before.
    unsafe { std::env::remove_var(SETTING) };
    library
}

/// `compress2`; the bytes it wrote.
pub fn compress(zlib: &Zlib, level: c_int, input: &[u8], output: &mut [u8]) -> usize {
    let mut len = output.len() as c_ulong;
    // SAFETY: both buffers have the given lengths.
    let code = unsafe {
        (zlib.compress2)(output.as_mut_ptr(), &mut len, input.as_ptr(), input.len() as c_ulong, level)
    };
    assert_eq!(code, Z_OK, "compress2");
    len as usize
}

/// `uncompress`; the bytes it wrote.
pub fn uncompress(zlib: &Zlib, input: &[u8], output: &mut [u8]) -> usize {
    let mut len = output.len() as c_ulong;
    // SAFETY: both buffers have the given lengths.
    let code =
        unsafe { (zlib.uncompress)(output.as_mut_ptr(), &mut len, input.as_ptr(), input.len() as c_ulong) };
    assert_eq!(code, Z_OK, "uncompress");
    len as usize
}

/// Direction of a stream.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// `deflate`, at a level
    Deflate { level: c_int },
    /// `inflate`
    Inflate,
}

/// Flush of a call after which the stream goes on.
#[derive(Clone, Copy, Debug)]
pub enum Flush {
    /// It may hold them.
    No = Z_NO_FLUSH as isize,
    /// It gives them, up to a byte.
    Sync = Z_SYNC_FLUSH as isize,
}

/// A stream that is open, for one buffer after the other.
pub struct Stream<'a> {
    zlib: &'a Zlib,
    way: Way,
    strm: Box<z_stream>,
}

impl<'a> Stream<'a> {
    /// `deflateInit2` or `inflateInit2`.
    pub fn begin(zlib: &'a Zlib, way: Way, bits: c_int) -> Self {
        // SAFETY: all zeros are null pointers, absent functions, and numbers, as in a stream before
        // its begin.
        let (strm, code) = unsafe {
            let mut strm: Box<z_stream> = Box::new(std::mem::zeroed());
            let stream = &raw mut *strm;
            let code = match way {
                Way::Deflate { level } => {
                    (zlib.deflateInit2_)(stream, level, Z_DEFLATED, bits, 8, 0, VERSION, SIZE)
                }
                Way::Inflate => (zlib.inflateInit2_)(stream, bits, VERSION, SIZE),
            };
            (strm, code)
        };
        assert_eq!(code, Z_OK, "{way:?} {bits}");
        Self { zlib, way, strm }
    }

    /// Processes a whole buffer in one call; returns the number of bytes written.
    pub fn whole(&mut self, input: &[u8], output: &mut [u8]) -> usize {
        self.call(input, Z_FINISH, output, Z_STREAM_END);
        self.strm.total_out as usize
    }

    /// Processes as much as there is input or room in one call, and stays open.
    pub fn once(&mut self, input: &[u8], flush: Flush, output: &mut [u8]) {
        self.call(input, flush as c_int, output, Z_OK);
    }

    /// Runs `deflate` or `inflate`, which has to return `wanted`.
    fn call(&mut self, input: &[u8], flush: c_int, output: &mut [u8], wanted: c_int) {
        self.strm.next_in = input.as_ptr();
        self.strm.avail_in = input.len() as u32;
        self.strm.next_out = output.as_mut_ptr();
        self.strm.avail_out = output.len() as u32;
        let call = match self.way {
            Way::Deflate { .. } => self.zlib.deflate,
            Way::Inflate => self.zlib.inflate,
        };
        // SAFETY: the stream is open, and its buffers are as long as it says.
        assert_eq!(unsafe { call(&mut *self.strm, flush) }, wanted, "{:?}", self.way);
    }

    /// Compresses a whole buffer in calls of `size` bytes; returns the number of bytes written.
    pub fn pieces(&mut self, input: &[u8], size: usize, output: &mut [u8]) -> usize {
        self.strm.next_out = output.as_mut_ptr();
        self.strm.avail_out = output.len() as u32;
        let mut pieces = input.chunks(size).peekable();
        while let Some(piece) = pieces.next() {
            self.strm.next_in = piece.as_ptr();
            self.strm.avail_in = piece.len() as u32;
            let (flush, wanted) =
                if pieces.peek().is_none() { (Z_FINISH, Z_STREAM_END) } else { (Z_NO_FLUSH, Z_OK) };
            // SAFETY: the stream is open, and its buffers are as long as it says.
            assert_eq!(unsafe { (self.zlib.deflate)(&mut *self.strm, flush) }, wanted, "{:?}", self.way);
        }
        self.strm.total_out as usize
    }

    /// Decompresses a whole stream in calls that have `size` bytes of input and of room at most;
    /// returns the number of bytes written.
    pub fn pieces_back(&mut self, input: &[u8], size: usize, output: &mut [u8]) -> usize {
        self.strm.next_in = input.as_ptr();
        self.strm.next_out = output.as_mut_ptr();
        let (mut read, mut written) = (0, 0);
        loop {
            let (ready, room) = (size.min(input.len() - read), size.min(output.len() - written));
            (self.strm.avail_in, self.strm.avail_out) = (ready as u32, room as u32);
            // SAFETY: the stream is open, and its buffers go on for as long as it says.
            let code = unsafe { (self.zlib.inflate)(&mut *self.strm, Z_NO_FLUSH) };
            (read, written) = (self.strm.total_in as usize, self.strm.total_out as usize);
            match code {
                Z_STREAM_END => return written,
                code => assert_eq!(code, Z_OK, "{:?}", self.way),
            }
        }
    }

    /// `deflateReset` or `inflateReset`.
    pub fn reset(&mut self) {
        let call = match self.way {
            Way::Deflate { .. } => self.zlib.deflateReset,
            Way::Inflate => self.zlib.inflateReset,
        };
        // SAFETY: the stream is open.
        assert_eq!(unsafe { call(&mut *self.strm) }, Z_OK, "reset");
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        let call = match self.way {
            Way::Deflate { .. } => self.zlib.deflateEnd,
            Way::Inflate => self.zlib.inflateEnd,
        };
        // SAFETY: the stream is open, and not used again.
        unsafe { call(&mut *self.strm) };
    }
}
