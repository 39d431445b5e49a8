//! What a stream that was decoded whole leaves for the next one: `inflateResetKeep` lets that refer to it.

use std::collections::TryReserveError;

use libz_rs_sys as rs;
use rs::{Z_FINISH, Z_SYNC_FLUSH};

use super::state::State;
use super::wrap;
use crate::stream::{self, Open};

/// The farthest back that matches reach.
const WINDOW: usize = 32 << 10;
/// gzip's header without anything optional.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

impl State {
    /// Keeps the end of what was decoded, as zlib does unless `flush` says that one call is all. Without memory there is none.
    pub fn keep(&mut self, plain: &[u8], flush: i32) {
        self.history.clear();
        let end = &plain[plain.len().saturating_sub(WINDOW)..];
        if flush != Z_FINISH && self.history.extend_from_slice(end).is_err() {
            self.history.clear();
        }
    }

    /// What was kept of the stream that has ended.
    pub fn kept(&self) -> &[u8] {
        if self.has_ended { &self.history } else { &[] }
    }

    /// A stream that begins as this one has to, with what was kept in a stored block; and as much room.
    fn stored(&self) -> Result<(Vec<u8>, Vec<u8>), TryReserveError> {
        let kept = self.kept();
        let (mut stream, mut room) = (Vec::new(), Vec::new());
        stream.try_reserve_exact(GZIP.len() + 5 + kept.len())?;
        room.try_reserve_exact(kept.len())?;
        if self.wrap & wrap::ZLIB != 0 {
            let bits = if self.window_bits & 15 == 0 { 15 } else { self.window_bits & 15 };
            let method = (bits as u16 - 8) << 12 | 8 << 8;
            // A multiple of 31.
            stream.extend_from_slice(&(method + 31 - method % 31).to_be_bytes());
        } else if self.wrap & wrap::GZIP != 0 {
            stream.extend_from_slice(&GZIP);
        }
        let len = kept.len() as u16;
        stream.push(0);
        stream.extend_from_slice(&len.to_le_bytes());
        stream.extend_from_slice(&(!len).to_le_bytes());
        stream.extend_from_slice(kept);
        room.resize(kept.len(), 0);
        Ok((stream, room))
    }
}

impl Open<'_, State> {
    /// Has zlib-rs decode what was kept, so that it has it as its window.
    pub fn hand_over(&mut self) {
        if self.state.kept().is_empty() {
            return;
        }
        let Ok((stored, mut room)) = self.state.stored() else { return };
        let Ok(inner) = self.state.open() else { return };
        (inner.next_in, inner.avail_in) = (stored.as_ptr(), stored.len() as u32);
        (inner.next_out, inner.avail_out) = (room.as_mut_ptr(), room.len() as u32);
        // SAFETY: the stream is open, on those two.
        unsafe { rs::inflate(inner, Z_SYNC_FLUSH) };
        stream::detach(inner);
    }
}
