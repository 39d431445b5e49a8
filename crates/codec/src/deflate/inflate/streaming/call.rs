//! One call: as much of the stream as there is input and room for.

use super::bit_reader::BitReader;
use super::header::{Block, Part};
use super::output::OutputRegion;
use super::sliding_window::{MARGIN, MAX_DISTANCE, WINDOW};
use super::symbols::{Stop, Symbols};
use super::unchecked::{PAST, touch_pages};
use super::{Mode, StreamFault, StreamInflater, StreamState, StreamStop};
use crate::Progress;
use crate::deflate::inflate::speculative::BlockStart;

/// Minimum room in the output for decoding directly to it. Its old bytes have to be kept meanwhile,
/// and its last 32 KB be copied to the window later, which costs more for less.
const DIRECT: usize = 48 << 10;

/// Bytes of the output that are decoded to at a time, where copies write past their ends. Their old
/// content is kept in the window until the end of the data within them is known.
const CHUNK: usize = 8 << 10;

/// Input, output and progress of a call.
struct Call<'a> {
    bits: BitReader<'a>,
    window: &'a mut [u8; WINDOW],
    output: &'a mut [u8],
    produced: usize,
    /// End of the output bytes that the window has, too.
    known: usize,
    /// All that matches reach is in the output.
    is_whole: bool,
    /// No later call goes on with the stream.
    is_only: bool,
}

impl StreamInflater {
    /// Decodes as much of the stream in `input` as is there and fits `output`.
    pub fn inflate(
        &mut self,
        window: &mut [u8; WINDOW],
        input: &[u8],
        output: &mut [u8],
        stop: StreamStop,
    ) -> (Progress, StreamState) {
        self.sliding_window.limit(self.reach);
        // The maximum distance may have become smaller between calls.
        self.is_too_far |= self.sliding_window.is_pending() && self.last.distance > self.sliding_window.len();
        let is_whole = self.sliding_window.floor == self.sliding_window.end;
        let bits = BitReader::new(self.held, input);
        self.run(Call { bits, window, output, produced: 0, known: 0, is_whole, is_only: false }, stop)
    }

    /// Decodes a stream that has just begun from a later block on. `output` has all before it. No
    /// other call goes on with the stream.
    pub(crate) fn inflate_from(
        &mut self,
        window: &mut [u8; WINDOW],
        input: &[u8],
        output: &mut [u8],
        BlockStart { bit, produced }: BlockStart,
        stop: StreamStop,
    ) -> (Progress, StreamState) {
        let mut bits = BitReader::new(self.held, input);
        bits.skip_to(bit);
        self.run(Call { bits, window, output, produced, known: 0, is_whole: true, is_only: true }, stop)
    }

    fn run(&mut self, mut call: Call<'_>, stop: StreamStop) -> (Progress, StreamState) {
        // A call that begins before a block's header does not stop there, nor report it if the
        // input ends there.
        let mut has_begun_there = self.mode == Mode::Between;
        let mut is_told = false;
        let state = loop {
            if (self.sliding_window.is_pending() || self.is_too_far) && call.produced == call.output.len() {
                break StreamState::Going;
            }
            if std::mem::take(&mut self.is_too_far) {
                self.sliding_window.drop_pending();
                self.mode = Mode::Bad(StreamFault::TooFar);
            }
            self.give(&mut call);
            if self.sliding_window.is_pending() {
                break StreamState::Going;
            }
            let result = match self.mode {
                Mode::Begun => Ok(Some(Mode::Between)),
                Mode::Between if stop != StreamStop::Never && !has_begun_there => {
                    break StreamState::BeforeHeader;
                }
                Mode::Between if self.header.is_last => {
                    call.bits.align();
                    Ok(Some(Mode::Ended))
                }
                Mode::Between => {
                    is_told = !has_begun_there;
                    has_begun_there = false;
                    self.header.part = Part::Kind;
                    Ok(Some(Mode::Header))
                }
                Mode::Header => self.header(&mut call),
                Mode::StoredBegun(len) => Ok(Some(Mode::Stored(len))),
                Mode::Stored(left) => Ok(stored(left, &mut call)),
                Mode::Symbols => self.symbols(&mut call),
                Mode::Ended => break StreamState::Ended,
                Mode::Bad(fault) => break StreamState::Bad(fault),
            };
            let was_header = self.mode == Mode::Header;
            match result {
                Ok(Some(mode)) => self.mode = mode,
                Ok(None) if was_header && is_told && self.header.part == Part::Kind => {
                    break StreamState::BeforeHeader;
                }
                Ok(None) => break StreamState::Going,
                Err(fault) => self.mode = Mode::Bad(fault),
            }
            let is_read = matches!(self.mode, Mode::StoredBegun(_) | Mode::Symbols);
            if stop == StreamStop::Headers && was_header && is_read {
                break StreamState::AfterHeader;
            }
        };
        if !call.is_only {
            self.know(&mut call);
        }
        self.held = call.bits.held();
        (Progress { consumed: call.bits.at, produced: call.produced }, state)
    }

    /// Copies decoded bytes to the caller.
    fn give(&mut self, call: &mut Call<'_>) {
        let given = self.sliding_window.give(call.window, &mut call.output[call.produced..]);
        if given > 0 {
            call.produced += given;
            call.known = call.produced;
        }
    }

    /// Copies bytes to the window that were written to the output only.
    fn know(&mut self, call: &mut Call<'_>) {
        if call.known < call.produced {
            self.sliding_window.append(call.window, &call.output[call.known..call.produced]);
            call.known = call.produced;
        }
    }

    fn header(&mut self, call: &mut Call<'_>) -> Result<Option<Mode>, StreamFault> {
        let block = self.header.read(&mut call.bits, &mut self.tables)?;
        Ok(block.map(|block| match block {
            Block::Stored(len) => Mode::StoredBegun(len),
            Block::Compressed => {
                self.symbols = Symbols::NEW;
                Mode::Symbols
            }
        }))
    }

    /// Decodes symbols to the output or the window; the next mode, or none for want of input.
    fn symbols(&mut self, call: &mut Call<'_>) -> Result<Option<Mode>, StreamFault> {
        let left = call.output.len() - call.produced;
        let is_direct = left >= DIRECT && (call.is_whole || call.produced >= MAX_DISTANCE);
        let (last, is_exact) = (self.last, self.fast.is_exact());
        let before = call.produced;
        let mut region = if is_direct {
            let chunk = if is_exact { left } else { CHUNK };
            let until = (before + chunk).min(call.output.len() - MARGIN);
            // All that matches reach is in the output, so that the window has room.
            call.known = call.known.max(before.saturating_sub(MAX_DISTANCE));
            if !is_exact {
                let held = &mut call.output[before..until + MARGIN];
                touch_pages(held);
                call.window[..held.len()].copy_from_slice(held);
            }
            OutputRegion { bytes: call.output, floor: 0, at: before, until, last }
        } else {
            self.know(call);
            let until = self.sliding_window.make_room(call.window, left);
            let (floor, at) = (self.sliding_window.floor, self.sliding_window.end);
            OutputRegion { bytes: call.window, floor, at, until, last }
        };
        let stop = self.symbols.read(&self.tables, &mut call.bits, &mut region, self.fast);
        let at = region.at;
        self.last = region.last;
        if stop != Ok(Stop::Starved) {
            call.bits.give_back();
        }
        if is_direct {
            call.produced = at;
            if !is_exact {
                call.output[at..at + PAST].copy_from_slice(&call.window[at - before..][..PAST]);
            }
        } else {
            self.sliding_window.end = at;
            self.give(call);
        }
        if stop == Err(StreamFault::TooFar) && call.produced == call.output.len() {
            // zlib looks where a match reaches once it has room.
            self.is_too_far = true;
            return Ok(Some(Mode::Symbols));
        }
        Ok(match stop? {
            Stop::Starved => None,
            Stop::Full => Some(Mode::Symbols),
            Stop::Block => Some(Mode::Between),
        })
    }
}

/// Copies the available bytes of a stored block. Returns the next mode, or `None` if input or room
/// is missing.
fn stored(left: usize, call: &mut Call<'_>) -> Option<Mode> {
    if left == 0 {
        return Some(Mode::Between);
    }
    let bytes = call.bits.bytes(left.min(call.output.len() - call.produced));
    if bytes.is_empty() {
        return None;
    }
    call.output[call.produced..call.produced + bytes.len()].copy_from_slice(bytes);
    call.produced += bytes.len();
    Some(Mode::Stored(left - bytes.len()))
}
