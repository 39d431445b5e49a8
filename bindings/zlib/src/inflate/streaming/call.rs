//! `inflate` on our streaming decoder.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_DATA_ERROR, Z_FINISH, Z_MEM_ERROR, Z_OK, Z_STREAM_END, Z_STREAM_ERROR, Z_TREES,
};
use pelton_codec::{StreamState, StreamStop};

use super::super::state::State;
use super::super::wrap::{self, HeaderKind};
use super::{AFTER_HEADER, BEFORE_HEADER, LAST, Section, StreamDecoder};
use crate::stream::Open;

impl Open<'_, State> {
    /// Runs `inflate` on our decoder. `was_read` tells whether this call has read the header.
    pub fn decode_streaming(&mut self, flush: c_int, was_read: bool) -> c_int {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let stop = match flush {
            Z_BLOCK => StreamStop::Blocks,
            Z_TREES => StreamStop::Headers,
            _ => StreamStop::Never,
        };
        // SAFETY: the caller's buffers are as long as it says; the output is written before it is
        // read.
        let (input, output) = unsafe {
            let input = match strm.avail_in {
                0 => &[],
                len => slice::from_raw_parts(strm.next_in, len as usize),
            };
            (input, slice::from_raw_parts_mut(strm.next_out, strm.avail_out as usize))
        };
        let Some(decoder) = &mut state.decoder else { return Z_STREAM_ERROR };
        if matches!(decoder.section, Section::Searching(_)) {
            return Z_STREAM_ERROR;
        }
        let (mut read, mut written, mut stopped) = (0, 0, 0);
        if decoder.section == Section::Blocks {
            let StreamDecoder { inflater, window, .. } = decoder;
            let Some((done, end)) = window.inflate(inflater, input, output, stop) else {
                strm.msg = c"insufficient memory".as_ptr().cast_mut();
                return Z_MEM_ERROR;
            };
            (read, written) = (done.consumed, done.produced);
            decoder.produced += written as u64;
            match end {
                StreamState::Going => {}
                StreamState::BeforeHeader => stopped = BEFORE_HEADER,
                StreamState::AfterHeader => stopped = AFTER_HEADER,
                StreamState::Ended => {
                    decoder.section = if state.wrap == 0 { Section::End } else { Section::Checksum }
                }
                StreamState::Bad(fault) => {
                    strm.msg = fault.message().as_ptr().cast_mut();
                    decoder.section = Section::Damaged;
                }
            }
        }
        strm.next_out = strm.next_out.wrapping_add(written);
        strm.avail_out -= written as u32;
        strm.total_out += written as u64;
        if written > 0
            && let Some(sum) = state.check(&output[..written])
        {
            strm.adler = sum;
        }
        read += self.read_trailer(&input[read..]);
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        strm.next_in = strm.next_in.wrapping_add(read);
        strm.avail_in -= read as u32;
        strm.total_in += read as u64;
        let Some(decoder) = &mut state.decoder else { return Z_STREAM_ERROR };
        let makes_window = match decoder.section {
            Section::Blocks => true,
            Section::Checksum => flush != Z_FINISH,
            Section::End if state.wrap == 0 => flush != Z_FINISH,
            Section::Length | Section::End | Section::Damaged | Section::Searching(_) => false,
        };
        decoder.has_window |= makes_window && written > 0;
        if !decoder.has_window {
            decoder.inflater.forget_history();
        }
        let last = if decoder.inflater.is_last() { LAST } else { 0 };
        strm.data_type = decoder.bits().1 as c_int + last + stopped;
        match decoder.section {
            Section::End => Z_STREAM_END,
            Section::Damaged => Z_DATA_ERROR,
            _ if read == 0 && written == 0 && !was_read || flush == Z_FINISH => Z_BUF_ERROR,
            _ => Z_OK,
        }
    }

    /// Verifies the trailer. Returns the bytes read.
    fn read_trailer(&mut self, input: &[u8]) -> usize {
        let mut read = 0;
        let sum = self.state.sum();
        let (is_checked, header_kind) = (self.state.wrap & wrap::CHECKED != 0, self.state.header_kind);
        let behind = if self.state.has_length() { Section::Length } else { Section::End };
        let Some(decoder) = &mut self.state.decoder else { return 0 };
        while matches!(decoder.section, Section::Checksum | Section::Length) {
            let (len, word) = decoder.inflater.word(&input[read..]);
            read += len;
            let Some(word) = word else { break };
            let (is_right, message, next) = match (decoder.section, header_kind) {
                (Section::Length, _) => {
                    (word == decoder.produced as u32, c"incorrect length check", Section::End)
                }
                (_, HeaderKind::Gzip | HeaderKind::BadGzip) => (word == sum, c"incorrect data check", behind),
                _ => (word.swap_bytes() == sum, c"incorrect data check", behind),
            };
            if is_checked && !is_right {
                self.strm.msg = message.as_ptr().cast_mut();
                decoder.section = Section::Damaged;
            } else {
                decoder.inflater.drop_bits();
                decoder.section = next;
            }
        }
        read
    }
}
