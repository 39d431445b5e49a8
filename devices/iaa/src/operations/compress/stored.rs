//! Stored blocks, which are written without the device: RFC 1951, section 3.2.4.

use pelton_codec::{Container, Format};

/// Most bytes of a block: LEN has 16 bits.
const MOST: usize = 65_535;
/// Three bits, padded to a byte, then LEN and NLEN.
const HEADER: usize = 5;

/// Bytes that so many take.
pub(super) fn len(plain: usize) -> usize {
    plain + HEADER * plain.div_ceil(MOST).max(1)
}

/// Writes a raw stream, or what more follows if `is_last` is not set, for which there has to be
/// room, and returns its length.
pub(super) fn write(plain: &[u8], is_last: bool, out: &mut [u8]) -> usize {
    let mut at = 0;
    let count = plain.len().div_ceil(MOST).max(1);
    for index in 0..count {
        let part = &plain[index * MOST..plain.len().min((index + 1) * MOST)];
        let len = part.len() as u16;
        out[at] = u8::from(is_last && index + 1 == count);
        out[at + 1..at + 3].copy_from_slice(&len.to_le_bytes());
        out[at + 3..at + 5].copy_from_slice(&(!len).to_le_bytes());
        out[at + HEADER..at + HEADER + part.len()].copy_from_slice(part);
        at += HEADER + part.len();
    }
    at
}

/// A header that says as little as it may.
pub(super) fn plain_header(container: Container, level: i32) -> Vec<u8> {
    match container.format() {
        // ID1, ID2, CM 8, no flags, no time, XFL 0, OS unknown (RFC 1952, section 2.3).
        Format::Gzip => vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255],
        _ => container.header(level, 15),
    }
}
