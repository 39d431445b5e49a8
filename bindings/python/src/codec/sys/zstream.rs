//! zlib-rs's streams as values: slices in, counts out.

use std::ffi::{CStr, c_int};

use libz_rs_sys as rs;
use rs::{Z_OK, z_stream};

/// The version of the interface that is called.
const VERSION: &CStr = c"1.3.1";

/// The version of zlib that zlib-rs is, in its own words: "1.3.0-zlib-rs-" and its own.
pub fn version() -> String {
    // SAFETY: a text that lives for ever.
    unsafe { CStr::from_ptr(rs::zlibVersion()) }.to_string_lossy().into_owned()
}

/// What one call did.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// zlib's own code.
    pub code: c_int,
    /// Bytes of the input that were used.
    pub consumed: usize,
    /// Bytes of the output that were written.
    pub produced: usize,
}

/// A stream of zlib-rs, which its functions find by its address.
struct Stream(Box<z_stream>);

// SAFETY: a stream is memory that this value alone points to; zlib-rs keeps nothing for a thread. Pointers to buffers are
// set by each call and not used after it.
unsafe impl Send for Stream {}

// SAFETY: what takes a shared reference (copying the stream that decompresses, and its message) reads the stream only.
unsafe impl Sync for Stream {}

impl Stream {
    fn new() -> Self {
        // No functions of ours: zlib-rs takes malloc.
        Self(Box::new(z_stream { zalloc: None, zfree: None, ..z_stream::default() }))
    }

    /// Calls `function` with the buffers, or as much of them as fits into zlib's counts.
    fn call(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        function: unsafe extern "C" fn(*mut z_stream, c_int) -> c_int,
        flush: c_int,
    ) -> Status {
        let strm = &mut *self.0;
        let (given, room) = (clamp(input.len()), clamp(output.len()));
        (strm.next_in, strm.avail_in) = (input.as_ptr(), given);
        (strm.next_out, strm.avail_out) = (output.as_mut_ptr(), room);
        // SAFETY: the stream is open, of the kind that the function takes, and both buffers are valid for the lengths given
        // with them for the time of the call.
        let code = unsafe { function(strm, flush) };
        Status {
            code,
            consumed: (given - strm.avail_in) as usize,
            produced: (room - strm.avail_out) as usize,
        }
    }

    fn message(&self) -> Option<String> {
        // SAFETY: null, or a text of zlib-rs's that lives for ever.
        (!self.0.msg.is_null()).then(|| unsafe { CStr::from_ptr(self.0.msg) }.to_string_lossy().into_owned())
    }
}

fn clamp(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// A stream that decompresses.
pub struct Inflate(Stream);

impl Inflate {
    /// A stream with zlib's `windowBits`.
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

    /// Sets the dictionary. zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        // SAFETY: the stream is open, and the dictionary is valid for that length.
        unsafe { rs::inflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), clamp(dictionary.len())) }
    }

    /// A stream that goes on as this one would.
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

    /// What zlib says about its last error.
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

/// A stream that compresses.
pub struct Deflate(Stream);

impl Deflate {
    /// A stream with zlib's parameters.
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

    /// Sets the dictionary. zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        // SAFETY: the stream is open, and the dictionary is valid for that length.
        unsafe { rs::deflateSetDictionary(&mut *self.0.0, dictionary.as_ptr(), clamp(dictionary.len())) }
    }

    /// A stream that goes on as this one would.
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

    /// What zlib says about its last error.
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
