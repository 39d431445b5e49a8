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
pub enum Seen {
    /// The header is not whole yet.
    Nothing,
    Gzip,
    Zlib,
    /// gzip's header, with something wrong in it.
    BadGzip,
    /// Nothing that inflate knows.
    Garbage,
}
