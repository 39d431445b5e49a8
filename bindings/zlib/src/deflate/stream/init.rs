//! How a compressing stream begins.

use std::ffi::{c_char, c_int};

use libz_rs_sys as rs;
use rs::{Z_DEFAULT_COMPRESSION, Z_DEFLATED, Z_FIXED, Z_MEM_ERROR, Z_OK, Z_STREAM_ERROR, z_stream};

use super::state::{DEFAULT_MEM_LEVEL, Settings, State, Wrap};
use crate::stream::{Open, admit};

/// The level that -1 means.
const DEFAULT_LEVEL: c_int = 6;
/// The largest window is 32 KB.
const MAX_WINDOW_BITS: c_int = 15;

impl Settings {
    /// What the caller asks for; none if zlib would refuse it.
    fn check(
        level: c_int,
        method: c_int,
        window_bits: c_int,
        mem_level: c_int,
        strategy: c_int,
    ) -> Option<Self> {
        let (wrap, bits) = match window_bits {
            ..-15 => return None,
            -15..0 => (Wrap::Raw, -window_bits),
            0..=MAX_WINDOW_BITS => (Wrap::Zlib, window_bits),
            _ => (Wrap::Gzip, window_bits - 16),
        };
        let level = resolve(level, strategy)?;
        let right = method == Z_DEFLATED
            && (1..=9).contains(&mem_level)
            && (8..=MAX_WINDOW_BITS).contains(&bits)
            // A window of 256 bytes was never right, and only zlib's header lets zlib write another
            // size.
            && (bits != 8 || wrap == Wrap::Zlib);
        right.then_some(Self { level, window_bits, wrap, mem_level, strategy })
    }
}

/// The level from 0 to 9; none if that or the strategy is none of zlib's.
pub fn resolve(level: c_int, strategy: c_int) -> Option<c_int> {
    let level = if level == Z_DEFAULT_COMPRESSION { DEFAULT_LEVEL } else { level };
    ((0..=9).contains(&level) && (0..=Z_FIXED).contains(&strategy)).then_some(level)
}

/// Begins a zlib stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateInit_(
    strm: *mut z_stream,
    level: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the same conditions.
    unsafe { deflateInit2_(strm, level, Z_DEFLATED, MAX_WINDOW_BITS, DEFAULT_MEM_LEVEL, 0, version, size) }
}

/// Begins a stream. zlib-rs is not asked yet: whether the settings are right is known without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn deflateInit2_(
    strm: *mut z_stream,
    level: c_int,
    method: c_int,
    window_bits: c_int,
    mem_level: c_int,
    strategy: c_int,
    version: *const c_char,
    size: c_int,
) -> c_int {
    // SAFETY: the caller gives null or a C string, and null or a stream of its own.
    let stream = match unsafe { admit(strm, version, size) } {
        Ok(stream) => stream,
        Err(code) => return code,
    };
    let Some(settings) = Settings::check(level, method, window_bits, mem_level, strategy) else {
        return Z_STREAM_ERROR;
    };
    let state = State::new(stream, settings);
    // SAFETY: the caller answers for its allocator; the stream is whole, and nobody else has it.
    let Some(mut open) = (unsafe { Open::begun(strm, state) }) else { return Z_MEM_ERROR };
    open.begin();
    Z_OK
}
