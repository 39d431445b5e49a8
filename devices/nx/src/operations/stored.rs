//! Stored blocks and block boundaries, which software writes.

/// Maximum length of a stored block, from the size of its LEN (RFC 1951, section 3.2.4).
const MAX_STORED: usize = 65_535;
/// Length of a stored block's header: its bits padded to a byte, LEN and NLEN.
const HEADER: usize = 5;
/// LEN and NLEN of an empty stored block.
const EMPTY: [u8; 4] = [0, 0, 0xff, 0xff];
/// BFINAL and BTYPE.
const BLOCK_BITS: u8 = 3;
/// Maximum length of the bytes after a block that [`close_byte`] writes.
pub(super) const MAX_CLOSE: usize = 1 + EMPTY.len();

/// Returns the length of `len` bytes in stored blocks.
pub(super) fn stored_len(len: usize) -> usize {
    len + HEADER * len.div_ceil(MAX_STORED).max(1)
}

/// Writes stored blocks, the last of which is final if `is_final` is set. Returns their length;
/// none if they don't fit.
pub(super) fn write_stored(uncompressed: &[u8], is_final: bool, out: &mut [u8]) -> Option<usize> {
    let len = stored_len(uncompressed.len());
    let mut rest = out.get_mut(..len)?;
    let count = uncompressed.len().div_ceil(MAX_STORED).max(1);
    for index in 0..count {
        let part = &uncompressed[index * MAX_STORED..uncompressed.len().min((index + 1) * MAX_STORED)];
        let (block, after) = rest.split_at_mut(HEADER + part.len());
        let len = part.len() as u16;
        block[0] = u8::from(is_final && index + 1 == count);
        block[1..3].copy_from_slice(&len.to_le_bytes());
        block[3..HEADER].copy_from_slice(&(!len).to_le_bytes());
        block[HEADER..].copy_from_slice(part);
        rest = after;
    }
    Some(len)
}

/// Writes an empty stored block after a block that ends at `end`, in whose last byte `last_bits`
/// are used; zero means all. Returns the new end; none if it does not fit.
pub(super) fn close_byte(out: &mut [u8], end: usize, last_bits: u8) -> Option<usize> {
    let unused = (8 - last_bits % 8) % 8;
    if unused > 0 {
        // The engine's unused bits; those of the header are zero too.
        *out.get_mut(end.checked_sub(1)?)? &= u8::MAX >> unused;
    }
    let aligned = end + usize::from(unused < BLOCK_BITS);
    let tail = out.get_mut(end..aligned + EMPTY.len())?;
    let (header, empty) = tail.split_at_mut(aligned - end);
    header.fill(0);
    empty.copy_from_slice(&EMPTY);
    Some(aligned + EMPTY.len())
}
