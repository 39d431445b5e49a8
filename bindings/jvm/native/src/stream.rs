//! Streams of DEFLATE: a `z_stream` of the drop-in zlib with its direction and container.

use std::ffi::{CStr, c_int, c_uint};

use pelton_z::api::{
    VERSION, deflate, deflateEnd, deflateInit2_, deflateParams, deflatePending, deflateReset,
    deflateSetDictionary, inflate, inflateEnd, inflateInit2_, inflateReset, inflateSetDictionary, z_stream,
};

/// Return codes and flush modes of zlib.
pub const OK: c_int = 0;
pub const STREAM_END: c_int = 1;
pub const NEED_DICTIONARY: c_int = 2;
pub const STREAM_ERROR: c_int = -2;
pub const DATA_ERROR: c_int = -3;
pub const MEMORY_ERROR: c_int = -4;
pub const BUFFER_ERROR: c_int = -5;
pub const NO_FLUSH: c_int = 0;
pub const SYNC_FLUSH: c_int = 2;
pub const FINISH: c_int = 4;

const DEFLATED: c_int = 8;
const MEM_LEVEL: c_int = 8;

/// Container around a raw stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// RFC 1951 alone.
    Raw,
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
}

impl Wrap {
    /// Returns the container that Java gives this number (`org.pelton.Format`).
    pub fn of(number: i32) -> Option<Self> {
        [Self::Raw, Self::Zlib, Self::Gzip].get(usize::try_from(number).ok()?).copied()
    }

    /// Returns zlib's `windowBits` for the container and the largest window.
    fn window_bits(self) -> c_int {
        match self {
            Self::Raw => -15,
            Self::Zlib => 15,
            Self::Gzip => 31,
        }
    }
}

/// Direction of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Compress,
    Decompress,
}

/// Outcome of one call: bytes of the input that were used, of the output that were written, and
/// zlib's return code.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub consumed: usize,
    pub produced: usize,
    pub code: c_int,
    /// Set if the stream has its new parameters.
    pub are_parameters_set: bool,
}

/// A stream, at an address that stays the same, as zlib's state refers to it.
pub struct Stream {
    strm: z_stream,
    direction: Direction,
}

// SAFETY: a stream refers to memory of its own only, and a handle has one user at a time.
unsafe impl Send for Stream {}

impl Stream {
    /// Opens a compressing stream.
    ///
    /// # Errors
    /// zlib's code: a parameter is wrong, or there is no memory.
    pub fn compress(wrap: Wrap, level: c_int, strategy: c_int) -> Result<Box<Self>, c_int> {
        let mut stream = Self::closed(Direction::Compress);
        // SAFETY: the stream is new and its allocator is the default; the version is a C string.
        let code = unsafe {
            let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
            deflateInit2_(
                &mut stream.strm,
                level,
                DEFLATED,
                wrap.window_bits(),
                MEM_LEVEL,
                strategy,
                version,
                size,
            )
        };
        if code == OK { Ok(stream) } else { Err(code) }
    }

    /// Opens a decompressing stream.
    ///
    /// # Errors
    /// zlib's code: there is no memory.
    pub fn decompress(wrap: Wrap) -> Result<Box<Self>, c_int> {
        let mut stream = Self::closed(Direction::Decompress);
        // SAFETY: as in `compress`.
        let code = unsafe {
            let (version, size) = (VERSION.as_ptr(), size_of::<z_stream>() as c_int);
            inflateInit2_(&mut stream.strm, wrap.window_bits(), version, size)
        };
        if code == OK { Ok(stream) } else { Err(code) }
    }

    fn closed(direction: Direction) -> Box<Self> {
        let strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
        Box::new(Self { strm, direction })
    }

    /// Returns the direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Compresses or decompresses once, as far as input and output suffice.
    ///
    /// # Safety
    /// The addresses are valid for that many bytes, the output for writing.
    pub unsafe fn step(&mut self, input: (*const u8, usize), output: (*mut u8, usize), flush: c_int) -> Step {
        // SAFETY: by this function's condition, on an open stream.
        unsafe {
            self.attached(input, output, |strm, direction| match direction {
                Direction::Compress => deflate(strm, flush),
                Direction::Decompress => inflate(strm, flush),
            })
        }
    }

    /// Changes level and strategy. The input before is compressed with the old ones.
    ///
    /// # Safety
    /// As for [`Self::step`].
    pub unsafe fn set_parameters(
        &mut self,
        input: (*const u8, usize),
        output: (*mut u8, usize),
        level: c_int,
        strategy: c_int,
    ) -> Step {
        // SAFETY: by this function's condition, on an open stream.
        unsafe { self.attached(input, output, |strm, _| deflateParams(strm, level, strategy)) }
    }

    /// Calls zlib with these buffers. Addresses are removed afterwards, as they are valid during
    /// the call only.
    unsafe fn attached(
        &mut self,
        (input, input_len): (*const u8, usize),
        (output, output_len): (*mut u8, usize),
        call: impl FnOnce(&mut z_stream, Direction) -> c_int,
    ) -> Step {
        let (avail_in, avail_out) = (
            c_uint::try_from(input_len).unwrap_or(c_uint::MAX),
            c_uint::try_from(output_len).unwrap_or(c_uint::MAX),
        );
        (self.strm.next_in, self.strm.avail_in) = (input.cast_mut(), avail_in);
        (self.strm.next_out, self.strm.avail_out) = (output, avail_out);
        let code = call(&mut self.strm, self.direction);
        let consumed = (avail_in - self.strm.avail_in) as usize;
        let produced = (avail_out - self.strm.avail_out) as usize;
        (self.strm.next_in, self.strm.avail_in) = (std::ptr::null_mut(), 0);
        (self.strm.next_out, self.strm.avail_out) = (std::ptr::null_mut(), 0);
        Step { consumed, produced, code, are_parameters_set: false }
    }

    /// Returns the bytes that are compressed and not written yet; 0 if it is not known.
    pub fn pending(&mut self) -> usize {
        let mut bytes = 0;
        let code = match self.direction {
            // SAFETY: the stream is open; no bits are asked for.
            Direction::Compress => unsafe {
                deflatePending(&mut self.strm, &mut bytes, std::ptr::null_mut())
            },
            Direction::Decompress => OK,
        };
        if code == OK { bytes as usize } else { 0 }
    }

    /// Sets the dictionary. Returns zlib's code.
    pub fn set_dictionary(&mut self, dictionary: &[u8]) -> c_int {
        let (address, len) = (dictionary.as_ptr(), dictionary.len() as c_uint);
        // SAFETY: the stream is open, and the address is valid for this length.
        unsafe {
            match self.direction {
                Direction::Compress => deflateSetDictionary(&mut self.strm, address, len),
                Direction::Decompress => inflateSetDictionary(&mut self.strm, address, len),
            }
        }
    }

    /// Begins another stream with the same parameters. Returns zlib's code.
    pub fn reset(&mut self) -> c_int {
        // SAFETY: the stream is open.
        unsafe {
            match self.direction {
                Direction::Compress => deflateReset(&mut self.strm),
                Direction::Decompress => inflateReset(&mut self.strm),
            }
        }
    }

    /// Returns the checksum of a zlib stream so far, or of the dictionary that it wants.
    pub fn adler(&self) -> u32 {
        self.strm.adler as u32
    }

    /// Returns zlib's text for the last error.
    pub fn message(&self) -> Option<&CStr> {
        // SAFETY: null, or a text that is never freed.
        (!self.strm.msg.is_null()).then(|| unsafe { CStr::from_ptr(self.strm.msg) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is open, or was never opened and has no state, which both refuse.
        unsafe {
            match self.direction {
                Direction::Compress => deflateEnd(&mut self.strm),
                Direction::Decompress => inflateEnd(&mut self.strm),
            };
        }
    }
}
