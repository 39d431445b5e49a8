//! State of a compressing stream, and delegation of calls to zlib-rs.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU16, Ordering};

use libz_rs_sys as rs;
use rs::{Z_DEFAULT_STRATEGY, Z_FINISH, Z_MEM_ERROR, Z_OK, Z_SYNC_FLUSH, Z_UNKNOWN, gz_header, z_stream};

use super::data_type::DataType;
use super::parameters::Parameters;
use super::reserve::Reserve;
use crate::deflate::block_encoder::{self, BlockStream};
use crate::deflate::block_trial::BlockTrials;
use crate::deflate::encoders::{ENCODERS, Encoders};
use crate::deflate::policy;
use crate::deflate::wrap::Wrap;
use crate::pool::{Place, Places};
use crate::stats::{self, Reason};
use crate::stream::{self, Open, Tag};
use crate::{checksum, memory};

/// Places of the streams that zlib-rs compresses because they are flushed after little input. Each
/// takes 320 KB. zlib-rs is faster for messages, so only servers of thousands are to run out.
static PLACES: Places = Places::new(1000);

/// Levels, by bit, for which the pool's encoders have all memory.
static RESERVED: AtomicU16 = AtomicU16::new(0);

/// The state behind `strm.state`.
#[repr(C)]
pub struct State {
    tag: Tag,
    pub parameters: Parameters,
    /// The caller's header, or null. The caller keeps it valid until it is written.
    pub header: *mut gz_header,
    /// CRC-32 of all input. zlib-rs has it at the end only, but `strm.adler` shows it after every
    /// call.
    pub crc: u32,
    /// Detection of text.
    pub data_type: DataType,
    /// The block encoder. `None` if zlib-rs compresses the stream, or before its first call.
    pub blocks: Option<BlockStream>,
    /// The place of a stream that zlib-rs compresses because it is flushed after little input.
    place: Option<Place>,
    /// Trials of encoders, which outlast a reset.
    pub trials: BlockTrials,
    /// Reason for delegation that the parameters do not show.
    pub reason: Reason,
    /// The stream of zlib-rs. It is open if it has a state. Its memory functions are also the block
    /// encoder's.
    pub inner: z_stream,
    /// Bytes at the beginning of zlib-rs's output buffer that may have been delivered, while others
    /// behind them wait.
    drained: usize,
    /// A stream of zlib-rs from before a reset, for the next stream, and its parameters.
    spare: Option<(z_stream, Parameters)>,
    /// Memory from the caller's allocator. The last field: those before it use that memory.
    reserve: Option<Reserve>,
}

// SAFETY: repr(C), and the tag is first.
unsafe impl stream::State for State {
    const KIND: u64 = u64::from_be_bytes(*b"pdeflate");
}

impl State {
    /// Returns the state of a new stream.
    pub fn new(strm: &mut z_stream, parameters: Parameters) -> Self {
        let tag = <Self as stream::State>::tag(strm);
        Self {
            tag,
            parameters,
            header: std::ptr::null_mut(),
            crc: 0,
            data_type: DataType::default(),
            blocks: None,
            place: None,
            trials: BlockTrials::default(),
            reason: Reason::Other,
            inner: stream::unopened(strm),
            drained: 0,
            spare: None,
            reserve: None,
        }
    }

    /// Takes all memory of a stream on an allocator of the caller's, and prepares the pool's tables
    /// for it, since it may be compressed where no system call is allowed. Returns the code.
    pub fn reserve(&mut self, strm: &z_stream) -> c_int {
        if memory::uses_malloc(strm) || self.is_open() {
            return Z_OK;
        }
        if self.reserve.is_none() && !self.take_reserve(strm) {
            return Z_MEM_ERROR;
        }
        if policy::fallback_reason(&self.parameters, false).is_some() {
            return self.open().err().unwrap_or(Z_OK);
        }
        let level = self.parameters.level;
        let has_tables = RESERVED.load(Ordering::Relaxed) >> level & 1 == 1
            || ENCODERS.with(Encoders::new, |encoders| policy::reserve(encoders, level)).flatten().is_some();
        if has_tables {
            RESERVED.fetch_or(1 << level, Ordering::Relaxed);
        }
        if has_tables { Z_OK } else { Z_MEM_ERROR }
    }

    /// Takes the memory of whichever encoder the first call chooses. Returns whether there was any.
    fn take_reserve(&mut self, strm: &z_stream) -> bool {
        // `deflateParams` can change the level and the strategy before a reset, but not the others.
        let usual = Parameters { level: 6, strategy: Z_DEFAULT_STRATEGY, ..self.parameters };
        let for_blocks = match policy::fallback_reason(&usual, false) {
            Some(_) => 0,
            None => block_encoder::reserved(1 << usual.log2_window()),
        };
        let capacity = for_blocks.max(self.parameters.fallback_memory());
        // SAFETY: the caller answers for its allocator, which is there as long as its streams.
        self.reserve = unsafe { Reserve::new(strm, capacity) };
        if let Some(reserve) = &self.reserve {
            self.inner = stream::unopened(&reserve.stream());
        }
        self.reserve.is_some()
    }

    /// Makes the block encoder, if its window is supported and there is memory for it.
    pub fn make_blocks(&mut self) {
        self.close_spare();
        self.blocks = BlockStream::new(&self.parameters, &self.inner);
    }

    /// Takes a place among the streams that keep a stream of zlib-rs between short flushes. Returns
    /// whether there is one.
    pub fn take_place(&mut self) -> bool {
        self.place = PLACES.take();
        self.place.is_some()
    }

    /// Returns a copy for another stream, with no stream of zlib-rs; `None` if there is no memory.
    pub fn copy_for(&self, strm: &mut z_stream) -> Option<Self> {
        let mut new = Self::new(strm, self.parameters);
        if self.reserve.is_some() && !new.take_reserve(strm) {
            return None;
        }
        if let Some(blocks) = &self.blocks {
            new.blocks = Some(blocks.copy_for(&new.inner).ok()?);
        }
        (new.header, new.crc, new.data_type) = (self.header, self.crc, self.data_type);
        (new.trials, new.reason) = (self.trials.clone(), self.reason);
        Some(new)
    }

    /// Copies the stream of zlib-rs, which is open, to another stream's memory. Returns the code.
    pub fn copy_inner(&mut self, to: &mut Self) -> c_int {
        // zlib-rs takes the copy's memory by the functions of the original.
        let (own, other) = (self.inner, to.inner);
        (self.inner.zalloc, self.inner.zfree, self.inner.opaque) = (other.zalloc, other.zfree, other.opaque);
        // SAFETY: one stream is open, the other can take a copy.
        let code = unsafe { rs::deflateCopy(&mut to.inner, &mut self.inner) };
        (self.inner, to.drained) = (own, self.drained);
        code
    }

    /// Returns whether the stream of zlib-rs, which is open, has room for the caller's bits behind
    /// output that waits. zlib-rs 0.6.8 does not look, and panics.
    pub fn has_room_for_bits(&mut self) -> bool {
        /// Bytes that bits may take together with those before them, with a margin.
        const BITS: usize = 16;
        self.waiting() + self.drained + BITS <= self.parameters.fallback_output(&self.inner)
    }

    /// Returns the bytes that wait in the stream of zlib-rs, which is open.
    fn waiting(&mut self) -> usize {
        let (mut bytes, mut bits) = (0, 0);
        // SAFETY: the stream is open; two numbers are given.
        unsafe { rs::deflatePending(&mut self.inner, &mut bytes, &mut bits) };
        bytes as usize
    }

    /// Returns whether the stream of zlib-rs is open.
    pub fn is_open(&self) -> bool {
        !self.inner.state.is_null()
    }

    /// Opens the stream of zlib-rs, unless it is open.
    pub fn open(&mut self) -> Result<&mut z_stream, c_int> {
        if !self.is_open() {
            stats::delegated(
                policy::fallback_reason(&self.parameters, !self.header.is_null()).unwrap_or(self.reason),
            );
            let spare = self.spare.take_if(|(_, parameters)| *parameters == self.parameters);
            self.close_spare();
            if let Some((spare, _)) = spare {
                self.inner = spare;
            }
            let inner = &raw mut self.inner;
            if !self.is_open() {
                // SAFETY: a stream without a state, and an allocator that the caller answers for.
                let code = unsafe { self.parameters.begin_fallback(inner) };
                if code != Z_OK {
                    return Err(code);
                }
            }
            if !self.header.is_null() {
                // SAFETY: the stream is open, and the caller keeps the header.
                unsafe { rs::deflateSetHeader(inner, self.header) };
            }
        }
        Ok(&mut self.inner)
    }
}

impl State {
    /// Resets the stream of zlib-rs, which the next stream may use or not.
    pub fn retire(&mut self) {
        let unopened = stream::unopened(&self.inner);
        let mut inner = std::mem::replace(&mut self.inner, unopened);
        let (parameters, has_header) = (self.parameters, !self.header.is_null());
        // SAFETY: the stream is open, and is closed unless it is kept. A reset may lose data, so an
        // error is expected of the end.
        unsafe {
            let is_kept = !has_header && end_open_block(&mut inner) && {
                drop_output(&mut inner);
                rs::deflateReset(&mut inner) == Z_OK
            };
            if is_kept {
                self.close_spare();
                self.spare = Some((inner, parameters));
            } else {
                rs::deflateEnd(&mut inner);
            }
        }
    }

    /// Frees the stream of zlib-rs from before a reset.
    pub fn close_spare(&mut self) {
        if let Some((mut spare, _)) = self.spare.take() {
            // SAFETY: it is open.
            unsafe { rs::deflateEnd(&mut spare) };
        }
    }
}

/// Ends the block of a stream of zlib-rs, and drops its output. After a reset at level 1 it would
/// continue in an open block, and the next stream could not be decoded. Returns whether it did.
///
/// # Safety
/// The stream is open.
unsafe fn end_open_block(inner: &mut z_stream) -> bool {
    /// Pieces of output that zlib-rs holds back at most.
    const MAX_PIECES: usize = 1 << 10;
    let mut output = [0; 512];
    inner.avail_in = 0;
    let has_ended = (0..MAX_PIECES).any(|_| {
        (inner.next_out, inner.avail_out) = (output.as_mut_ptr(), output.len() as u32);
        // SAFETY: the stream is open, with room in the output. An error says that nothing is open.
        unsafe { rs::deflate(inner, Z_SYNC_FLUSH) != Z_OK || inner.avail_out > 0 }
    });
    stream::detach(inner);
    has_ended
}

/// Drops the output of a stream of zlib-rs that waits for room. zlib-rs 0.6.8 drops it at a reset,
/// and still counts the written part of it as taken; a later block would not fit.
///
/// # Safety
/// The stream is open.
pub unsafe fn drop_output(inner: &mut z_stream) {
    let mut output = [0; 512];
    let (mut waiting, mut bits) = (0, 0);
    // SAFETY: the stream is open, with room in the output.
    unsafe {
        while rs::deflatePending(inner, &mut waiting, &mut bits) == Z_OK && waiting > 0 {
            // no more room than for these bytes: nothing is compressed
            let room = waiting.min(output.len() as u32);
            (inner.avail_in, inner.next_out, inner.avail_out) = (0, output.as_mut_ptr(), room);
            rs::deflate(inner, Z_FINISH);
            if inner.avail_out > 0 {
                break;
            }
        }
    }
    stream::detach(inner);
}

impl Open<'_, State> {
    /// Runs a call of zlib-rs on the caller's buffers, which flushes as `flush` says. The caller's
    /// stream advances, and its other fields get zlib's values.
    pub fn delegate(&mut self, flush: c_int, call: impl FnOnce(*mut z_stream) -> c_int) -> c_int {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let wrap = state.parameters.wrap;
        let inner = match state.open() {
            Ok(inner) => inner,
            Err(code) => {
                if code == Z_MEM_ERROR {
                    strm.msg = c"insufficient memory".as_ptr().cast_mut();
                }
                return code;
            }
        };
        let (input, said) = (strm.next_in, strm.msg);
        stream::attach(inner, strm);
        let code = call(inner);
        if wrap == Wrap::Zlib {
            strm.adler = inner.adler;
        }
        let (read, written) = stream::advance(inner, strm);
        state.drained = if state.waiting() == 0 { 0 } else { state.drained + written };
        if strm.msg.is_null() {
            strm.msg = said;
        }
        let input = match read {
            0 => &[],
            // SAFETY: that much was just read from the caller's buffer.
            _ => unsafe { std::slice::from_raw_parts(input, read) },
        };
        if wrap == Wrap::Gzip {
            state.crc = checksum::crc(state.crc, input);
            strm.adler = state.crc.into();
        }
        if strm.data_type == Z_UNKNOWN && state.parameters.level > 0 {
            state.data_type.observe(input);
            if let Some(kind) = state.data_type.kind(flush).filter(|_| code >= Z_OK) {
                strm.data_type = kind;
            }
        }
        code
    }

    /// Sets the caller's stream to a beginning, as a reset does.
    pub fn begin(&mut self) {
        self.state.blocks = None;
        self.state.place = None;
        self.state.drained = 0;
        self.state.crc = 0;
        self.state.data_type = DataType::default();
        self.strm.total_in = 0;
        self.strm.total_out = 0;
        self.strm.msg = std::ptr::null_mut();
        self.strm.data_type = Z_UNKNOWN;
        self.strm.adler = if self.state.parameters.wrap == Wrap::Gzip { 0 } else { 1 };
    }
}
