//! Streams of one of the libraries, and notes about them.

use std::ffi::{CStr, c_char, c_int};

use libz_rs_sys::{Z_BUF_ERROR, Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, z_stream};

use crate::Bench;
use crate::common::api::Zlib;

/// The version that callers were compiled for.
pub const VERSION: *const c_char = c"1.2.13".as_ptr();
/// The size of a `z_stream`.
pub const SIZE: c_int = size_of::<z_stream>() as c_int;

/// Returns a stream before its begin, as C programs make it.
pub fn blank() -> Box<z_stream> {
    // SAFETY: all zeros are null pointers, no functions, and numbers.
    Box::new(unsafe { std::mem::zeroed() })
}

/// Returns a string of the library's, or a text for null.
pub unsafe fn string(text: *const c_char) -> String {
    if text.is_null() { "null".into() } else { format!("{:?}", CStr::from_ptr(text)) }
}

/// Notes the fields after a call: totals, checksum, kind of data, message.
pub unsafe fn fields(strm: &z_stream) -> String {
    let msg = string(strm.msg);
    format!(
        "in {} out {} adler {:08x} type {} msg {msg}",
        strm.total_in, strm.total_out, strm.adler, strm.data_type
    )
}

/// Notes the fields after a call with compressed bytes that may differ.
pub unsafe fn fields_of_compression(strm: &z_stream) -> String {
    format!("in {} adler {:08x} type {} msg {}", strm.total_in, strm.adler, strm.data_type, string(strm.msg))
}

/// Returns a short name for some bytes.
pub fn digest(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{} bytes {hash:016x}", bytes.len())
}

/// Parameters of compression.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub level: c_int,
    pub bits: c_int,
    pub memory: c_int,
    pub strategy: c_int,
}

impl Kind {
    pub const fn new(level: c_int, bits: c_int) -> Self {
        Self { level, bits, memory: 8, strategy: 0 }
    }

    /// Begins a stream with these parameters.
    pub unsafe fn begin(&self, zlib: &Zlib) -> Box<z_stream> {
        let mut strm = blank();
        let code = (zlib.deflateInit2_)(
            &mut *strm,
            self.level,
            8,
            self.bits,
            self.memory,
            self.strategy,
            VERSION,
            SIZE,
        );
        assert_eq!(code, Z_OK, "{self:?}");
        strm
    }
}

/// Runs `deflate` with `flush` until all is written. Returns the last code.
pub unsafe fn push(
    zlib: &Zlib,
    strm: &mut z_stream,
    input: &[u8],
    flush: c_int,
    room: usize,
    to: &mut Vec<u8>,
) -> c_int {
    strm.next_in = input.as_ptr();
    strm.avail_in = input.len() as u32;
    let mut buffer = vec![0; room];
    loop {
        strm.next_out = buffer.as_mut_ptr();
        strm.avail_out = room as u32;
        let code = (zlib.deflate)(strm, flush);
        to.extend_from_slice(&buffer[..room - strm.avail_out as usize]);
        if code != Z_OK || strm.avail_out > 0 {
            return code;
        }
    }
}

/// Compresses with the system's library.
pub unsafe fn compressed(bench: &Bench, kind: Kind, uncompressed: &[u8]) -> Vec<u8> {
    let mut strm = kind.begin(bench.system);
    let mut compressed = Vec::new();
    assert_eq!(push(bench.system, &mut strm, uncompressed, Z_FINISH, 4096, &mut compressed), Z_STREAM_END);
    (bench.system.deflateEnd)(&mut *strm);
    compressed
}

/// Decompresses all with the system's library.
pub unsafe fn decompressed(bench: &Bench, bits: c_int, compressed: &[u8]) -> Vec<u8> {
    let mut strm = blank();
    assert_eq!((bench.system.inflateInit2_)(&mut *strm, bits, VERSION, SIZE), Z_OK);
    strm.next_in = compressed.as_ptr();
    strm.avail_in = compressed.len() as u32;
    let (mut uncompressed, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
    let code = loop {
        strm.next_out = buffer.as_mut_ptr();
        strm.avail_out = buffer.len() as u32;
        let code = (bench.system.inflate)(&mut *strm, Z_NO_FLUSH);
        uncompressed.extend_from_slice(&buffer[..buffer.len() - strm.avail_out as usize]);
        if code != Z_OK {
            break code;
        }
    };
    assert!(code == Z_STREAM_END || code == Z_BUF_ERROR && strm.avail_in == 0, "{code} {}", fields(&strm));
    (bench.system.inflateEnd)(&mut *strm);
    uncompressed
}

/// Begins to decompress with the library under test, and notes the code.
pub unsafe fn begin_inflate(bench: &Bench, bits: c_int) -> Box<z_stream> {
    let mut strm = blank();
    let code = (bench.zlib.inflateInit2_)(&mut *strm, bits, VERSION, SIZE);
    crate::note!(bench, "inflateInit2 {bits}: {code} {}", fields(&strm));
    strm
}

/// Decompresses in pieces, and notes every call.
pub unsafe fn pull(
    bench: &Bench,
    strm: &mut z_stream,
    compressed: &[u8],
    step: usize,
    room: usize,
    flush: c_int,
) -> c_int {
    let mut buffer = vec![0; room];
    let mut uncompressed = Vec::new();
    let (mut shown, mut idle) = (0, 0);
    strm.avail_in = 0;
    strm.next_in = compressed.as_ptr();
    let code = loop {
        if strm.avail_in == 0 && shown < compressed.len() {
            let more = step.min(compressed.len() - shown);
            strm.next_in = compressed[shown..].as_ptr();
            strm.avail_in = more as u32;
            shown += more;
        }
        strm.next_out = buffer.as_mut_ptr();
        strm.avail_out = room as u32;
        let code = (bench.zlib.inflate)(strm, flush);
        let got = room - strm.avail_out as usize;
        uncompressed.extend_from_slice(&buffer[..got]);
        crate::note!(bench, "  inflate {code} left {} got {got} {}", strm.avail_in, fields(strm));
        // Z_FINISH with too little output, and input that is short, make no progress.
        idle = if code == Z_BUF_ERROR && got == 0 { idle + 1 } else { 0 };
        if code != Z_OK && (code != Z_BUF_ERROR || idle > 1) {
            break code;
        }
    };
    crate::note!(
        bench,
        "{code}: {}, {} not read",
        digest(&uncompressed),
        strm.avail_in as usize + compressed.len() - shown
    );
    code
}
