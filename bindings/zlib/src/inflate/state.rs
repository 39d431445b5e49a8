//! State of a decompressing stream.

use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_OK, gz_header, z_stream};

use super::streaming::StreamDecoder;
use super::wrap::{self, HeaderKind};
use crate::buffer::Buffer;
use crate::settings::settings;
use crate::stats::{self, Reason};
use crate::stream::{self, Tag};
use crate::{checksum, version};

/// The state behind `strm.state`.
#[repr(C)]
pub struct State {
    tag: Tag,
    /// The caller's value.
    pub window_bits: c_int,
    /// Bits of [`wrap`].
    pub wrap: c_int,
    pub header_kind: HeaderKind,
    /// zlib-rs has no checksum of this gzip stream, because verification was off when it read the
    /// header, or because it skipped data. If verification were turned on again, zlib-rs would
    /// reject valid checksums, and panic at short ones.
    pub has_no_sum: bool,
    /// An error was found in the data, and the caller has not recovered from it.
    pub bad: bool,
    /// Nothing has been read since the beginning, and no option was set.
    pub is_new: bool,
    /// The stream was decoded in one call, without zlib-rs.
    pub has_ended: bool,
    /// Whether [`Self::decoder`] has the stream, and not zlib-rs.
    pub is_native: bool,
    /// Our streaming decoder, once a stream has needed it.
    pub decoder: Option<StreamDecoder>,
    /// The end of a one-shot stream, for the next stream.
    pub history: Buffer,
    /// Checksum of all output. zlib-rs has it late, but `strm.adler` shows it after every call.
    sum: u32,
    /// The caller's structure for the header, or null.
    pub header: *mut gz_header,
    /// Structure for a header that the caller does not want. It shows whether the header was
    /// gzip's.
    unwanted: gz_header,
    /// The first bytes of a header that zlib-rs reads.
    pub start: [u8; 4],
    /// zlib-rs keeps the stream to its end.
    pub is_delegated: bool,
    /// The stream of zlib-rs. It is open if it has a state.
    pub inner: z_stream,
}

// SAFETY: repr(C), and the tag is first.
unsafe impl stream::State for State {
    const KIND: u64 = u64::from_be_bytes(*b"pinflate");
}

/// Returns a structure that receives nothing but the flag for a complete header.
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
    /// Returns the state of a new stream.
    pub fn new(strm: &mut z_stream, window_bits: c_int, wrap: c_int) -> Self {
        Self {
            tag: <Self as stream::State>::tag(strm),
            window_bits,
            wrap,
            header_kind: HeaderKind::Unknown,
            has_no_sum: false,
            bad: false,
            is_new: true,
            has_ended: false,
            is_native: false,
            decoder: None,
            history: Buffer::new(strm),
            sum: 0,
            header: std::ptr::null_mut(),
            unwanted: no_header(),
            start: [0; 4],
            is_delegated: false,
            inner: stream::unopened(strm),
        }
    }

    /// Returns a copy for another stream, with no stream of zlib-rs; `None` if there is no memory.
    pub fn copy_for(&self, strm: &mut z_stream) -> Option<Self> {
        let (header_kind, bad, sum, header) = (self.header_kind, self.bad, self.sum, self.header);
        let has_no_sum = self.has_no_sum;
        let (is_new, has_ended, history) = (self.is_new, self.has_ended, self.history.copy().ok()?);
        let (is_native, start, is_delegated) = (self.is_native, self.start, self.is_delegated);
        let decoder = match &self.decoder {
            Some(decoder) if is_native => Some(decoder.copy_for(strm)?),
            _ => None,
        };
        let new = Self::new(strm, self.window_bits, self.wrap);
        let copy = Self { header_kind, has_no_sum, bad, is_new, has_ended, history, sum, header, ..new };
        Some(Self { is_native, decoder, start, is_delegated, ..copy })
    }

    /// Returns the decoder, if it has the stream.
    pub fn native(&mut self) -> Option<&mut StreamDecoder> {
        self.decoder.as_mut().filter(|_| self.is_native)
    }

    /// Returns whether the stream of zlib-rs is open.
    pub fn is_open(&self) -> bool {
        !self.inner.state.is_null()
    }

    /// Returns whether zlib-rs reads only the header.
    pub fn is_header(&self) -> bool {
        settings().accelerate && !self.is_delegated && self.wrap != 0
    }

    /// Leaves the stream to zlib-rs. The statistics count that now, or when its stream is opened.
    pub fn keep_delegated(&mut self) {
        if !self.is_delegated && self.is_open() && settings().accelerate {
            stats::delegated(Reason::Other);
        }
        self.is_delegated = true;
    }

    /// Opens the stream of zlib-rs, unless it is open.
    pub fn open(&mut self) -> Result<&mut z_stream, c_int> {
        if !self.is_open() {
            match (settings().accelerate, self.is_header()) {
                (false, _) => stats::delegated(Reason::AccelerationOff),
                (true, true) => {}
                (true, false) => stats::delegated(Reason::Other),
            }
            let (version, size) = (version::VERSION.as_ptr(), size_of::<z_stream>() as c_int);
            let window_bits = match self.window_bits & 15 {
                _ if self.wrap != 0 || self.window_bits < 0 => self.window_bits,
                // `inflateSync` found no header, and the stream has none from then on
                0 => -15,
                bits => -bits,
            };
            // SAFETY: a stream without a state, and an allocator that the caller answers for.
            let code = unsafe { rs::inflateInit2_(&mut self.inner, window_bits, version, size) };
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

    /// Requests gzip's header from an open stream of zlib-rs, for the caller or for us.
    pub fn want_header(&mut self) {
        if self.wrap & wrap::GZIP != 0 {
            let header = self.header();
            // SAFETY: the stream is open. The header is ours, or the caller keeps it valid until it
            // is read.
            unsafe { rs::inflateGetHeader(&mut self.inner, header) };
        }
    }

    /// Makes a copied stream of zlib-rs report the header to the copy's state, unless the caller
    /// wants it.
    pub fn follow_header(&mut self) {
        if self.header.is_null() && self.header_kind == HeaderKind::Unknown {
            self.want_header();
        }
    }

    fn header(&mut self) -> *mut gz_header {
        if self.header.is_null() { &mut self.unwanted } else { self.header }
    }

    /// Records the first bytes of a header, `input` behind those that were read before.
    pub fn record_start(&mut self, before: u64, input: &[u8]) {
        let start = self.start.iter_mut().skip(before.min(4) as usize);
        start.zip(input).for_each(|(place, &byte)| *place = byte);
    }

    /// Returns whether the length of the data is behind its checksum. zlib reads it if the method
    /// and the flags of gzip's header are not all zero, also where it has refused them.
    pub fn has_length(&self) -> bool {
        match self.header_kind {
            HeaderKind::Gzip => true,
            HeaderKind::BadGzip => self.start[2..] != [0, 0],
            HeaderKind::Unknown | HeaderKind::Zlib | HeaderKind::Garbage => false,
        }
    }

    /// Records the kind of the header once it is known, and begins the checksum.
    pub fn record_header(&mut self, code: c_int) {
        if self.header_kind != HeaderKind::Unknown {
            return;
        }
        let done = match self.wrap & wrap::GZIP {
            // It can only be zlib's, of two bytes.
            0 if self.inner.total_in < 2 => 0,
            0 => -1,
            // SAFETY: the caller keeps its structure valid until the header is complete.
            _ => unsafe { (*self.header()).done },
        };
        // zlib's header is rejected at its second byte, other data later.
        let is_refused = code == Z_DATA_ERROR && self.inner.total_in <= 2;
        (self.header_kind, self.sum) = match done {
            1 => (HeaderKind::Gzip, 0),
            _ if is_refused => (HeaderKind::Garbage, 0),
            -1 if self.wrap & wrap::ZLIB != 0 => (HeaderKind::Zlib, 1),
            0 if code == Z_DATA_ERROR => (HeaderKind::BadGzip, 0),
            _ => (HeaderKind::Unknown, 0),
        };
        self.has_no_sum = self.header_kind == HeaderKind::Gzip && self.wrap & wrap::CHECKED == 0;
    }

    /// Turns verification in an open stream of zlib-rs on or off.
    pub fn validate(&mut self) {
        if self.is_open() {
            let check = self.wrap & wrap::CHECKED != 0 && !self.has_no_sum;
            // SAFETY: the stream is open.
            unsafe { rs::inflateValidate(&mut self.inner, check.into()) };
        }
    }

    /// Records the kind of header of a stream that [`Self::decoder`] has, and begins its checksum.
    /// Returns `strm.adler`; `None` if there is no checksum.
    pub fn begin_native(&mut self, header_kind: HeaderKind) -> Option<u64> {
        let sum = if header_kind == HeaderKind::Zlib { 1 } else { 0 };
        (self.header_kind, self.sum, self.is_new, self.is_native) = (header_kind, sum, false, true);
        self.header = std::ptr::null_mut();
        (header_kind != HeaderKind::Unknown).then_some(sum.into())
    }

    /// Returns the checksum of all output.
    pub fn sum(&self) -> u32 {
        self.sum
    }

    /// Updates the checksum with `output`. Returns `strm.adler`; `None` if it stays the same.
    pub fn check(&mut self, output: &[u8]) -> Option<u64> {
        if self.wrap & wrap::CHECKED == 0 {
            return None;
        }
        match self.header_kind {
            HeaderKind::Gzip => self.sum = checksum::crc(self.sum, output),
            HeaderKind::Zlib => self.sum = checksum::adler(self.sum, output),
            HeaderKind::Unknown | HeaderKind::BadGzip | HeaderKind::Garbage => return None,
        }
        Some(self.sum.into())
    }
}
