//! Containers of the blocks, as bits of a number; 0 for raw blocks.

use std::ffi::c_int;

/// zlib's header
pub const ZLIB: c_int = 1;
/// gzip's header
pub const GZIP: c_int = 2;
/// The checksum is verified.
pub const CHECKED: c_int = 4;

/// Returns the bits for `windowBits`; `None` if zlib would reject it.
pub fn of(window_bits: c_int) -> Option<c_int> {
    let (wrap, bits) = match window_bits {
        ..-15 => return None,
        -15..0 => (0, -window_bits),
        0..48 => (((window_bits >> 4) + 1) | CHECKED, window_bits & 15),
        _ => return None,
    };
    (bits == 0 || bits >= 8).then_some(wrap)
}

/// Kind of the header at the beginning of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderKind {
    /// The header is not complete yet.
    Unknown,
    Gzip,
    Zlib,
    /// gzip's header with an error.
    BadGzip,
    /// Data that inflate does not know.
    Garbage,
}

/// Returns the length of a container's header and its kind, if it is complete and usual.
pub fn header(input: &[u8], wrap: c_int, window_bits: c_int) -> Option<(usize, HeaderKind)> {
    if wrap & (ZLIB | GZIP) == 0 {
        return Some((0, HeaderKind::Unknown));
    }
    let &[first, second, ..] = input else { return None };
    let is_zlib = first & 15 == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
    if wrap & ZLIB != 0 && is_zlib {
        let window = c_int::from(first >> 4) + 8;
        let is_right =
            second & 0x20 == 0 && window <= 15 && (window_bits & 15 == 0 || window <= window_bits & 15);
        return is_right.then_some((2, HeaderKind::Zlib));
    }
    if wrap & GZIP == 0 || [first, second] != [0x1f, 0x8b] {
        return None;
    }
    let (&[8, flags], rest) = input.get(2..)?.split_first_chunk()? else { return None };
    // zlib-rs reads a header with a checksum of its own, or with undefined flags.
    if flags & 0b1110_0010 != 0 {
        return None;
    }
    let mut rest = rest.get(6..)?;
    if flags & 4 != 0 {
        let (len, after) = rest.split_first_chunk()?;
        rest = after.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            rest = &rest[rest.iter().position(|&byte| byte == 0)? + 1..];
        }
    }
    Some((input.len() - rest.len(), HeaderKind::Gzip))
}
