//! What a decompressing stream is, and how a call reaches zlib-rs.

use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_MEM_ERROR, Z_NEED_DICT, Z_OK, Z_STREAM_ERROR, gz_header, z_stream};

use crate::stream::{self, Open, Tag};
use crate::{checksum, version};

/// What may be around the blocks, as bits. None: they are bare.
pub mod wrap {
    use std::ffi::c_int;

    /// zlib's header
    pub const ZLIB: c_int = 1;
    /// gzip's header
    pub const GZIP: c_int = 2;
    /// The checksum is compared.
    pub const CHECKED: c_int = 4;
}

/// What the stream turned out to begin with, where that can be gzip's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// The header is not whole yet.
    Nothing,
    Gzip,
    Zlib,
    /// Nothing that inflate knows.
    Garbage,
}

/// What `strm.state` points to.
#[repr(C)]
pub struct State {
    tag: Tag,
    /// As the caller gave it.
    pub window_bits: c_int,
    /// Bits of [`wrap`].
    pub wrap: c_int,
    pub seen: Seen,
    /// CRC-32 of what was written so far. zlib-rs knows it at the end only; `strm.adler` tells it after every call.
    pub crc: u32,
    /// Where the caller wants the header; null if it doesn't.
    pub header: *mut gz_header,
    /// Where the header goes if the caller doesn't want it: it tells whether it was gzip's.
    unwanted: gz_header,
    /// The stream of zlib-rs. It is open if it has a state.
    pub inner: z_stream,
}

// SAFETY: repr(C), and the tag is first.
unsafe impl stream::State for State {
    const KIND: u64 = u64::from_be_bytes(*b"pinflate");
}

/// The bits of [`wrap`] that `windowBits` asks for; none if zlib would refuse it.
pub fn wrap_of(window_bits: c_int) -> Option<c_int> {
    let (wrap, bits) = match window_bits {
        ..-15 => return None,
        -15..0 => (0, -window_bits),
        0..48 => (((window_bits >> 4) + 1) | wrap::CHECKED, window_bits & 15),
        _ => return None,
    };
    (bits == 0 || bits >= 8).then_some(wrap)
}

/// A header that wants nothing but to be told that it was there.
fn no_header() -> gz_header {
    gz_header {
        text: 0,
        time: 0,
        xflags: 0,
        os: 0,
        extra: std::ptr::null_mut(),
        extra_len: 0,
        extra_max: 0,
        name: std::ptr::null_mut(),
        name_max: 0,
        comment: std::ptr::null_mut(),
        comm_max: 0,
        hcrc: 0,
        done: 0,
    }
}

impl State {
    /// The state of a new stream.
    pub fn new(strm: &mut z_stream, window_bits: c_int, wrap: c_int) -> Self {
        Self {
            tag: <Self as stream::State>::tag(strm),
            window_bits,
            wrap,
            seen: Seen::Nothing,
            crc: 0,
            header: std::ptr::null_mut(),
            unwanted: no_header(),
            inner: stream::unopened(strm),
        }
    }

    /// The same state for another stream, with nothing open.
    pub fn copy_for(&self, strm: &mut z_stream) -> Self {
        let (seen, crc, header) = (self.seen, self.crc, self.header);
        Self { seen, crc, header, ..Self::new(strm, self.window_bits, self.wrap) }
    }

    /// Whether zlib-rs is at work.
    pub fn is_open(&self) -> bool {
        !self.inner.state.is_null()
    }

    /// Opens the stream of zlib-rs, if it isn't.
    pub fn open(&mut self) -> Result<&mut z_stream, c_int> {
        if !self.is_open() {
            let (version, size) = (version::VERSION.as_ptr(), size_of::<z_stream>() as c_int);
            // SAFETY: a stream without a state, and an allocator that the caller answers for.
            let code = unsafe { rs::inflateInit2_(&mut self.inner, self.window_bits, version, size) };
            if code != Z_OK {
                return Err(code);
            }
            if self.wrap != 0 && self.wrap & wrap::CHECKED == 0 {
                // SAFETY: the stream is open.
                unsafe { rs::inflateValidate(&mut self.inner, 0) };
            }
            self.want_header();
        }
        Ok(&mut self.inner)
    }

    /// Has zlib-rs tell the header of a stream that is open: to the caller, or to us.
    pub fn want_header(&mut self) {
        if self.wrap & wrap::GZIP != 0 {
            let header = self.header();
            // SAFETY: the stream is open. The header is the caller's, who keeps it until the header was read, or ours.
            unsafe { rs::inflateGetHeader(&mut self.inner, header) };
        }
    }

    /// After a copy: a header that goes to us goes to the copy's state, not to the original's.
    pub fn follow_header(&mut self) {
        if self.header.is_null() && self.seen == Seen::Nothing {
            self.want_header();
        }
    }

    fn header(&mut self) -> *mut gz_header {
        if self.header.is_null() { &mut self.unwanted } else { self.header }
    }

    /// Notes what the stream begins with, if that is known now.
    fn look(&mut self, code: c_int) {
        if self.seen != Seen::Nothing || self.wrap & wrap::GZIP == 0 {
            return;
        }
        // SAFETY: as long as its header is not whole, a caller keeps what it gave.
        let done = unsafe { (*self.header()).done };
        self.seen = match done {
            1 => Seen::Gzip,
            -1 if self.wrap & wrap::ZLIB != 0 => Seen::Zlib,
            -1 => Seen::Garbage,
            _ if code == Z_DATA_ERROR => Seen::Garbage,
            _ => Seen::Nothing,
        };
    }

    /// `strm.adler` after a call that returned `code` and wrote `output`; none if it stays.
    fn check(&mut self, code: c_int, output: &[u8]) -> Option<u64> {
        if code == Z_NEED_DICT {
            return Some(self.inner.adler);
        }
        if self.wrap & wrap::CHECKED == 0 {
            return None;
        }
        match self.seen {
            Seen::Gzip => {
                self.crc = checksum::crc(self.crc, output);
                Some(self.crc.into())
            }
            Seen::Nothing if self.wrap & wrap::GZIP != 0 => None,
            Seen::Garbage => None,
            Seen::Nothing | Seen::Zlib => Some(self.inner.adler),
        }
    }
}

impl Open<'_, State> {
    /// Runs a call of zlib-rs on the caller's buffers, and moves the caller's stream on; what was written, and the code.
    fn pass(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> (usize, c_int) {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        match state.open() {
            Ok(inner) => {
                let said = strm.msg;
                stream::attach(inner, strm);
                let code = call(inner);
                if !said.is_null() && !inner.msg.is_null() {
                    // Of a call after an error, zlib-rs says that it is one. zlib goes on to say what was wrong.
                    inner.msg = said;
                }
                (stream::advance(inner, strm).1, code)
            }
            Err(code) => {
                if code == Z_MEM_ERROR {
                    strm.msg = c"insufficient memory".as_ptr().cast_mut();
                }
                (0, code)
            }
        }
    }

    /// A call that decompresses nothing.
    pub fn through(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        self.pass(call).1
    }

    /// A call that decompresses: checksum and `data_type` become what zlib would leave there.
    pub fn decompress(&mut self, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        let output = self.strm.next_out;
        let (written, code) = self.pass(call);
        if code == Z_STREAM_ERROR || code == Z_MEM_ERROR {
            return code;
        }
        let output = match written {
            0 => &[],
            // SAFETY: that much was just written to the caller's buffer.
            _ => unsafe { std::slice::from_raw_parts(output, written) },
        };
        self.strm.data_type = self.state.inner.data_type;
        self.state.look(code);
        if let Some(adler) = self.state.check(code, output) {
            self.strm.adler = adler;
        }
        code
    }

    /// Sets the fields of the caller's stream and its state to a beginning, as a reset does.
    pub fn begin(&mut self) {
        self.strm.total_in = 0;
        self.strm.total_out = 0;
        self.strm.msg = std::ptr::null_mut();
        self.restart();
    }

    /// Forgets the header and the checksum, but not where the stream is.
    pub fn restart(&mut self) {
        if self.state.wrap != 0 {
            self.strm.adler = (self.state.wrap & wrap::ZLIB) as u64;
        }
        self.state.crc = 0;
        self.state.seen = Seen::Nothing;
        self.state.header = std::ptr::null_mut();
        if self.state.is_open() {
            self.state.want_header();
        }
    }
}
