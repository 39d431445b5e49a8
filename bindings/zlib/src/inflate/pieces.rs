//! A stream that comes in pieces, decoded by Pelton's codec: everything but headers that come in pieces themselves, or are unusual.
//!
//! What a call reads and writes, and what it returns, is what zlib would read, write and return.

use std::ffi::{c_int, c_long};
use std::slice;

use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_DATA_ERROR, Z_FINISH, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_TREES, z_stream,
};
use pelton_codec::{STREAM_WINDOW, StreamInflater, StreamState, StreamStop};

use super::state::State;
use super::whole;
use super::wrap::{self, Seen};
use crate::buffer::Buffer;
use crate::memory::Placed;
use crate::settings::settings;
use crate::stats::Reason;
use crate::stream::Open;

/// Bits of `data_type`: the last block has begun, a block's header comes next, and one was just read.
const LAST: c_int = 64;
const BEFORE_HEADER: c_int = 128;
const AFTER_HEADER: c_int = 256;

/// What of a stream comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Blocks,
    /// The checksum after them.
    Sum,
    /// gzip's length.
    Length,
    Nothing,
    /// Something was wrong.
    Damage,
}

/// A decoder, and its window.
pub struct Pieces {
    inflater: StreamInflater,
    window: Buffer,
    part: Part,
    /// Bytes that the stream gave.
    produced: u64,
}

impl Pieces {
    fn new(strm: &z_stream) -> Option<Placed<Self>> {
        let mut window = Buffer::new(strm);
        window.resize(STREAM_WINDOW).ok()?;
        let pieces = Self { inflater: StreamInflater::new(0), window, part: Part::Blocks, produced: 0 };
        // SAFETY: the caller answers for its allocator, which is there as long as its streams.
        unsafe { Placed::new(strm, pieces) }
    }

    fn restart(&mut self, reach: usize, has_container: bool) {
        self.inflater.restart(reach, has_container);
        (self.part, self.produced) = (Part::Blocks, 0);
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
        taken * (1 << 16) + self.inflater.part_done() as c_long
    }

    /// `inflateCodesUsed`
    pub fn entries(&self) -> usize {
        self.inflater.entries()
    }

    /// `inflateSyncPoint`
    pub fn is_at_sync_point(&self) -> bool {
        self.inflater.is_before_stored()
    }
}

impl Open<'_, State> {
    /// The decoder, if the stream is its.
    pub fn ours(&mut self) -> Option<&mut Pieces> {
        self.state.pieces.as_deref_mut().filter(|_| self.state.is_ours)
    }

    /// Whether the stream is ours, which is decided with its first call.
    pub fn is_ours(&mut self) -> bool {
        if self.state.is_new && settings().accelerate {
            self.state.reason = Reason::HeaderNotWhole;
            if self.begin_ours().is_none() {
                self.state.is_ours = false;
            }
        }
        self.state.is_ours
    }

    /// Begins a stream with its header; none if that is zlib-rs's to read, or without memory.
    fn begin_ours(&mut self) -> Option<()> {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        if !state.header.is_null() {
            state.reason = Reason::Header;
            return None;
        }
        let input = match strm.avail_in {
            0 => &[],
            // SAFETY: the caller's buffer is as long as it says.
            len => unsafe { slice::from_raw_parts(strm.next_in, len as usize) },
        };
        let (len, seen) = whole::header(input, state.wrap, state.window_bits)?;
        // As zlib's window: what `windowBits` says, or else the header.
        let bits = match state.window_bits.abs() & 15 {
            0 if seen == Seen::Zlib => c_int::from(input[0] >> 4) + 8,
            0 => 15,
            bits => bits,
        };
        let pieces = match &mut state.pieces {
            Some(pieces) => pieces,
            empty => empty.insert(Pieces::new(strm)?),
        };
        pieces.restart(1 << bits, seen != Seen::Nothing);
        strm.next_in = strm.next_in.wrapping_add(len);
        strm.avail_in -= len as u32;
        strm.total_in += len as u64;
        state.reason = Reason::Other;
        if let Some(sum) = state.begin_ours(seen) {
            strm.adler = sum;
        }
        Some(())
    }

    /// `inflate` of a stream that is ours. `was_read` says whether this call has read its header.
    pub fn decode_piece(&mut self, flush: c_int, was_read: bool) -> c_int {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let stop = match flush {
            Z_BLOCK => StreamStop::Blocks,
            Z_TREES => StreamStop::Headers,
            _ => StreamStop::Never,
        };
        // SAFETY: the caller's buffers are as long as it says; the output is written before it is read.
        let (input, output) = unsafe {
            let input = match strm.avail_in {
                0 => &[],
                len => slice::from_raw_parts(strm.next_in, len as usize),
            };
            (input, slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize))
        };
        let Some(pieces) = &mut state.pieces else { return Z_STREAM_ERROR };
        let (mut read, mut written, mut stopped) = (0, 0, 0);
        if pieces.part == Part::Blocks {
            let Some((inflater, window)) = pieces.window() else { return Z_STREAM_ERROR };
            let (done, end) = inflater.inflate(window, input, output, stop);
            (read, written) = (done.consumed, done.produced);
            pieces.produced += written as u64;
            match end {
                StreamState::Going => {}
                StreamState::BeforeHeader => stopped = BEFORE_HEADER,
                StreamState::AfterHeader => stopped = AFTER_HEADER,
                StreamState::Ended => pieces.part = if state.wrap == 0 { Part::Nothing } else { Part::Sum },
                StreamState::Bad(fault) => {
                    strm.msg = fault.message().as_ptr().cast_mut();
                    pieces.part = Part::Damage;
                }
            }
        }
        strm.next_out = strm.next_out.wrapping_add(written);
        strm.avail_out -= written as u32;
        strm.total_out += written as u64;
        if let Some(sum) = state.check(&output[..written]) {
            strm.adler = sum;
        }
        read += self.read_trailer(&input[read..]);
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        strm.next_in = strm.next_in.wrapping_add(read);
        strm.avail_in -= read as u32;
        strm.total_in += read as u64;
        let Some(pieces) = &mut state.pieces else { return Z_STREAM_ERROR };
        let has_kept = match pieces.part {
            Part::Blocks | Part::Sum => true,
            Part::Nothing if state.wrap == 0 => flush != Z_FINISH,
            Part::Length | Part::Nothing | Part::Damage => false,
        };
        if !has_kept && pieces.produced == written as u64 {
            // zlib has no window yet, and makes none for that.
            pieces.inflater.forget_history();
        }
        let last = if pieces.inflater.is_last() { LAST } else { 0 };
        strm.data_type = pieces.bits().1 as c_int + last + stopped;
        match pieces.part {
            Part::Nothing => Z_STREAM_END,
            Part::Damage => Z_DATA_ERROR,
            _ if read == 0 && written == 0 && !was_read || flush == Z_FINISH => Z_BUF_ERROR,
            _ => Z_OK,
        }
    }

    /// Compares what comes after the blocks with what they gave; how many bytes were read.
    fn read_trailer(&mut self, input: &[u8]) -> usize {
        let mut read = 0;
        let sum = self.state.sum();
        let (is_checked, seen) = (self.state.wrap & wrap::CHECKED != 0, self.state.seen);
        let Some(pieces) = &mut self.state.pieces else { return 0 };
        while matches!(pieces.part, Part::Sum | Part::Length) {
            let (len, word) = pieces.inflater.word(&input[read..]);
            read += len;
            let Some(word) = word else { break };
            let (is_right, message, next) = match (pieces.part, seen) {
                (Part::Length, _) => {
                    (word == pieces.produced as u32, c"incorrect length check", Part::Nothing)
                }
                (_, Seen::Gzip) => (word == sum, c"incorrect data check", Part::Length),
                _ => (word.swap_bytes() == sum, c"incorrect data check", Part::Nothing),
            };
            if is_checked && !is_right {
                self.strm.msg = message.as_ptr().cast_mut();
                pieces.part = Part::Damage;
            } else {
                pieces.inflater.drop_bits();
                pieces.part = next;
            }
        }
        read
    }
}
