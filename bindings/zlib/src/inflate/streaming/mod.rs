//! Streaming decompression: Pelton's decoder on input and output of any size.
//!
//! A call reads, writes and returns the same as zlib's ([`call`]). zlib-rs reads headers that are
//! unusual, or incomplete in the first call ([`begin`]).

mod begin;
mod call;
mod sync;
mod window;

use std::ffi::{c_int, c_long};

use libz_rs_sys::{Z_OK, Z_STREAM_ERROR, z_stream};
use pelton_codec::StreamInflater;
use window::StreamWindow;
pub use window::free_pool;

use crate::memory::Placed;
use crate::settings::settings;

/// Mask in `data_type` for the number of bits that were read but not used.
const LEFT: c_int = 63;
/// The last block has begun.
const LAST: c_int = 64;
/// A block's header comes next.
const BEFORE_HEADER: c_int = 128;
/// A block's header has just been read.
const AFTER_HEADER: c_int = 256;

/// The next part of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    Blocks,
    /// The checksum behind the blocks.
    Checksum,
    /// gzip's length.
    Length,
    End,
    /// Nothing: the data is damaged.
    Damaged,
    /// Any data, as `inflateSync` searches for a marker; the number of its bytes found so far.
    Searching(usize),
}

/// A decoder and its window.
pub struct StreamDecoder {
    /// On the heap, with its tables of 12 KB.
    inflater: Placed<StreamInflater>,
    window: StreamWindow,
    section: Section,
    /// Bytes written.
    produced: u64,
    /// Whether zlib would have a window by now.
    has_window: bool,
}

impl StreamDecoder {
    fn new(strm: &z_stream) -> Option<Self> {
        let window = StreamWindow::new(strm)?;
        Some(Self {
            // SAFETY: the caller answers for its allocator, which is there as long as its streams.
            inflater: unsafe {
                Placed::copy_of(strm, StreamInflater::with_isa_level(settings().instructions))
            }?,
            window,
            section: Section::Blocks,
            produced: 0,
            has_window: false,
        })
    }

    fn restart(&mut self, reach: usize, has_container: bool) {
        self.inflater.restart(reach, has_container);
        self.window.clear();
        (self.section, self.produced, self.has_window) = (Section::Blocks, 0, false);
    }

    /// Continues with blocks that do not refer to earlier data.
    fn restart_blocks(&mut self) {
        let reach = self.inflater.reach();
        // They count as raw blocks: a call that begins here does not stop here.
        self.restart(reach, false);
    }

    /// Returns a copy in memory of another stream.
    pub fn copy_for(&self, strm: &z_stream) -> Option<Self> {
        // SAFETY: as above.
        let inflater = unsafe { Placed::copy_of(strm, &*self.inflater) }?;
        Some(Self { inflater, window: self.window.copy().ok()?, ..*self })
    }

    /// Returns the output that matches may refer to.
    pub fn history(&self) -> &[u8] {
        self.inflater.history(self.window.bytes())
    }

    /// Appends to the history. Returns whether there is memory for it.
    pub fn extend_history(&mut self, bytes: &[u8]) -> bool {
        let append = |inflater: &mut StreamInflater, window: &mut _| inflater.extend_history(window, bytes);
        let is_done = self.window.with(&mut self.inflater, bytes.len(), append).is_some();
        self.has_window |= is_done;
        is_done
    }

    /// Returns the bits that were read but not used, and their number.
    pub fn bits(&self) -> (u64, u32) {
        self.inflater.bits()
    }

    /// As `inflatePrime`.
    pub fn prime(&mut self, bits: c_int, value: c_int) -> c_int {
        if bits < 0 {
            self.inflater.drop_bits();
            return Z_OK;
        }
        if self.inflater.prime(bits as u32, value as u32) { Z_OK } else { Z_STREAM_ERROR }
    }

    /// As `inflateMark`.
    pub fn mark(&self) -> c_long {
        let taken = self.inflater.bits_taken().map_or(-1, c_long::from);
        let done = if self.section == Section::Blocks { self.inflater.part_done() } else { 0 };
        taken * (1 << 16) + done as c_long
    }

    /// As `inflateCodesUsed`.
    pub fn entries(&self) -> usize {
        self.inflater.entries()
    }

    /// As `inflateSyncPoint`.
    pub fn is_at_sync_point(&self) -> bool {
        self.section == Section::Blocks && self.inflater.is_before_stored()
    }
}
