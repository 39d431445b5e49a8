//! Parameters of `deflateInit2_`, checked as zlib checks them.

use std::ffi::{c_int, c_uint, c_void};

use libz_rs_sys as rs;
use rs::{Z_DEFAULT_COMPRESSION, Z_DEFLATED, Z_FIXED, z_stream};

use crate::deflate::wrap::Wrap;
use crate::{memory, version};

/// Default of `memLevel`.
pub const DEFAULT_MEM_LEVEL: c_int = 8;

/// Checked parameters of `deflateInit2_`. `deflateParams` changes `level` and `strategy`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    /// 0 to 9
    pub level: c_int,
    /// The caller's value, which includes the container.
    pub window_bits: c_int,
    pub wrap: Wrap,
    pub mem_level: c_int,
    pub strategy: c_int,
}

impl Parameters {
    /// Returns the size of the window in bytes: at least 512, even if 256 were requested.
    pub fn window(&self) -> u64 {
        1 << self.log2_window()
    }

    /// Returns the `memLevel` for zlib-rs. With the same value zlib-rs takes more memory than zlib.
    /// In memory that the caller may have reserved for zlib, as nginx does, one level less fits;
    /// its blocks are shorter.
    pub fn mem_level_for(&self, strm: &z_stream) -> c_int {
        if memory::uses_malloc(strm) { self.mem_level } else { (self.mem_level - 1).max(1) }
    }

    /// Begins a stream of zlib-rs with these parameters. Returns the code.
    ///
    /// # Safety
    /// The stream has no state, and memory functions that do what zlib asks of them.
    pub unsafe fn begin_fallback(&self, inner: *mut z_stream) -> c_int {
        let &Self { level, window_bits, strategy, .. } = self;
        let (version, size) = (version::VERSION.as_ptr(), size_of::<z_stream>() as c_int);
        // SAFETY: by this function's condition.
        unsafe {
            let mem_level = self.mem_level_for(&*inner);
            rs::deflateInit2_(inner, level, Z_DEFLATED, window_bits, mem_level, strategy, version, size)
        }
    }

    /// Returns the size of the output buffer of a stream of zlib-rs 0.6.8 in bytes.
    pub fn fallback_output(&self, inner: &z_stream) -> usize {
        4 << (self.mem_level_for(inner) + 6)
    }

    /// Returns the bytes that a stream of zlib-rs takes from the caller's allocator: those that it
    /// asks an allocator for which has none.
    pub fn fallback_memory(&self) -> usize {
        unsafe extern "C" fn count(asked: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
            // SAFETY: it is the number below.
            unsafe { *asked.cast::<usize>() += items as usize * size as usize };
            std::ptr::null_mut()
        }
        unsafe extern "C" fn free(_: *mut c_void, _: *mut c_void) {}
        let mut asked = 0_usize;
        let opaque = (&raw mut asked).cast();
        let mut inner = z_stream { zalloc: Some(count), zfree: Some(free), opaque, ..z_stream::default() };
        // SAFETY: a new stream; without memory none is opened.
        unsafe { self.begin_fallback(&mut inner) };
        asked
    }

    /// Returns the logarithm of the window's size.
    pub fn log2_window(&self) -> u32 {
        (self.window_bits.unsigned_abs() & 15).max(9)
    }
}

/// The level that -1 stands for.
const DEFAULT_LEVEL: c_int = 6;
/// Logarithm of the largest window, 32 KB.
pub const MAX_WINDOW_BITS: c_int = 15;

impl Parameters {
    /// Checks the caller's parameters; `None` if zlib would reject them.
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
            // A window of 256 bytes never worked. Only zlib's header lets zlib write another size.
            && (bits != 8 || wrap == Wrap::Zlib);
        right.then_some(Self { level, window_bits, wrap, mem_level, strategy })
    }
}

/// Returns the level from 0 to 9; `None` if level or strategy is invalid.
pub fn resolve(level: c_int, strategy: c_int) -> Option<c_int> {
    let level = if level == Z_DEFAULT_COMPRESSION { DEFAULT_LEVEL } else { level };
    ((0..=9).contains(&level) && (0..=Z_FIXED).contains(&strategy)).then_some(level)
}
