//! Streams of nothing but stored blocks (RFC 1951, section 3.2.4): copied, without a decoder that is made for others.

use crate::Progress;

/// BFINAL.
const LAST: u8 = 1;
/// BTYPE, which is 0 for stored blocks.
const TYPE: u8 = 0b110;
/// Bytes before a block's content: BFINAL and BTYPE, which are the first bits of a byte as each block before ends with one, LEN and NLEN.
const HEADER: usize = 5;

/// Decodes the stream at the start of `input`. `None` if it has other blocks, isn't right or does not fit: for those who have a decoder to go on with.
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
