//! A stream that our coder compresses: input is gathered into blocks of [`BLOCK`] bytes, and each
//! is compressed at once, with the window before it as its history. Blocks join at the bit.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;

use libz_rs_sys::{Z_NO_FLUSH, z_stream};
use pelton_codec::{PendingBits, Window, part_bound};

use super::policy::{BLOCK, Choice, SMALL_BLOCK};
use super::stream::Parameters;
use super::worker_pool::Job;
use super::wrap::Wrap;
use crate::buffer::{Buffer, NoMemory};
use crate::memory::UNIT;
use crate::{checksum, memory};

/// Bytes that memory is first asked for.
const FIRST: usize = 16 << 10;

/// Bytes of a header, a mark, bits or a trailer, or several of them, with room to spare.
pub const MARKS: usize = 64;

/// A stream between calls. A call that fails for want of memory has changed nothing, and can be
/// made again.
pub struct Blocks {
    pub window: Window,
    pub wrap: Wrap,
    /// As zlib numbers them; any but the default is zlib-rs's.
    pub strategy: c_int,
    /// Bytes that are gathered.
    pub block: usize,
    /// The history, and from `start` on what is gathered.
    pub plain: Buffer,
    pub start: usize,
    /// What is compressed, of which `given` bytes were given out.
    pub packed: Buffer,
    pub given: usize,
    /// Bits that fill no byte yet.
    pub pending: PendingBits,
    /// Of what was gathered: Adler-32 or CRC-32, by the wrap.
    pub check: u32,
    pub len: u64,
    pub choice: Choice,
    /// Whether an accelerator compressed some of it, since somebody asked.
    pub is_by_device: bool,
    /// Blocks that threads compress, in their order; they come before what is gathered.
    pub sent: VecDeque<Arc<Job>>,
    /// The value of the last call's flush, as zlib keeps it: -1 if its output did not fit, -2
    /// before the first.
    pub last_flush: c_int,
    /// The flush that ends what is packed; Z_NO_FLUSH if something came after it.
    pub marked: c_int,
    /// Whether the last block and the checksum were packed.
    pub is_finished: bool,
}

impl Blocks {
    /// A stream that has its header packed. None if there is no such window, or no memory.
    pub fn new(settings: &Parameters, strm: &z_stream) -> Option<Self> {
        let window = Window::of_bits(settings.log2_window())?;
        let mut blocks = Self {
            window,
            wrap: settings.wrap,
            strategy: settings.strategy,
            block: if memory::is_ours(strm) { BLOCK } else { SMALL_BLOCK },
            plain: Buffer::new(strm),
            start: 0,
            packed: Buffer::new(strm),
            given: 0,
            pending: PendingBits::default(),
            check: if settings.wrap == Wrap::Gzip { 0 } else { 1 },
            len: 0,
            choice: Choice::default(),
            is_by_device: false,
            sent: VecDeque::new(),
            last_flush: -2,
            marked: Z_NO_FLUSH,
            is_finished: false,
        };
        blocks.pack_header(settings.level).ok()?;
        Some(blocks)
    }

    /// Appends the header.
    fn pack_header(&mut self, level: i32) -> Result<(), NoMemory> {
        let mut header = Default::default();
        let header = self.wrap.header(level, self.window.bytes().ilog2() as u16, &mut header);
        if !header.is_empty() {
            self.make_room(MARKS)?;
        }
        self.packed.extend_from_slice(header)
    }

    /// The same stream, in memory of its own.
    pub fn copy(&self) -> Result<Self, NoMemory> {
        let mut sent = VecDeque::new();
        sent.try_reserve_exact(self.sent.len()).map_err(|_| NoMemory)?;
        sent.extend(self.sent.iter().cloned());
        let (plain, packed, choice) = (self.plain.copy()?, self.packed.copy()?, self.choice.clone());
        Ok(Self { sent, plain, packed, choice, ..*self })
    }

    /// Whether an accelerator compressed some of it, since this was asked last.
    pub fn take_note_of_device(&mut self) -> bool {
        std::mem::take(&mut self.is_by_device)
    }

    /// Takes as much of the input as goes into the block; how much that was.
    pub fn gather(&mut self, input: &[u8]) -> Result<usize, NoMemory> {
        let input = &input[..input.len().min(self.block - self.gathered().len())];
        let wanted = self.plain.len() + input.len();
        if wanted > self.plain.capacity() {
            // In two steps, so that little is copied, and a short stream takes little.
            let most = self.window.bytes() + self.block;
            let capacity = if wanted <= FIRST { FIRST } else { most };
            self.plain.reserve(capacity)?;
        }
        self.plain.extend_from_slice(input)?;
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
        &self.plain[self.start..]
    }

    /// Whether no more can be gathered.
    pub fn is_full(&self) -> bool {
        self.gathered().len() == self.block
    }

    /// The end of what matches may refer to.
    pub fn window(&self) -> &[u8] {
        &self.plain[self.plain.len().saturating_sub(self.window.bytes())..]
    }

    /// Puts a history before what comes next. Nothing is gathered.
    pub fn set_history(&mut self, history: &[u8]) -> Result<(), NoMemory> {
        self.plain.extend_from_slice(&history[history.len().saturating_sub(self.window.bytes())..])?;
        self.keep_window();
        Ok(())
    }

    /// Gets room for so many bytes more that are compressed. What is asked for of a caller's
    /// allocator, in all, is less than the zlib that it may have set memory aside for would:
    /// little, some, and a block.
    pub fn make_room(&mut self, more: usize) -> Result<(), NoMemory> {
        let len = self.packed.len() + more;
        let capacity = match () {
            () if len <= self.packed.capacity() => return Ok(()),
            () if len <= UNIT => UNIT,
            () if len <= FIRST => FIRST,
            () if self.block == BLOCK => len.max(2 * self.packed.capacity()),
            () => len.max(part_bound(self.block) + MARKS),
        };
        self.packed.reserve(capacity)
    }

    /// Makes the end of what was compressed the history.
    pub fn keep_window(&mut self) {
        let kept = self.window().len();
        let end = self.plain.len();
        self.plain.copy_within(end - kept.., 0);
        self.plain.truncate(kept);
        self.start = kept;
    }

    /// What is compressed and was not given out, and how many bits there are beyond that.
    pub fn waiting(&self) -> (&[u8], u8) {
        (&self.packed[self.given..], self.pending.count())
    }

    /// Takes note that so many of the bytes that waited were given out.
    pub fn give(&mut self, bytes: usize) {
        self.given += bytes;
        if self.given == self.packed.len() {
            self.packed.clear();
            self.given = 0;
        }
    }
}
