//! Handover to zlib-rs of a stream that was decoded without it, with header and history.

use std::collections::TryReserveError;

use libz_rs_sys as rs;
use rs::{Z_FINISH, Z_SYNC_FLUSH};

use super::state::State;
use super::wrap::HeaderKind;
use crate::stream::{self, Open};

/// The largest distance of a match.
const WINDOW: usize = 32 << 10;
/// gzip's header without optional fields.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

impl State {
    /// Retains the end of a one-shot stream as history. zlib does so for raw streams, unless
    /// `flush` promises that one call is all; for others it retains nothing that came with the
    /// checksum. Without memory there is no history.
    pub fn retain(&mut self, uncompressed: &[u8], flush: i32) {
        self.history.clear();
        let end = &uncompressed[uncompressed.len().saturating_sub(WINDOW)..];
        if self.wrap == 0 && flush != Z_FINISH && self.history.extend_from_slice(end).is_err() {
            self.history.clear();
        }
    }

    /// Returns the history of a stream that has ended, or that our decoder has.
    pub fn retained(&self) -> &[u8] {
        match &self.decoder {
            Some(decoder) if self.is_native => decoder.history(),
            _ if self.has_ended => &self.history,
            _ => &[],
        }
    }

    /// Returns a stream that begins like this one and has the history in a stored block, and an
    /// output of its size.
    fn stored(&self) -> Result<(Vec<u8>, Vec<u8>), TryReserveError> {
        let retained = self.retained();
        let (mut stream, mut room) = (Vec::new(), Vec::new());
        stream.try_reserve_exact(GZIP.len() + 5 + retained.len())?;
        room.try_reserve_exact(retained.len())?;
        if self.header_kind == HeaderKind::Zlib {
            let bits = if self.window_bits & 15 == 0 { 15 } else { self.window_bits & 15 };
            let method = (bits as u16 - 8) << 12 | 8 << 8;
            // The header is a multiple of 31.
            stream.extend_from_slice(&(method + 31 - method % 31).to_be_bytes());
        } else if self.header_kind == HeaderKind::Gzip {
            stream.extend_from_slice(&GZIP);
        }
        let len = retained.len() as u16;
        stream.push(0);
        stream.extend_from_slice(&len.to_le_bytes());
        stream.extend_from_slice(&(!len).to_le_bytes());
        stream.extend_from_slice(retained);
        room.resize(retained.len(), 0);
        Ok((stream, room))
    }
}

impl Open<'_, State> {
    /// Makes zlib-rs continue a stream that it did not begin: it decodes a stream with the same
    /// header and the retained history. The block that has begun is lost.
    pub fn hand_over(&mut self) {
        if !self.state.has_ended && !self.state.is_native {
            return;
        }
        let Ok((stored, mut room)) = self.state.stored() else { return };
        let Ok(inner) = self.state.open() else { return };
        (inner.next_in, inner.avail_in) = (stored.as_ptr(), stored.len() as u32);
        (inner.next_out, inner.avail_out) = (room.as_mut_ptr(), room.len() as u32);
        // SAFETY: the stream is open, on those two.
        unsafe {
            rs::inflateReset(inner);
            rs::inflate(inner, Z_SYNC_FLUSH);
        }
        stream::detach(inner);
        self.state.is_native = false;
        self.state.validate();
    }
}
