//! One element, decoded with care.

/// Decodes the first element of the input to what follows `done` bytes of output. Returns how many bytes were read, and the output's
/// length then; `None` if it is bad, or if one of the buffers ends in it.
pub(super) fn decompress(input: &[u8], output: &mut [u8], done: usize) -> Option<(usize, usize)> {
    let (&tag, rest) = input.split_first()?;
    let upper = usize::from(tag >> 2);
    // The little-endian number that follows the tag in so many bytes.
    let number = |bytes: usize| {
        let bytes = rest.get(..bytes)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
    };
    if tag & 3 == 0 {
        // Lengths less one from 60 on say in how many bytes the length less one is.
        let (extra, len) = match upper {
            ..60 => (0, upper + 1),
            _ => (upper - 59, number(upper - 59)?.checked_add(1)?),
        };
        let literal = rest.get(extra..)?.get(..len)?;
        output.get_mut(done..)?.get_mut(..len)?.copy_from_slice(literal);
        return Some((1 + extra + len, done + len));
    }
    let (extra, len, offset) = match tag & 3 {
        1 => (1, (upper & 7) + 4, usize::from(tag >> 5) << 8 | number(1)?),
        2 => (2, upper + 1, number(2)?),
        _ => (4, upper + 1, number(4)?),
    };
    let from = done.checked_sub(offset).filter(|&from| from < done)?;
    let end = done.checked_add(len).filter(|&end| end <= output.len())?;
    // Byte by byte: it may reach into what it writes.
    (0..end - done).for_each(|i| output[done + i] = output[from + i]);
    Some((1 + extra, end))
}
