//! What a decompressing stream is.

use std::ffi::c_int;

use libz_rs_sys as rs;
use rs::{Z_DATA_ERROR, Z_OK, gz_header, z_stream};

use super::streaming::StreamDecoder;
use super::wrap::{self, HeaderKind};
use crate::buffer::Buffer;
use crate::memory::Placed;
use crate::settings::settings;
use crate::stats::{self, Reason};
use crate::stream::{self, Tag};
use crate::{checksum, version};

/// What `strm.state` points to.
#[repr(C)]
pub struct State {
    tag: Tag,
    /// As the caller gave it.
    pub window_bits: c_int,
    /// Bits of [`wrap`].
    pub wrap: c_int,
    pub header_kind: HeaderKind,
    /// zlib-rs has no checksum of this gzip stream, as it was told not to compare it when it read
    /// the header, or passed over some of it. Told to compare it after all, it would refuse right
    /// ones, and panic at short ones.
    pub has_no_sum: bool,
    /// An error was found in the data, and nothing was done about it.
    pub bad: bool,
    /// Nothing was read since the beginning, nor was anything set that a beginning does not have.
    pub is_new: bool,
    /// The stream was decoded whole, without zlib-rs.
    pub has_ended: bool,
    /// Whether the stream is [`Self::decoder`]'s, and not zlib-rs's.
    pub is_native: bool,
    /// Our own decoder, once a stream has needed it.
    pub decoder: Option<Placed<StreamDecoder>>,
    /// The end of what was decoded whole, for the next stream.
    pub history: Buffer,
    /// Checksum of what was written so far. zlib-rs's own is late; `strm.adler` tells it after
    /// every call.
    sum: u32,
    /// Where the caller wants the header; null if it doesn't.
    pub header: *mut gz_header,
    /// Where the header goes if the caller doesn't want it: it tells whether it was gzip's.
    unwanted: gz_header,
    /// The first byte of its header, where zlib-rs reads that.
    pub first: u8,
    /// zlib-rs keeps the stream.
    pub is_delegated: bool,
    /// The stream of zlib-rs. It is open if it has a state.
    pub inner: z_stream,
}

// SAFETY: repr(C), and the tag is first.
unsafe impl stream::State for State {
    const KIND: u64 = u64::from_be_bytes(*b"pinflate");
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
            first: 0,
            is_delegated: false,
            inner: stream::unopened(strm),
        }
    }

    /// The same state for another stream, with nothing open; none if there is no memory.
    pub fn copy_for(&self, strm: &mut z_stream) -> Option<Self> {
        let (header_kind, bad, sum, header) = (self.header_kind, self.bad, self.sum, self.header);
        let has_no_sum = self.has_no_sum;
        let (is_new, has_ended, history) = (self.is_new, self.has_ended, self.history.copy().ok()?);
        let (is_native, first, is_delegated) = (self.is_native, self.first, self.is_delegated);
        let decoder = match &self.decoder {
            Some(decoder) if is_native => Some(decoder.copy_for(strm)?),
            _ => None,
        };
        let new = Self::new(strm, self.window_bits, self.wrap);
        let copy = Self { header_kind, has_no_sum, bad, is_new, has_ended, history, sum, header, ..new };
        Some(Self { is_native, decoder, first, is_delegated, ..copy })
    }

    /// The decoder, if the stream is its.
    pub fn native(&mut self) -> Option<&mut StreamDecoder> {
        self.decoder.as_deref_mut().filter(|_| self.is_native)
    }

    /// Whether zlib-rs is at work.
    pub fn is_open(&self) -> bool {
        !self.inner.state.is_null()
    }

    /// Whether zlib-rs is to read no more than the header.
    pub fn is_header(&self) -> bool {
        settings().accelerate && !self.is_delegated && self.wrap != 0
    }

    /// Leaves the stream to zlib-rs, which is counted now or when it is opened.
    pub fn keep_delegated(&mut self) {
        if !self.is_delegated && self.is_open() && settings().accelerate {
            stats::delegated(Reason::Other);
        }
        self.is_delegated = true;
    }

    /// Opens the stream of zlib-rs, if it isn't.
    pub fn open(&mut self) -> Result<&mut z_stream, c_int> {
        if !self.is_open() {
            match (settings().accelerate, self.is_header()) {
                (false, _) => stats::delegated(Reason::AccelerationOff),
                (true, true) => {}
                (true, false) => stats::delegated(Reason::Other),
            }
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
            // SAFETY: the stream is open. The header is the caller's, who keeps it until the header
            // was read, or ours.
            unsafe { rs::inflateGetHeader(&mut self.inner, header) };
        }
    }

    /// After a copy: a header that goes to us goes to the copy's state, not to the original's.
    pub fn follow_header(&mut self) {
        if self.header.is_null() && self.header_kind == HeaderKind::Unknown {
            self.want_header();
        }
    }

    fn header(&mut self) -> *mut gz_header {
        if self.header.is_null() { &mut self.unwanted } else { self.header }
    }

    /// Notes what the stream begins with, if that is known now, and begins the checksum that goes
    /// with it.
    pub fn record_header(&mut self, code: c_int) {
        if self.header_kind != HeaderKind::Unknown {
            return;
        }
        let done = match self.wrap & wrap::GZIP {
            // It can only be zlib's, of two bytes.
            0 if self.inner.total_in < 2 => 0,
            0 => -1,
            // SAFETY: as long as its header is not whole, a caller keeps what it gave.
            _ => unsafe { (*self.header()).done },
        };
        // A header of zlib's that is wrong is known by its second byte, what is wrong later on by a
        // later one.
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

    /// Has zlib-rs, if it is open, compare the checksum or not.
    pub fn validate(&mut self) {
        if self.is_open() {
            let check = self.wrap & wrap::CHECKED != 0 && !self.has_no_sum;
            // SAFETY: the stream is open.
            unsafe { rs::inflateValidate(&mut self.inner, check.into()) };
        }
    }

    /// Notes what a stream of [`Self::decoder`] begins with, and begins its checksum; that is
    /// `strm.adler`, unless it has none.
    pub fn begin_native(&mut self, header_kind: HeaderKind) -> Option<u64> {
        let sum = if header_kind == HeaderKind::Zlib { 1 } else { 0 };
        (self.header_kind, self.sum, self.is_new, self.is_native) = (header_kind, sum, false, true);
        self.header = std::ptr::null_mut();
        (header_kind != HeaderKind::Unknown).then_some(sum.into())
    }

    /// The checksum so far.
    pub fn sum(&self) -> u32 {
        self.sum
    }

    /// `strm.adler` after a call that wrote `output`; none if it stays.
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
