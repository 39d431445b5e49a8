//! How a stream that is ours goes on after damage.

use std::ffi::c_int;
use std::slice;

use libz_rs_sys::{Z_BUF_ERROR, Z_DATA_ERROR, Z_OK};

use super::super::state::State;
use super::{Section, StreamDecoder};
use crate::stream::Open;

/// What a full flush ends with: an empty stored block's two lengths.
const MARK: [u8; 4] = [0, 0, 0xff, 0xff];

/// Looks for the mark, of which the first `have` bytes came before; how many bytes were looked at,
/// up to its end.
fn search(have: &mut usize, bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && *have < MARK.len() {
        *have = match bytes[at] {
            byte if byte == MARK[*have] => *have + 1,
            // The first two are the same: of three zeros the last two may be the mark's.
            0 => 2.min(4 - *have),
            _ => 0,
        };
        at += 1;
    }
    at
}

impl StreamDecoder {
    /// Goes on behind the next mark: how much of the input was looked at, and whether there was
    /// one.
    fn synchronize(&mut self, input: &[u8]) -> (usize, bool) {
        let mut have = 0;
        if let Section::Searching(before) = self.section {
            have = before;
        } else {
            // First in what was read. Some bits of a byte belong to what was decoded.
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
    /// `inflateSync`
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
