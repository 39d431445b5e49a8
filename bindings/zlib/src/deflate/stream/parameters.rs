//! Parameters of `deflateInit2_`, checked as zlib checks them.

use std::ffi::c_int;

use libz_rs_sys::{Z_DEFAULT_COMPRESSION, Z_DEFLATED, Z_FIXED, z_stream};

use crate::deflate::wrap::Wrap;
use crate::memory;

/// `memLevel` where the caller has none to give.
pub const DEFAULT_MEM_LEVEL: c_int = 8;

/// What `deflateInit2_` was given, checked. `level` and `strategy` follow `deflateParams`.
#[derive(Clone, Copy)]
pub struct Parameters {
    /// 0 to 9
    pub level: c_int,
    /// As the caller gave it, which includes the wrap.
    pub window_bits: c_int,
    pub wrap: Wrap,
    pub mem_level: c_int,
    pub strategy: c_int,
}

impl Parameters {
    /// Bytes of the window. The smallest is 512, also where 256 were asked for.
    pub fn window(&self) -> u64 {
        1 << self.log2_window()
    }

    /// What zlib-rs is told: with the same it takes more than zlib does, and an allocator of the
    /// caller's may have set memory aside for zlib. nginx does, and with one level less this is
    /// what it has; blocks get shorter by that.
    pub fn mem_level_for(&self, strm: &z_stream) -> c_int {
        if memory::uses_malloc(strm) { self.mem_level } else { (self.mem_level - 1).max(1) }
    }

    /// The logarithm of that.
    pub fn log2_window(&self) -> u32 {
        (self.window_bits.unsigned_abs() & 15).max(9)
    }
}

/// The level that -1 means.
const DEFAULT_LEVEL: c_int = 6;
/// The largest window is 32 KB.
pub const MAX_WINDOW_BITS: c_int = 15;

impl Parameters {
    /// What the caller asks for; none if zlib would refuse it.
    pub fn check(
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
