//! A stream that comes in pieces, decoded by Pelton's codec from its first block on.
//!
//! What a call reads and writes, and what it returns, is what zlib would read, write and return
//! ([`call`]). Headers that are not whole in the first call, or are unusual, are zlib-rs's
//! ([`begin`]).

mod begin;
mod call;
mod sync;

use std::ffi::{c_int, c_long};

use libz_rs_sys::{Z_OK, Z_STREAM_ERROR, z_stream};
use pelton_codec::{STREAM_WINDOW, StreamInflater};

use crate::buffer::Buffer;
use crate::memory::Placed;

/// Bits of `data_type`: how many bits were read and not used.
const LEFT: c_int = 63;
/// The last block has begun.
const LAST: c_int = 64;
/// A block's header comes next.
const BEFORE_HEADER: c_int = 128;
/// One was just read.
const AFTER_HEADER: c_int = 256;

/// What of a stream comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    Blocks,
    /// The checksum after them.
    Checksum,
    /// gzip's length.
    Length,
    End,
    /// Something was wrong.
    Damaged,
    /// It is looked for where to go on; so many bytes of the mark were found.
    Searching(usize),
}

/// A decoder, and its window.
pub struct StreamDecoder {
    inflater: StreamInflater,
    window: Buffer,
    section: Section,
    /// Bytes that the stream gave.
    produced: u64,
    /// zlib would have a window by now.
    has_window: bool,
}

impl StreamDecoder {
    fn new(strm: &z_stream) -> Option<Placed<Self>> {
        let mut window = Buffer::new(strm);
        window.resize(STREAM_WINDOW).ok()?;
        let decoder = Self {
            inflater: StreamInflater::new(0),
            window,
            section: Section::Blocks,
            produced: 0,
            has_window: false,
        };
        // SAFETY: the caller answers for its allocator, which is there as long as its streams.
        unsafe { Placed::new(strm, decoder) }
    }

    fn restart(&mut self, reach: usize, has_container: bool) {
        self.inflater.restart(reach, has_container);
        (self.section, self.produced, self.has_window) = (Section::Blocks, 0, false);
    }

    /// Goes on with blocks that know nothing of what was before them.
    fn restart_blocks(&mut self) {
        let reach = self.inflater.reach();
        // As bare ones: a call that begins here is not stopped here.
        self.restart(reach, false);
    }

    /// The same in memory of another stream's.
    pub fn copy_for(&self, strm: &z_stream) -> Option<Placed<Self>> {
        let window = self.window.copy().ok()?;
        let copy = Self { inflater: self.inflater.clone(), window, ..*self };
        // SAFETY: as above.
        unsafe { Placed::new(strm, copy) }
    }

    fn window(&mut self) -> Option<(&mut StreamInflater, &mut [u8; STREAM_WINDOW])> {
        Some((&mut self.inflater, self.window.first_chunk_mut()?))
    }

    /// What was given, as far as matches reach back to it.
    pub fn history(&self) -> &[u8] {
        self.window.first_chunk().map_or(&[], |window| self.inflater.history(window))
    }

    /// Puts bytes behind that.
    pub fn extend_history(&mut self, bytes: &[u8]) {
        if let Some((inflater, window)) = self.window() {
            inflater.extend_history(window, bytes);
            self.has_window = true;
        }
    }

    /// Bits that were read and not used, and how many.
    pub fn bits(&self) -> (u64, u32) {
        self.inflater.bits()
    }

    /// `inflatePrime`
    pub fn prime(&mut self, bits: c_int, value: c_int) -> c_int {
        if bits < 0 {
            self.inflater.drop_bits();
            return Z_OK;
        }
        if self.inflater.prime(bits as u32, value as u32) { Z_OK } else { Z_STREAM_ERROR }
    }

    /// `inflateMark`
    pub fn mark(&self) -> c_long {
        let taken = self.inflater.bits_taken().map_or(-1, c_long::from);
        let done = if self.section == Section::Blocks { self.inflater.part_done() } else { 0 };
        taken * (1 << 16) + done as c_long
    }

    /// `inflateCodesUsed`
    pub fn entries(&self) -> usize {
        self.inflater.entries()
    }

    /// `inflateSyncPoint`
    pub fn is_at_sync_point(&self) -> bool {
        self.section == Section::Blocks && self.inflater.is_before_stored()
    }
}
