//! `compress` and `uncompress`: a whole buffer in one call. They use the streams, and gain from all
//! that makes streams faster.

use std::ffi::{c_int, c_uint, c_ulong};

use libz_rs_sys as rs;
use rs::{
    Z_BUF_ERROR, Z_DATA_ERROR, Z_DEFAULT_COMPRESSION, Z_FINISH, Z_NEED_DICT, Z_NO_FLUSH, Z_OK, Z_STREAM_END,
    z_stream,
};

use crate::deflate::{deflate, deflateEnd, deflateInit_};
use crate::inflate::{inflate, inflateEnd, inflateInit_};
use crate::version::VERSION;

/// The bytes of a buffer that its stream has not been given yet: a stream counts in 32 bits, the
/// caller in 64.
struct Rest(c_ulong);

impl Rest {
    /// Gives the stream more bytes if it has used up the last ones.
    fn refill(&mut self, avail: &mut c_uint) {
        if *avail == 0 {
            *avail = c_uint::try_from(self.0).unwrap_or(c_uint::MAX);
            self.0 -= c_ulong::from(*avail);
        }
    }
}

/// Returns a stream over two buffers, on malloc, with no bytes given yet.
fn stream(source: *const u8, dest: *mut u8) -> z_stream {
    let mut strm = z_stream { zalloc: None, zfree: None, ..z_stream::default() };
    (strm.next_in, strm.next_out) = (source, dest);
    strm
}

/// Compresses a buffer at the default level.
#[unsafe(no_mangle)]
unsafe extern "C" fn compress(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    source_len: c_ulong,
) -> c_int {
    // SAFETY: the same conditions.
    unsafe { compress2(dest, dest_len, source, source_len, Z_DEFAULT_COMPRESSION) }
}

/// Compresses a buffer. `dest_len` is the capacity of `dest` before the call, and the compressed
/// size after it.
#[unsafe(no_mangle)]
unsafe extern "C" fn compress2(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    source_len: c_ulong,
    level: c_int,
) -> c_int {
    // SAFETY: the caller passes a valid length and buffers of those lengths.
    unsafe {
        let (mut input, mut room) = (Rest(source_len), Rest(*dest_len));
        *dest_len = 0;
        let mut strm = stream(source, dest);
        let code = deflateInit_(&mut strm, level, VERSION.as_ptr(), size_of::<z_stream>() as c_int);
        if code != Z_OK {
            return code;
        }
        let code = loop {
            room.refill(&mut strm.avail_out);
            input.refill(&mut strm.avail_in);
            let code = deflate(&mut strm, if input.0 > 0 { Z_NO_FLUSH } else { Z_FINISH });
            if code != Z_OK {
                break code;
            }
        };
        *dest_len = strm.total_out;
        deflateEnd(&mut strm);
        if code == Z_STREAM_END { Z_OK } else { code }
    }
}

/// Decompresses a buffer that holds one stream.
#[unsafe(no_mangle)]
unsafe extern "C" fn uncompress(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    mut source_len: c_ulong,
) -> c_int {
    // SAFETY: the same conditions.
    unsafe { uncompress2(dest, dest_len, source, &mut source_len) }
}

/// As [`uncompress`]; `source_len` becomes the number of bytes read.
#[unsafe(no_mangle)]
unsafe extern "C" fn uncompress2(
    dest: *mut u8,
    dest_len: *mut c_ulong,
    source: *const u8,
    source_len: *mut c_ulong,
) -> c_int {
    // SAFETY: the caller passes two valid lengths and buffers of those lengths.
    unsafe {
        // One byte of output distinguishes a stream of no data from one that is cut short.
        let mut spare = 0;
        let empty = *dest_len == 0;
        let (mut input, mut room) = (Rest(*source_len), Rest(if empty { 1 } else { *dest_len }));
        let mut strm = stream(source, if empty { &mut spare } else { dest });
        let code = inflateInit_(&mut strm, VERSION.as_ptr(), size_of::<z_stream>() as c_int);
        if code != Z_OK {
            return code;
        }
        let code = loop {
            room.refill(&mut strm.avail_out);
            input.refill(&mut strm.avail_in);
            let code = inflate(&mut strm, Z_NO_FLUSH);
            if code != Z_OK {
                break code;
            }
        };
        *source_len -= input.0 + c_ulong::from(strm.avail_in);
        if !empty {
            *dest_len = strm.total_out;
        }
        let wanted_input = empty || room.0 + c_ulong::from(strm.avail_out) > 0;
        inflateEnd(&mut strm);
        match code {
            Z_STREAM_END => Z_OK,
            Z_NEED_DICT => Z_DATA_ERROR,
            // There was output left, so input was missing; a stream of no data has ended by now.
            Z_BUF_ERROR if wanted_input => Z_DATA_ERROR,
            code => code,
        }
    }
}
