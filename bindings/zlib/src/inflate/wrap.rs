//! What may be around the blocks, as bits of a number. None: they are bare.

use std::ffi::c_int;

/// zlib's header
pub const ZLIB: c_int = 1;
/// gzip's header
pub const GZIP: c_int = 2;
/// The checksum is compared.
pub const CHECKED: c_int = 4;

/// The bits that `windowBits` asks for; none if zlib would refuse it.
pub fn of(window_bits: c_int) -> Option<c_int> {
    let (wrap, bits) = match window_bits {
        ..-15 => return None,
        -15..0 => (0, -window_bits),
        0..48 => (((window_bits >> 4) + 1) | CHECKED, window_bits & 15),
        _ => return None,
    };
    (bits == 0 || bits >= 8).then_some(wrap)
}

/// What the stream turned out to begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderKind {
    /// The header is not whole yet.
    Unknown,
    Gzip,
    Zlib,
    /// gzip's header, with something wrong in it.
    BadGzip,
    /// Nothing that inflate knows.
    Garbage,
}

/// A container's header, if it is whole and usual: its length, and what the container is.
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
    // A header that has a checksum of its own, or flags that nobody has given a meaning, is for
    // zlib-rs.
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
