//! A stream that our coder compresses: input is gathered into blocks of [`BLOCK`] bytes, and each
//! is compressed at once, with the window before it as its history. Blocks join at the bit.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;

use libz_rs_sys::{Z_NO_FLUSH, z_stream};
use pelton_codec::{PendingBits, Window, part_bound};

use super::policy::{BLOCK, LevelChoice, SMALL_BLOCK};
use super::stream::Parameters;
use super::worker_pool::Job;
use super::wrap::Wrap;
use crate::buffer::{Buffer, NoMemory};
use crate::memory::ALLOCATION_UNIT;
use crate::{checksum, memory};

/// Bytes that memory is first asked for.
const INITIAL_CAPACITY: usize = 16 << 10;

/// Bytes of a header, a mark, bits or a trailer, or several of them, with room to spare.
pub const MARKER_CAPACITY: usize = 64;

/// A stream between calls. A call that fails for want of memory has changed nothing, and can be
/// made again.
pub struct BlockStream {
    pub window: Window,
    pub wrap: Wrap,
    /// As zlib numbers them; any but the default is zlib-rs's.
    pub strategy: c_int,
    /// Bytes that are gathered.
    pub block: usize,
    /// The history, and from `start` on what is gathered.
    pub uncompressed: Buffer,
    pub start: usize,
    /// What is compressed, of which `delivered` bytes were given out.
    pub compressed: Buffer,
    pub delivered: usize,
    /// Bits that fill no byte yet.
    pub pending: PendingBits,
    /// Of what was gathered: Adler-32 or CRC-32, by the wrap.
    pub check: u32,
    pub len: u64,
    pub choice: LevelChoice,
    /// Whether an accelerator compressed some of it, since somebody asked.
    pub is_by_device: bool,
    /// Blocks that threads compress, in their order; they come before what is gathered.
    pub in_flight: VecDeque<Arc<Job>>,
    /// The value of the last call's flush, as zlib keeps it: -1 if its output did not fit, -2
    /// before the first.
    pub last_flush: c_int,
    /// The flush that ends what is packed; Z_NO_FLUSH if something came after it.
    pub marked: c_int,
    /// Whether the last block and the checksum were packed.
    pub is_finished: bool,
}

impl BlockStream {
    /// A stream that has its header packed. None if there is no such window, or no memory.
    pub fn new(parameters: &Parameters, strm: &z_stream) -> Option<Self> {
        let window = Window::of_bits(parameters.log2_window())?;
        let mut blocks = Self {
            window,
            wrap: parameters.wrap,
            strategy: parameters.strategy,
            block: if memory::uses_malloc(strm) { BLOCK } else { SMALL_BLOCK },
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
        blocks.write_header(parameters.level).ok()?;
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

    /// The same stream, in memory of its own.
    pub fn copy(&self) -> Result<Self, NoMemory> {
        let mut in_flight = VecDeque::new();
        in_flight.try_reserve_exact(self.in_flight.len()).map_err(|_| NoMemory)?;
        in_flight.extend(self.in_flight.iter().cloned());
        let (uncompressed, compressed, choice) =
            (self.uncompressed.copy()?, self.compressed.copy()?, self.choice.clone());
        Ok(Self { in_flight, uncompressed, compressed, choice, ..*self })
    }

    /// Whether an accelerator compressed some of it, since this was asked last.
    pub fn take_device_flag(&mut self) -> bool {
        std::mem::take(&mut self.is_by_device)
    }

    /// Takes as much of the input as goes into the block; how much that was.
    pub fn gather(&mut self, input: &[u8]) -> Result<usize, NoMemory> {
        let input = &input[..input.len().min(self.block - self.gathered().len())];
        let wanted = self.uncompressed.len() + input.len();
        if wanted > self.uncompressed.capacity() {
            // In two steps, so that little is copied, and a short stream takes little.
            let max_len = self.window.bytes() + self.block;
            let capacity = if wanted <= INITIAL_CAPACITY { INITIAL_CAPACITY } else { max_len };
            self.uncompressed.reserve(capacity)?;
        }
        self.uncompressed.extend_from_slice(input)?;
        self.len += input.len() as u64;
        self.marked = Z_NO_FLUSH;
        self.check = self.checked(input);
        Ok(input.len())
    }

    /// The checksum with more input.
    pub fn checked(&self, input: &[u8]) -> u32 {
        match self.wrap {
            Wrap::Raw => self.check,
            Wrap::Zlib => checksum::adler(self.check, input),
            Wrap::Gzip => checksum::crc(self.check, input),
        }
    }

    /// Whether there is a checksum of what was gathered.
    pub fn has_check(&self) -> bool {
        self.wrap != Wrap::Raw
    }

    /// What waits to be compressed.
    pub fn gathered(&self) -> &[u8] {
        &self.uncompressed[self.start..]
    }

    /// Whether no more can be gathered.
    pub fn is_full(&self) -> bool {
        self.gathered().len() == self.block
    }

    /// The end of what matches may refer to.
    pub fn window(&self) -> &[u8] {
        &self.uncompressed[self.uncompressed.len().saturating_sub(self.window.bytes())..]
    }

    /// Puts a history before what comes next. Nothing is gathered.
    pub fn set_history(&mut self, history: &[u8]) -> Result<(), NoMemory> {
        self.uncompressed.extend_from_slice(&history[history.len().saturating_sub(self.window.bytes())..])?;
        self.keep_window();
        Ok(())
    }

    /// Gets room for so many bytes more that are compressed. What is asked for of a caller's
    /// allocator, in all, is less than the zlib that it may have set memory aside for would:
    /// little, some, and a block.
    pub fn make_room(&mut self, more: usize) -> Result<(), NoMemory> {
        let len = self.compressed.len() + more;
        let capacity = match () {
            () if len <= self.compressed.capacity() => return Ok(()),
            () if len <= ALLOCATION_UNIT => ALLOCATION_UNIT,
            () if len <= INITIAL_CAPACITY => INITIAL_CAPACITY,
            () if self.block == BLOCK => len.max(2 * self.compressed.capacity()),
            () => len.max(part_bound(self.block) + MARKER_CAPACITY),
        };
        self.compressed.reserve(capacity)
    }

    /// Makes the end of what was compressed the history.
    pub fn keep_window(&mut self) {
        let kept = self.window().len();
        let end = self.uncompressed.len();
        self.uncompressed.copy_within(end - kept.., 0);
        self.uncompressed.truncate(kept);
        self.start = kept;
    }

    /// What is compressed and was not given out, and how many bits there are beyond that.
    pub fn undelivered(&self) -> (&[u8], u8) {
        (&self.compressed[self.delivered..], self.pending.count())
    }

    /// Takes note that so many of the bytes that waited were given out.
    pub fn deliver(&mut self, bytes: usize) {
        self.delivered += bytes;
        if self.delivered == self.compressed.len() {
            self.compressed.clear();
            self.delivered = 0;
        }
    }
}
