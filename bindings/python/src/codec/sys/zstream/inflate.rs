use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_OK, z_stream};

use super::{Status, Stream, VERSION, clamp};

/// A stream that decompresses.
pub struct Inflate(Stream);

impl Inflate {
    /// Returns a stream with zlib's `windowBits`.
    ///
    /// # Errors
    /// zlib's code.
    pub fn new(window_bits: c_int) -> Result<Self, c_int> {
        let mut stream = Stream::new();
        let size = size_of::<z_stream>() as c_int;
        // SAFETY: the stream is there to be opened, and stays where it is.
        match unsafe { rs::inflateInit2_(&mut *stream.0, window_bits, VERSION.as_ptr(), size) } {
            Z_OK => Ok(Self(stream)),
            code => Err(code),
        }
    }

    /// Decompresses some of `input` into `output`.
    pub fn run(&mut self, input: &[u8], output: &mut [u8], flush: c_int) -> Status {
        self.0.call(input, output, rs::inflate, flush)
    }

    /// Begins another stream of the same kind.
    pub fn reset(&mut self) {
        // SAFETY: the stream is open.
        unsafe { rs::inflateReset(&mut *self.0.0) };
    }

    /// Sets the dictionary; returns zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        // SAFETY: the stream is open, and the dictionary is valid for that length.
        unsafe { rs::inflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), clamp(dictionary.len())) }
    }

    /// Returns an independent copy of the stream.
    ///
    /// # Errors
    /// zlib's code.
    pub fn copy(&self) -> Result<Self, c_int> {
        let mut copy = Stream::new();
        // SAFETY: this stream is open, and the other is there to be opened.
        match unsafe { rs::inflateCopy(&mut *copy.0, &*self.0.0) } {
            Z_OK => Ok(Self(copy)),
            code => Err(code),
        }
    }

    /// Returns zlib's message about its last error.
    pub fn message(&self) -> Option<String> {
        self.0.message()
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: the stream is open, and ended once.
        unsafe { rs::inflateEnd(&mut *self.0.0) };
    }
}
