//! Begin of a stream in our decoder: with its first call, or once zlib-rs has read its header.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys as rs;
use rs::{Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_MEM_ERROR, Z_OK, Z_TREES, z_stream};

use super::super::state::State;
use super::super::wrap::{self, HeaderKind};
use super::{BEFORE_HEADER, LEFT, StreamDecoder};
use crate::buffer::Buffer;
use crate::settings::settings;
use crate::stream::{self, Open};

impl State {
    /// Returns the decoder at the beginning of a stream; `None` without memory.
    fn begin_decoder(
        &mut self,
        strm: &z_stream,
        header_kind: HeaderKind,
        first: u8,
    ) -> Option<&mut StreamDecoder> {
        // The window has the size in `windowBits`, or else that in the header, as zlib's has.
        let bits = match self.window_bits.abs() & 15 {
            0 if header_kind == HeaderKind::Zlib => (c_int::from(first >> 4) + 8).min(15),
            0 => 15,
            bits => bits,
        };
        let decoder = match &mut self.decoder {
            Some(decoder) => decoder,
            empty => empty.insert(StreamDecoder::new(strm)?),
        };
        decoder.restart(1 << bits, header_kind != HeaderKind::Unknown);
        Some(decoder)
    }
}

impl Open<'_, State> {
    /// Returns whether our decoder has the stream, and begins it if its header is complete and
    /// usual.
    pub fn ensure_native(&mut self) -> bool {
        self.state.is_native || self.can_begin() && self.begin_native().is_some()
    }

    fn can_begin(&self) -> bool {
        self.state.is_new && !self.state.has_ended && settings().accelerate
    }

    /// Begins a stream with its header. `None` if zlib-rs has to read that, or without memory.
    fn begin_native(&mut self) -> Option<()> {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        if !state.header.is_null() {
            return None;
        }
        // A call that begins a raw stream need not have input.
        let input = match strm.avail_in {
            len if len > 0 && state.wrap != 0 => {
                // SAFETY: the caller's buffer is as long as it says.
                unsafe { slice::from_raw_parts(strm.next_in, len as usize) }
            }
            _ => &[],
        };
        let (len, header_kind) = wrap::header(input, state.wrap, state.window_bits)?;
        state.begin_decoder(strm, header_kind, input.first().copied().unwrap_or_default())?;
        strm.next_in = strm.next_in.wrapping_add(len);
        strm.avail_in -= len as u32;
        strm.total_in += len as u64;
        if let Some(sum) = state.begin_native(header_kind) {
            strm.adler = sum;
        }
        Some(())
    }

    /// Begins another raw stream, with the history of the one before. Returns the code.
    pub fn restart_raw(&mut self) -> c_int {
        let mut history = Buffer::new(self.strm);
        if history.extend_from_slice(self.state.retained()).is_err() {
            return Z_MEM_ERROR;
        }
        self.begin();
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let decoder = state.begin_decoder(strm, HeaderKind::Unknown, 0);
        if !decoder.is_some_and(|decoder| decoder.extend_history(&history)) {
            return Z_MEM_ERROR;
        }
        state.begin_native(HeaderKind::Unknown);
        Z_OK
    }

    /// Runs `inflate` of zlib-rs until the header of a stream for our decoder has been read.
    pub fn read_header(&mut self, flush: c_int) -> c_int {
        let begun = (self.strm.total_in, self.strm.total_out);
        if self.state.is_new && self.strm.avail_in > 0 {
            // SAFETY: the caller's buffer is as long as it says.
            self.state.start[0] = unsafe { *self.strm.next_in };
        }
        let is_header = self.state.is_header();
        let asked = if is_header { Z_BLOCK } else { flush };
        // SAFETY: the stream of zlib-rs is open, on the caller's buffers.
        let mut code = self.delegate_inflate(asked, |inner| unsafe { rs::inflate(inner, asked) });
        if !is_header || !matches!(code, Z_OK | Z_BUF_ERROR) {
            return code;
        }
        if self.strm.data_type & BEFORE_HEADER != 0 {
            // No bit of the bytes before the block is left, so they are the stream's header.
            let is_whole = self.strm.data_type & LEFT == 0 && self.strm.total_out == begun.1;
            if is_whole
                && matches!(self.state.header_kind, HeaderKind::Gzip | HeaderKind::Zlib)
                && self.take_over().is_some()
            {
                return self.decode_streaming(flush, self.strm.total_in != begun.0);
            }
            self.state.keep_delegated();
            if !matches!(flush, Z_BLOCK | Z_TREES) {
                // SAFETY: the same.
                code = self.delegate_inflate(flush, |inner| unsafe { rs::inflate(inner, flush) });
            }
        }
        let has_moved = (self.strm.total_in, self.strm.total_out) != begun;
        match code {
            Z_OK if flush == Z_FINISH => Z_BUF_ERROR,
            Z_BUF_ERROR if flush != Z_FINISH && has_moved => Z_OK,
            code => code,
        }
    }

    /// Takes a stream from zlib-rs that goes on behind a marker, if there is memory: zlib-rs takes
    /// the content of a stored block for its lengths if it was to stop between them.
    pub fn resume(&mut self) {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let (header_kind, first) = (state.header_kind, state.start[0]);
        if !settings().accelerate || state.begin_decoder(strm, header_kind, first).is_none() {
            return;
        }
        if let Some(decoder) = &mut state.decoder {
            decoder.restart_blocks();
        }
        (state.is_native, state.is_delegated, state.has_no_sum) = (true, false, false);
        // SAFETY: the stream is open.
        unsafe { rs::inflateEnd(&mut state.inner) };
        state.inner = stream::unopened(strm);
    }

    /// Takes a stream from zlib-rs after its header; `None` without memory.
    fn take_over(&mut self) -> Option<()> {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let mut history = Buffer::new(strm);
        let mut len = 0;
        // SAFETY: the stream is open; first only the length is asked for, then there is room for as
        // much.
        unsafe {
            rs::inflateGetDictionary(&state.inner, std::ptr::null_mut(), &mut len);
            history.resize(len as usize).ok()?;
            if len > 0 {
                rs::inflateGetDictionary(&state.inner, history.as_mut_ptr(), &mut len);
            }
        }
        let (header_kind, first) = (state.header_kind, state.start[0]);
        let decoder = state.begin_decoder(strm, header_kind, first)?;
        // without history, zlib has no window yet
        (history.is_empty() || decoder.extend_history(&history)).then_some(())?;
        state.has_no_sum = false;
        if let Some(sum) = state.begin_native(header_kind) {
            strm.adler = sum;
        }
        // SAFETY: the stream is open.
        unsafe { rs::inflateEnd(&mut state.inner) };
        state.inner = stream::unopened(strm);
        Some(())
    }
}
