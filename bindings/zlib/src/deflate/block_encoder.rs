//! Block encoder of a stream: gathers the input in blocks of [`BLOCK`] bytes, and holds the
//! compressed data until it is delivered.
//!
//! A block is compressed in one go, with the window before it as history. Blocks are joined at the
//! bit. The file `compress.rs` has the methods that compress, `parallel.rs` those for the worker
//! pool.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;

use libz_rs_sys::{Z_HUFFMAN_ONLY, Z_NO_FLUSH, z_stream};
use pelton_codec::{PendingBits, Window, part_bound};

use super::encoders::{ENCODERS, Encoders};
use super::policy::{BLOCK, LevelChoice, SMALL_BLOCK};
use super::stream::Parameters;
use super::worker_pool::Job;
use super::wrap::Wrap;
use crate::buffer::{Buffer, NoMemory};
use crate::memory::ALLOCATION_UNIT;
use crate::{checksum, memory};

/// First capacity of a buffer in bytes.
const INITIAL_CAPACITY: usize = 16 << 10;

/// History that is always used. More of it is used for a longer piece, since an encoder inserts all
/// history before it begins. A piece of twice this size gets a full window.
const MIN_HISTORY: usize = 4 << 10;

/// The same for a stream that is flushed after little input: messages repeat those long before.
pub const MIN_HISTORY_FLUSHED: usize = 16 << 10;

/// Bytes of noise after which a block ends: zlib gives output for noise after each 16 KB, and
/// callers that watch for output expect some. Shorter blocks of other data would take more time.
pub const EARLY: usize = 64 << 10;

/// Bytes by which noise is recognised. If the others are none, a block is short.
const NOISE_SAMPLE: usize = 4 << 10;

/// Bytes for headers, flush markers, primed bits and trailers, with a margin.
pub const MARKER_CAPACITY: usize = 64;

/// Returns the capacity for compressed data in memory of the caller's: a block between a header or
/// primed bits and a marker or trailer. All before the block's header has been delivered then.
fn small_block_compressed() -> usize {
    MARKER_CAPACITY + part_bound(SMALL_BLOCK) + MARKER_CAPACITY
}

/// Bytes that a stream takes at most from the caller's allocator, with a margin for alignment. More
/// is possible where the output of several threads waits, or the caller's output is short.
pub fn reserved(window: usize) -> usize {
    window + SMALL_BLOCK + small_block_compressed() + 2 * size_of::<u64>()
}

/// Returns the size of a stream's blocks in bytes.
fn block_of(strm: &z_stream) -> usize {
    if memory::uses_malloc(strm) { BLOCK } else { SMALL_BLOCK }
}

/// A stream between calls. A call that fails for lack of memory has changed nothing, and can be
/// repeated.
pub struct BlockStream {
    pub window: Window,
    pub wrap: Wrap,
    /// zlib's number of the strategy. zlib-rs compresses all but the default one.
    pub strategy: c_int,
    /// Size of a block in bytes.
    pub block: usize,
    /// History that is always used, in bytes.
    pub min_history: usize,
    /// The history, followed from `start` on by the gathered input.
    pub uncompressed: Buffer,
    pub start: usize,
    /// Compressed data; its first `delivered` bytes have been delivered.
    pub compressed: Buffer,
    pub delivered: usize,
    /// Compressed bits that do not fill a byte yet.
    pub pending: PendingBits,
    /// Adler-32 or CRC-32 of the gathered data.
    pub check: u32,
    pub len: u64,
    pub choice: LevelChoice,
    /// Whether an accelerator has compressed a block since [`Self::take_device_flag`].
    pub is_by_device: bool,
    /// Blocks that the worker pool compresses, in order. They precede the gathered input.
    pub in_flight: VecDeque<Arc<Job>>,
    /// The last call's flush, as zlib stores it: -1 if its output did not fit, -2 before the first
    /// call.
    pub last_flush: c_int,
    /// The last flush, if its marker ends the compressed data; Z_NO_FLUSH if data has followed.
    pub marked: c_int,
    /// Whether the last block and the trailer have been written.
    pub is_finished: bool,
}

impl BlockStream {
    /// Returns a new stream with its header, in memory of `strm`. `None` if the window is not
    /// supported, or without memory.
    pub fn new(parameters: &Parameters, strm: &z_stream) -> Option<Self> {
        let window = Window::of_bits(parameters.log2_window())?;
        let mut blocks = Self {
            window,
            wrap: parameters.wrap,
            strategy: parameters.strategy,
            block: block_of(strm),
            min_history: MIN_HISTORY,
            uncompressed: Buffer::new(strm),
            start: 0,
            compressed: Buffer::new(strm),
            delivered: 0,
            pending: PendingBits::default(),
            check: if parameters.wrap == Wrap::Gzip { 0 } else { 1 },
            len: 0,
            choice: LevelChoice::default(),
            is_by_device: false,
            in_flight: VecDeque::new(),
            last_flush: -2,
            marked: Z_NO_FLUSH,
            is_finished: false,
        };
        // zlib counts strategies without a search among the fastest levels.
        let is_fastest = parameters.strategy >= Z_HUFFMAN_ONLY;
        blocks.write_header(if is_fastest { 0 } else { parameters.level }).ok()?;
        Some(blocks)
    }

    /// Appends the header.
    fn write_header(&mut self, level: i32) -> Result<(), NoMemory> {
        let mut header = Default::default();
        let header = self.wrap.header(level, self.window.bytes().ilog2() as u16, &mut header);
        if !header.is_empty() {
            self.make_room(MARKER_CAPACITY)?;
        }
        self.compressed.extend_from_slice(header)
    }

    /// Returns a copy of the stream in memory of `strm`.
    pub fn copy_for(&self, strm: &z_stream) -> Result<Self, NoMemory> {
        let mut in_flight = VecDeque::new();
        in_flight.try_reserve_exact(self.in_flight.len()).map_err(|_| NoMemory)?;
        in_flight.extend(self.in_flight.iter().cloned());
        // In memory of the caller's a copy has the same capacity, as it was reserved.
        let copy = |buffer: &Buffer| {
            buffer.copy_for(strm, if self.block == BLOCK { buffer.len() } else { buffer.capacity() })
        };
        let (uncompressed, compressed) = (copy(&self.uncompressed)?, copy(&self.compressed)?);
        Ok(Self { in_flight, uncompressed, compressed, choice: self.choice.clone(), ..*self })
    }

    /// Returns whether an accelerator has compressed a block since the last call of this method.
    pub fn take_device_flag(&mut self) -> bool {
        std::mem::take(&mut self.is_by_device)
    }

    /// Gathers input until the block is full. Returns the number of bytes.
    pub fn gather(&mut self, input: &[u8]) -> Result<usize, NoMemory> {
        let have = self.gathered().len();
        let end = if have < EARLY { EARLY } else { self.full_len() };
        let input = &input[..input.len().min(end - have)];
        let wanted = self.uncompressed.len() + input.len();
        self.reserve_uncompressed(wanted)?;
        self.uncompressed.extend_from_slice(input)?;
        self.len += input.len() as u64;
        self.marked = Z_NO_FLUSH;
        self.check = self.checked(input);
        Ok(input.len())
    }

    /// Makes room for `len` bytes of history and gathered input. On malloc in two steps: little is
    /// copied, and a short stream needs little memory.
    fn reserve_uncompressed(&mut self, len: usize) -> Result<(), NoMemory> {
        let is_short = self.block == BLOCK && len <= INITIAL_CAPACITY;
        let capacity = if is_short { INITIAL_CAPACITY } else { self.window.bytes() + self.full_len() };
        if len <= self.uncompressed.capacity() { Ok(()) } else { self.uncompressed.reserve(capacity) }
    }

    /// Returns the checksum after more input.
    pub fn checked(&self, input: &[u8]) -> u32 {
        match self.wrap {
            Wrap::Raw => self.check,
            Wrap::Zlib => checksum::adler(self.check, input),
            Wrap::Gzip => checksum::crc(self.check, input),
        }
    }

    /// Returns whether the stream has a checksum.
    pub fn has_check(&self) -> bool {
        self.wrap != Wrap::Raw
    }

    /// Returns the input that has not been compressed yet.
    pub fn gathered(&self) -> &[u8] {
        &self.uncompressed[self.start..]
    }

    /// Returns whether the block is full, or has noise enough to be compressed early.
    pub fn is_full(&self) -> bool {
        let len = self.gathered().len();
        let is_noise = || ENCODERS.with(Encoders::new, |encoders| is_noise(encoders, self.gathered()));
        len >= self.full_len() || len == EARLY && is_noise().unwrap_or(false)
    }

    /// Returns the length of a full block. Where a block's codes take a noticeable part of its few
    /// bytes, it is twice as long, unless the caller's allocator limits the memory.
    fn full_len(&self) -> usize {
        if self.block == BLOCK && self.choice.is_tiny() { 2 * BLOCK } else { self.block }
    }

    /// Returns whether the gathered input is less than a block, and compressed early.
    pub fn is_early(&self) -> bool {
        self.gathered().len() == EARLY
    }

    /// Returns the data that matches may refer to.
    pub fn window(&self) -> &[u8] {
        &self.uncompressed[self.uncompressed.len().saturating_sub(self.window.bytes())..]
    }

    /// Sets the history. The gathered input is empty.
    pub fn set_history(&mut self, history: &[u8]) -> Result<(), NoMemory> {
        let history = &history[history.len().saturating_sub(self.window.bytes())..];
        self.reserve_uncompressed(self.uncompressed.len() + history.len())?;
        self.uncompressed.extend_from_slice(history)?;
        self.keep_window();
        Ok(())
    }

    /// Makes room for `more` compressed bytes, in memory of the caller's for those of a block at
    /// once.
    pub fn make_room(&mut self, more: usize) -> Result<(), NoMemory> {
        let len = self.compressed.len() + more;
        let capacity = match () {
            () if len <= self.compressed.capacity() => return Ok(()),
            () if self.block != BLOCK => len.max(small_block_compressed()),
            () if len <= ALLOCATION_UNIT => ALLOCATION_UNIT,
            () if len <= INITIAL_CAPACITY => INITIAL_CAPACITY,
            () => len.max(2 * self.compressed.capacity()),
        };
        self.compressed.reserve(capacity)
    }

    /// Turns the end of the compressed input into the history.
    pub fn keep_window(&mut self) {
        let kept = self.window().len();
        let end = self.uncompressed.len();
        self.uncompressed.copy_within(end - kept.., 0);
        self.uncompressed.truncate(kept);
        self.start = kept;
    }

    /// Returns the compressed bytes that are not delivered, and the number of bits behind them.
    pub fn undelivered(&self) -> (&[u8], u8) {
        (&self.compressed[self.delivered..], self.pending.count())
    }

    /// Marks the next `bytes` as delivered.
    pub fn deliver(&mut self, bytes: usize) {
        self.delivered += bytes;
        if self.delivered == self.compressed.len() {
            self.compressed.clear();
            self.delivered = 0;
        }
    }
}

/// Returns whether input does not shrink, by its first part, and does not repeat.
pub fn is_noise(encoders: &mut Encoders, gathered: &[u8]) -> bool {
    encoders.blocks.is_incompressible(&gathered[..NOISE_SAMPLE.min(gathered.len())]) && !repeats_end(gathered)
}

/// Returns whether the last four bytes occur before: long noise that is repeated is no noise.
fn repeats_end(gathered: &[u8]) -> bool {
    let Some((before, end)) = gathered.split_last_chunk::<4>() else { return false };
    let is_same = |bytes: &[u8]| bytes.iter().zip(end).fold(true, |same, (a, b)| same & (a == b));
    // All are counted, as that is done in vectors.
    before.windows(4).map(|bytes| u32::from(is_same(bytes))).sum::<u32>() > 0
}
