use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_OK, z_stream};

use super::{Status, Stream, VERSION, clamp};

/// A stream that compresses.
pub struct Deflate(Stream);

impl Deflate {
    /// Returns a stream with zlib's parameters.
    ///
    /// # Errors
    /// zlib's code.
    pub fn new(
        level: c_int,
        method: c_int,
        window_bits: c_int,
        mem_level: c_int,
        strategy: c_int,
    ) -> Result<Self, c_int> {
        let mut stream = Stream::new();
        let size = size_of::<z_stream>() as c_int;
        let strm = &mut *stream.0;
        // SAFETY: the stream is there to be opened, and stays where it is.
        let code = unsafe {
            rs::deflateInit2_(strm, level, method, window_bits, mem_level, strategy, VERSION.as_ptr(), size)
        };
        if code == Z_OK { Ok(Self(stream)) } else { Err(code) }
    }

    /// Compresses some of `input` into `output`.
    pub fn run(&mut self, input: &[u8], output: &mut [u8], flush: c_int) -> Status {
        self.0.call(input, output, rs::deflate, flush)
    }

    /// Sets the dictionary; returns zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        // SAFETY: the stream is open, and the dictionary is valid for that length.
        unsafe { rs::deflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), clamp(dictionary.len())) }
    }

    /// Returns an independent copy of the stream.
    ///
    /// # Errors
    /// zlib's code.
    pub fn copy(&mut self) -> Result<Self, c_int> {
        let mut copy = Stream::new();
        // SAFETY: this stream is open, and the other is there to be opened.
        match unsafe { rs::deflateCopy(&mut *copy.0, &mut *self.0.0) } {
            Z_OK => Ok(Self(copy)),
            code => Err(code),
        }
    }

    /// Returns zlib's message about its last error.
    pub fn message(&self) -> Option<String> {
        self.0.message()
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and ended once.
        unsafe { rs::deflateEnd(&mut *self.0.0) };
    }
}
