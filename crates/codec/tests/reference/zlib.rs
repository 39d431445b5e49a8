//! The C zlib, as the reference for DEFLATE and its containers. Also used by `fuzz/`.

#![allow(dead_code, reason = "each of the crates that include this file uses a part of it")]

use std::ffi::{CStr, c_int};
use std::mem::MaybeUninit;

use libz_sys as z;

/// windowBits of `inflateInit2` and `deflateInit2`: a 32 KiB window in one of the three containers.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(i32)]
pub enum Container {
    Raw = -15,
    Zlib = 15,
    Gzip = 15 + 16,
}

#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The stream ended, after this many bytes of input.
    Done {
        consumed: usize,
        plain: Vec<u8>,
    },
    /// It goes on after the end of the input.
    Truncated,
    /// It goes on after `room` bytes of output.
    NoRoom,
    Corrupt(String),
}

/// Inflates one stream of at most `room` bytes.
pub fn inflate(container: Container, input: &[u8], room: usize) -> Verdict {
    inflate_in_pieces(container as c_int, &[], usize::MAX, input, room)
}

/// Inflates a raw stream with matches that may reach into earlier data.
pub fn inflate_after(history: &[u8], input: &[u8], room: usize) -> Verdict {
    inflate_in_pieces(Container::Raw as c_int, history, usize::MAX, input, room)
}

/// Inflates a raw stream in a window of 2^`bits` bytes. zlib looks no farther back than the window
/// and the output of one call, so that output is given byte by byte.
pub fn inflate_in_window(bits: u8, history: &[u8], input: &[u8], room: usize) -> Verdict {
    inflate_in_pieces(-c_int::from(bits), history, 1, input, room)
}

/// Inflates one stream in a container, in a window of 2^`bits` bytes: a zlib header that names a
/// larger one is refused.
pub fn inflate_contained_in_window(container: Container, bits: u8, input: &[u8], room: usize) -> Verdict {
    let bits = c_int::from(bits);
    let window_bits = match container {
        Container::Raw => -bits,
        Container::Zlib => bits,
        Container::Gzip => bits + 16,
    };
    inflate_in_pieces(window_bits, &[], 1, input, room)
}

/// Inflates one stream, up to `piece` bytes a call. `history` is for raw streams.
fn inflate_in_pieces(window_bits: c_int, history: &[u8], piece: usize, input: &[u8], room: usize) -> Verdict {
    // One byte more tells a full output from one that is too small.
    let mut output = vec![0; room + 1];
    let mut stream = new_stream();
    let size = size_of::<z::z_stream>() as c_int;
    // SAFETY: the stream is initialised; its buffers are live slices with their own lengths until
    // inflateEnd, and the message, if there is one, is a static string.
    unsafe {
        assert_eq!(z::inflateInit2_(&mut stream, window_bits, z::zlibVersion(), size), z::Z_OK);
        if !history.is_empty() {
            let len = history.len().try_into().unwrap();
            assert_eq!(z::inflateSetDictionary(&mut stream, history.as_ptr(), len), z::Z_OK);
        }
        stream.next_in = input.as_ptr().cast_mut();
        stream.avail_in = input.len().try_into().unwrap();
        let (mut produced, mut code) = (0, z::Z_OK);
        while stream.avail_out == 0 && produced < output.len() && matches!(code, z::Z_OK | z::Z_BUF_ERROR) {
            let part = &mut output[produced..];
            let len = part.len().min(piece);
            stream.next_out = part.as_mut_ptr();
            stream.avail_out = len.try_into().unwrap();
            code = z::inflate(&mut stream, z::Z_FINISH);
            produced += len - stream.avail_out as usize;
        }
        let message = match stream.msg.is_null() {
            true => String::new(),
            false => CStr::from_ptr(stream.msg).to_string_lossy().into_owned(),
        };
        z::inflateEnd(&mut stream);
        let is_full = produced == output.len();
        output.truncate(produced);
        match code {
            z::Z_DATA_ERROR | z::Z_NEED_DICT => Verdict::Corrupt(message),
            _ if is_full => Verdict::NoRoom,
            z::Z_STREAM_END => {
                Verdict::Done { consumed: input.len() - stream.avail_in as usize, plain: output }
            }
            z::Z_OK | z::Z_BUF_ERROR => Verdict::Truncated,
            other => panic!("zlib: {other} {message}"),
        }
    }
}

/// Deflates `input` as one stream.
pub fn deflate(container: Container, level: c_int, strategy: c_int, input: &[u8]) -> Vec<u8> {
    let mut stream = new_stream();
    let size = size_of::<z::z_stream>() as c_int;
    // SAFETY: as in inflate.
    unsafe {
        let code = z::deflateInit2_(
            &mut stream,
            level,
            z::Z_DEFLATED,
            container as c_int,
            8,
            strategy,
            z::zlibVersion(),
            size,
        );
        assert_eq!(code, z::Z_OK);
        let mut output = vec![0; z::deflateBound(&mut stream, input.len() as _) as usize];
        stream.next_in = input.as_ptr().cast_mut();
        stream.avail_in = input.len().try_into().unwrap();
        stream.next_out = output.as_mut_ptr();
        stream.avail_out = output.len().try_into().unwrap();
        assert_eq!(z::deflate(&mut stream, z::Z_FINISH), z::Z_STREAM_END);
        output.truncate(output.len() - stream.avail_out as usize);
        z::deflateEnd(&mut stream);
        output
    }
}

pub fn crc32(data: &[u8]) -> u32 {
    // SAFETY: the slice is valid for its length.
    unsafe { z::crc32(0, data.as_ptr(), data.len().try_into().unwrap()) as u32 }
}

pub fn adler32(data: &[u8]) -> u32 {
    // SAFETY: the slice is valid for its length.
    unsafe { z::adler32(1, data.as_ptr(), data.len().try_into().unwrap()) as u32 }
}

pub(super) fn new_stream() -> z::z_stream {
    unsafe extern "C" fn allocate(_: z::voidpf, items: z::uInt, size: z::uInt) -> z::voidpf {
        // SAFETY: calloc has no preconditions.
        unsafe { libc_calloc(items as usize, size as usize) }
    }
    unsafe extern "C" fn release(_: z::voidpf, address: z::voidpf) {
        // SAFETY: zlib gives back what `allocate` returned.
        unsafe { libc_free(address) }
    }
    let mut stream = MaybeUninit::<z::z_stream>::zeroed();
    // SAFETY: every field but the two function pointers may be zero, and those are written before
    // the value is read.
    unsafe {
        (&raw mut (*stream.as_mut_ptr()).zalloc).write(allocate);
        (&raw mut (*stream.as_mut_ptr()).zfree).write(release);
        stream.assume_init()
    }
}

unsafe extern "C" {
    #[link_name = "calloc"]
    fn libc_calloc(items: usize, size: usize) -> z::voidpf;
    #[link_name = "free"]
    fn libc_free(address: z::voidpf);
}
