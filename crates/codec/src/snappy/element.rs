//! Decoder of one element, with bounds checks.

use std::ops::Range;

/// Decodes the first element of the input to the output from byte `done` on. Returns the number of
/// bytes that were read, and the output's length then; `None` if it is bad, or if one of the
/// buffers ends in it.
pub(super) fn decompress(input: &[u8], output: &mut [u8], done: usize) -> Option<(usize, usize)> {
    let (&tag, rest) = input.split_first()?;
    if tag & 3 == 0 {
        let bytes = literal(input)?;
        output.get_mut(done..)?.get_mut(..bytes.len())?.copy_from_slice(&input[bytes.clone()]);
        return Some((bytes.end, done + bytes.len()));
    }
    let upper = usize::from(tag >> 2);
    let (extra, len, offset) = match tag & 3 {
        1 => (1, (upper & 7) + 4, usize::from(tag >> 5) << 8 | number(rest, 1)?),
        2 => (2, upper + 1, number(rest, 2)?),
        _ => (4, upper + 1, number(rest, 4)?),
    };
    let from = done.checked_sub(offset).filter(|&from| from < done)?;
    let end = done.checked_add(len).filter(|&end| end <= output.len())?;
    // Byte by byte: it may overlap its output.
    (0..end - done).for_each(|i| output[done + i] = output[from + i]);
    Some((1 + extra, end))
}

/// Returns the range of the literal at the start of the input; `None` if the input begins with
/// another element, or ends in the literal.
pub(super) fn literal(input: &[u8]) -> Option<Range<usize>> {
    let (&tag, rest) = input.split_first()?;
    if tag & 3 != 0 {
        return None;
    }
    // Lengths less one from 60 on say in how many bytes the length less one is.
    let (extra, len) = match usize::from(tag >> 2) {
        upper @ ..60 => (0, upper + 1),
        upper => (upper - 59, number(rest, upper - 59)?.checked_add(1)?),
    };
    let from = 1 + extra;
    let end = from.checked_add(len)?;
    (end <= input.len()).then_some(from..end)
}

/// Returns the little-endian number in the first `bytes` bytes.
fn number(input: &[u8], bytes: usize) -> Option<usize> {
    let bytes = input.get(..bytes)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}
