//! The C zlib, which the paper compares with, on whole buffers; and the thread's clock.
#![allow(unsafe_code, reason = "zlib is a C library")]

use std::mem::MaybeUninit;

use libz_sys as z;

/// Bytes of zlib's container before and after raw DEFLATE.
const HEADER: usize = 2;
const TRAILER: usize = 4;

/// A stream in zlib's container.
pub struct Stream(Vec<u8>);

impl Stream {
    /// Compresses a buffer at a level.
    pub fn compress(level: i32, source: &[u8]) -> Stream {
        let len = source.len() as z::uLong;
        // SAFETY: the function only calculates.
        let bound = unsafe { z::compressBound(len) };
        let (mut target, mut produced) = (vec![0; bound as usize], bound);
        // SAFETY: both buffers are live for the lengths given, and `produced` has the target's.
        let code = unsafe { z::compress2(target.as_mut_ptr(), &mut produced, source.as_ptr(), len, level) };
        assert_eq!(code, z::Z_OK, "the bound suffices");
        target.truncate(produced as usize);
        Stream(target)
    }

    /// Decompresses it into a buffer of the source's length.
    pub fn decompress(&self, target: &mut [u8]) {
        let mut produced = target.len() as z::uLong;
        let len = self.0.len() as z::uLong;
        // SAFETY: both buffers are live for the lengths given.
        let code = unsafe { z::uncompress(target.as_mut_ptr(), &mut produced, self.0.as_ptr(), len) };
        assert_eq!((code, produced as usize), (z::Z_OK, target.len()), "zlib reads its own stream");
    }

    /// Returns the raw DEFLATE in it.
    pub fn deflate(&self) -> &[u8] {
        &self.0[HEADER..self.0.len() - TRAILER]
    }
}

/// Returns seconds of CPU time that this thread has used.
pub fn thread_seconds() -> f64 {
    let mut time = MaybeUninit::uninit();
    // SAFETY: the pointer is to a timespec, which the call fills in if it returns 0.
    let time = unsafe {
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()), 0, "no CPU clock");
        time.assume_init()
    };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
