//! Checksums, calculated by zlib-rs, which uses vector instructions where the processor has them.
//! No function allocates.

use std::ffi::{c_long, c_uint, c_ulong};

use libz_rs_sys as rs;

/// Returns the CRC-32 after `len` more bytes; the initial value if `buf` is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn crc32(crc: c_ulong, buf: *const u8, len: c_uint) -> c_ulong {
    // SAFETY: the caller gives null or a buffer of that length.
    unsafe { rs::crc32_z(crc, buf, len as usize) }
}

/// As [`crc32`], for longer buffers.
#[unsafe(no_mangle)]
unsafe extern "C" fn crc32_z(crc: c_ulong, buf: *const u8, len: usize) -> c_ulong {
    // SAFETY: the caller gives null or a buffer of that length.
    unsafe { rs::crc32_z(crc, buf, len) }
}

/// Returns the CRC-32 of two pieces from that of each and the length of the second.
#[unsafe(no_mangle)]
extern "C" fn crc32_combine(first: c_ulong, second: c_ulong, len: c_long) -> c_ulong {
    rs::crc32_combine(first, second, len)
}

/// As [`crc32_combine`].
#[unsafe(no_mangle)]
extern "C" fn crc32_combine64(first: c_ulong, second: c_ulong, len: i64) -> c_ulong {
    rs::crc32_combine64(first, second, len)
}

/// Returns the operator for a length, which [`crc32_combine_op`] takes.
#[unsafe(no_mangle)]
extern "C" fn crc32_combine_gen(len: c_long) -> c_ulong {
    rs::crc32_combine_gen(len)
}

/// As [`crc32_combine_gen`].
#[unsafe(no_mangle)]
extern "C" fn crc32_combine_gen64(len: i64) -> c_ulong {
    rs::crc32_combine_gen64(len)
}

/// As [`crc32_combine`], with the operator for the length of the second piece.
#[unsafe(no_mangle)]
extern "C" fn crc32_combine_op(first: c_ulong, second: c_ulong, op: c_ulong) -> c_ulong {
    rs::crc32_combine_op(first, second, op)
}

/// Returns the table for CRC-32 a byte at a time.
#[unsafe(no_mangle)]
extern "C" fn get_crc_table() -> *const u32 {
    rs::get_crc_table().cast()
}

/// Returns the Adler-32 after `len` more bytes; the initial value if `buf` is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn adler32(adler: c_ulong, buf: *const u8, len: c_uint) -> c_ulong {
    // SAFETY: the caller gives null or a buffer of that length.
    unsafe { rs::adler32_z(adler, buf, len as usize) }
}

/// As [`adler32`], for longer buffers.
#[unsafe(no_mangle)]
unsafe extern "C" fn adler32_z(adler: c_ulong, buf: *const u8, len: usize) -> c_ulong {
    // SAFETY: the caller gives null or a buffer of that length.
    unsafe { rs::adler32_z(adler, buf, len) }
}

/// Returns the Adler-32 of two pieces from that of each and the length of the second.
#[unsafe(no_mangle)]
extern "C" fn adler32_combine(first: c_ulong, second: c_ulong, len: c_long) -> c_ulong {
    rs::adler32_combine(first, second, len)
}

/// As [`adler32_combine`].
#[unsafe(no_mangle)]
extern "C" fn adler32_combine64(first: c_ulong, second: c_ulong, len: i64) -> c_ulong {
    rs::adler32_combine64(first, second, len)
}

/// Returns a running CRC-32 after `bytes`.
pub fn crc(crc: u32, bytes: &[u8]) -> u32 {
    // SAFETY: a slice is a buffer of its length.
    unsafe { rs::crc32_z(crc.into(), bytes.as_ptr(), bytes.len()) as u32 }
}

/// Returns a running Adler-32 after `bytes`.
pub fn adler(adler: u32, bytes: &[u8]) -> u32 {
    // SAFETY: a slice is a buffer of its length.
    unsafe { rs::adler32_z(adler.into(), bytes.as_ptr(), bytes.len()) as u32 }
}
