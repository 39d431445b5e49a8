//! Recovery of a stream in our decoder after damage.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_OK};

use super::super::state::State;
use super::{Section, StreamDecoder};
use crate::stream::Open;

/// The end of a full flush: the two lengths of an empty stored block.
const MARK: [u8; 4] = [0, 0, 0xff, 0xff];

/// Searches for the marker, of which the first `have` bytes are found. Returns the number of bytes
/// examined, up to the end of the marker.
fn search(have: &mut usize, bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && *have < MARK.len() {
        *have = match bytes[at] {
            byte if byte == MARK[*have] => *have + 1,
            // The first two bytes are equal: of three zeros, the last two may belong to the marker.
            0 => 2.min(4 - *have),
            _ => 0,
        };
        at += 1;
    }
    at
}

impl StreamDecoder {
    /// Continues behind the next marker. Returns the bytes examined, and whether a marker was
    /// found.
    fn synchronize(&mut self, input: &[u8]) -> (usize, bool) {
        let mut have = 0;
        if let Section::Searching(before) = self.section {
            have = before;
        } else {
            // The bits that were read ahead come first. Those of a partial byte belong to decoded
            // data.
            let (bits, count) = self.inflater.bits();
            let bytes = (bits >> (count % 8)).to_le_bytes();
            search(&mut have, &bytes[..count as usize / 8]);
            self.inflater.drop_bits();
        }
        let len = search(&mut have, input);
        self.section = Section::Searching(have);
        (len, have == MARK.len())
    }
}

impl Open<'_, State> {
    /// As `inflateSync`.
    pub fn synchronize(&mut self) -> c_int {
        let (strm, state) = (&mut *self.strm, &mut *self.state);
        let Some(decoder) = &mut state.decoder else { return Z_DATA_ERROR };
        if strm.avail_in == 0 && decoder.bits().1 < 8 {
            return Z_BUF_ERROR;
        }
        let input = match strm.avail_in {
            0 => &[],
            // SAFETY: the caller's buffer is as long as it says.
            len => unsafe { slice::from_raw_parts(strm.next_in, len as usize) },
        };
        let (len, is_found) = decoder.synchronize(input);
        strm.next_in = strm.next_in.wrapping_add(len);
        strm.avail_in -= len as u32;
        strm.total_in += len as u64;
        if !is_found {
            return Z_DATA_ERROR;
        }
        decoder.restart_blocks();
        Z_OK
    }
}
