//! Streams of stored blocks only (RFC 1951, section 3.2.4), copied without a decoder's tables.

use crate::Progress;

/// BFINAL.
const LAST: u8 = 1;
/// BTYPE, which is 0 for stored blocks.
const TYPE: u8 = 0b110;
/// Bytes before a block's content: one with BFINAL and BTYPE, since each block before ends with a
/// byte, then LEN and NLEN.
const HEADER: usize = 5;

/// Decodes the stream at the start of `input`. `None` if it has other blocks, is invalid or does
/// not fit: for callers with a decoder to fall back to.
pub(crate) fn decode(input: &[u8], output: &mut [u8]) -> Option<Progress> {
    let mut done = Progress::default();
    loop {
        let (&[first, low, high, not_low, not_high], rest) =
            input.get(done.consumed..)?.split_first_chunk::<HEADER>()?;
        let len = u16::from_le_bytes([low, high]);
        if first & TYPE != 0 || len != !u16::from_le_bytes([not_low, not_high]) {
            return None;
        }
        let uncompressed = rest.get(..len.into())?;
        output.get_mut(done.produced..)?.get_mut(..len.into())?.copy_from_slice(uncompressed);
        done.consumed += HEADER + uncompressed.len();
        done.produced += uncompressed.len();
        if first & LAST != 0 {
            return Some(done);
        }
    }
}

#[cfg(test)]
mod tests;
