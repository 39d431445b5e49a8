//! One raw stream that comes and goes in pieces of any sizes, as zlib's `inflate` has them.
//!
//! Every call reads and returns the same bytes as zlib would: it reads no input beyond the symbols
//! that fill the output, except the one symbol that does not fit. Output beyond the returned bytes
//! stays as it is.
//!
//! Symbols are decoded from tables with links ([`tables`]), without checks where input and room are
//! plenty ([`unchecked`]), and by [`symbols`] near their ends. They are written to a [sliding
//! window](sliding_window) of 112 KB, so that matches find the bytes of earlier calls next to the
//! new ones, and copied to the caller; or directly to the caller's output, if it holds everything
//! within reach of matches.

mod bit_reader;
mod call;
mod fault;
mod header;
mod output;
mod sliding_window;
mod symbols;
mod tables;
mod unchecked;

use bit_reader::{BitReader, HeldBits};
use header::{Header, Part};
use output::Match;
use sliding_window::{MAX_DISTANCE, SlidingWindow};
use symbols::Symbols;
use tables::Tables;
use unchecked::Fast;

use crate::deflate::isa::IsaLevel;

pub(crate) use unchecked::touch_pages;

pub use fault::StreamFault;
pub use sliding_window::{MAX_KEPT, WINDOW};

/// Decodes a raw stream in pieces. All calls for a stream must pass the same window, with any
/// content at first.
///
/// Its state is 13 KB, and the window's 112.
#[derive(Clone, Copy)]
pub struct StreamInflater {
    mode: Mode,
    header: Header,
    symbols: Symbols,
    held: HeldBits,
    sliding_window: SlidingWindow,
    /// The farthest back that matches reach into calls before.
    reach: usize,
    /// The last symbol, if that was a match.
    last: Match,
    /// A match that has had no room yet reaches too far back.
    is_too_far: bool,
    fast: Fast,
    tables: Tables,
}

/// State of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// Before the first block's header.
    Begun,
    /// Before a block's header or the end, where the call before may have stopped.
    Between,
    Header,
    /// A stored block of this length has begun.
    StoredBegun(usize),
    /// Remaining bytes of a stored block.
    Stored(usize),
    Symbols,
    Ended,
    Bad(StreamFault),
}

/// Points at which a call stops although it could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamStop {
    /// Nowhere.
    Never,
    /// Before a block's header, as with zlib's `Z_BLOCK`.
    Blocks,
    /// And after it, as with `Z_TREES`.
    Headers,
}

/// State at the end of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamState {
    /// Input or room is missing.
    Going,
    /// It was to stop before a block's header, or the input ended there.
    BeforeHeader,
    /// It was to stop after it.
    AfterHeader,
    /// The stream has ended.
    Ended,
    /// The stream is damaged.
    Bad(StreamFault),
}

impl StreamInflater {
    /// A decoder without a stream, to be copied to the heap: made in place, it would be on the
    /// stack first.
    pub const NEW: Self = Self::new(0);

    /// The same of lower ISA levels.
    const AVX2: Self = Self::limited(0, IsaLevel::Avx2);
    const PORTABLE: Self = Self::limited(0, IsaLevel::Portable);

    /// Returns a decoder without a stream, which uses no higher ISA level.
    pub fn with_isa_level(isa_level: IsaLevel) -> &'static Self {
        match isa_level {
            IsaLevel::Portable => &Self::PORTABLE,
            IsaLevel::Avx2 => &Self::AVX2,
            IsaLevel::Avx512 => &Self::NEW,
        }
    }

    /// Returns a decoder for a bare stream with matches of at most `reach` bytes back into earlier
    /// calls' output: the size of zlib's window, at most 32 KB.
    pub const fn new(reach: usize) -> Self {
        Self {
            mode: Mode::Header,
            header: Header::NEW,
            symbols: Symbols::NEW,
            held: HeldBits { bits: 0, count: 0 },
            sliding_window: SlidingWindow { floor: 0, given: 0, end: 0 },
            reach: if reach < MAX_DISTANCE { reach } else { MAX_DISTANCE },
            last: Match { len: 0, distance: 0 },
            is_too_far: false,
            fast: Fast::UpTo(IsaLevel::Avx512),
            tables: Tables::EMPTY,
        }
    }

    /// Returns a decoder that uses no higher ISA level, as on processors without one.
    pub const fn limited(reach: usize, isa_level: IsaLevel) -> Self {
        Self { fast: Fast::UpTo(isa_level), ..Self::new(reach) }
    }

    /// Returns a decoder that decodes every symbol with all checks: the reference for the unchecked
    /// code.
    pub const fn checked(reach: usize) -> Self {
        Self { fast: Fast::Never, ..Self::new(reach) }
    }

    /// Begins another stream, without the history of the one before. After a container's header,
    /// zlib can be stopped before the first block.
    pub fn restart(&mut self, reach: usize, has_container: bool) {
        self.mode = if has_container { Mode::Begun } else { Mode::Header };
        (self.symbols, self.held) = (Symbols::NEW, HeldBits::default());
        (self.header.part, self.header.is_last) = (Part::Kind, false);
        (self.sliding_window, self.reach) = (SlidingWindow::default(), reach.min(MAX_DISTANCE));
        (self.last, self.is_too_far) = (Match::default(), false);
    }

    /// Returns the maximum distance of matches into earlier calls' output.
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// Returns whether the last block has begun.
    pub fn is_last(&self) -> bool {
        self.header.is_last
    }

    /// Returns the bits that were read and not used, the next one lowest, and their number.
    pub fn bits(&self) -> (u64, u32) {
        (self.held.bits, self.held.count)
    }

    /// Forgets those.
    pub fn drop_bits(&mut self) {
        self.held = HeldBits::default();
    }

    /// Reads the next 32 bits after the stream. Returns the number of input bytes read for them,
    /// and the bits once all are there. They stay until [`Self::drop_bits`].
    pub fn word(&mut self, input: &[u8]) -> (usize, Option<u32>) {
        let mut bits = BitReader::new(self.held, input);
        let word = bits.need(32).then(|| bits.peek(32) as u32);
        self.held = bits.held();
        (bits.at, word)
    }

    /// Puts up to 16 bits before the next ones. Returns whether they fit; there is room for 32.
    pub fn prime(&mut self, count: u32, value: u32) -> bool {
        if count > 16 || self.held.count + count > 32 {
            return false;
        }
        self.held.bits |= u64::from(value & ((1 << count) - 1)) << self.held.count;
        self.held.count += count;
        true
    }

    /// Entries of tables that the last block's header filled.
    pub fn entries(&self) -> usize {
        self.tables.used
    }

    /// Returns whether the stream is at the lengths of a stored block, with no bit read of them.
    pub fn is_before_stored(&self) -> bool {
        self.mode == Mode::Header && self.header.part == Part::StoredLength && self.held.count == 0
    }

    /// Returns the bytes given to the caller that are within reach of matches.
    pub fn history<'a>(&self, window: &'a [u8]) -> &'a [u8] {
        let SlidingWindow { floor, given, .. } = self.sliding_window;
        &window[floor.max(given.saturating_sub(self.reach))..given]
    }

    /// Returns the bytes of the window that later calls need. The next call gets a window that
    /// begins with them.
    pub fn keep<'a>(&mut self, window: &'a [u8; WINDOW]) -> &'a [u8] {
        self.sliding_window.limit(self.reach);
        let SlidingWindow { floor, given, end } = self.sliding_window;
        self.sliding_window = SlidingWindow { floor: 0, given: given - floor, end: end - floor };
        &window[floor..end]
    }

    /// Forgets all that matches could reach back to.
    pub fn forget_history(&mut self) {
        self.sliding_window.floor = self.sliding_window.given;
    }

    /// Appends bytes to those given to the caller.
    pub fn extend_history(&mut self, window: &mut [u8; WINDOW], bytes: &[u8]) {
        self.sliding_window.insert(window, bytes, self.last);
        if self.is_too_far && !self.sliding_window.is_pending() {
            // It may not do so any more.
            self.is_too_far = !self.sliding_window.repeat(window, self.last);
        }
    }

    /// Returns the remaining bytes of a stored block, or the given part of a last match that is
    /// incomplete.
    pub fn part_done(&self) -> usize {
        match self.mode {
            Mode::Stored(left) => left,
            _ if self.sliding_window.is_pending() => {
                self.last.len.saturating_sub(self.sliding_window.end - self.sliding_window.given)
            }
            _ => 0,
        }
    }

    /// Bits that were taken of the symbol that is read or has no room; `None` between blocks.
    pub fn bits_taken(&self) -> Option<u32> {
        match self.mode {
            Mode::Symbols => Some(self.symbols.taken),
            _ => None,
        }
    }
}
