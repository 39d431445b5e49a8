//! gz functions: files that are written, read, sought, damaged.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

use libz_rs_sys::{Z_FINISH, Z_SYNC_FLUSH};

use crate::common::api::{GzFile, Zlib};
use crate::data::{mixed, noise, samples, text};
use crate::stream::{decompressed, digest};
use crate::{Bench, compare, note};

/// Returns the path for a file of this test.
fn place(name: &str) -> PathBuf {
    crate::folder().join(name)
}

unsafe fn open(zlib: &Zlib, path: &Path, mode: &CStr) -> GzFile {
    let path = CString::new(path.to_str().expect("a path of text")).expect("a path without zeros");
    (zlib.gzopen)(path.as_ptr(), mode.as_ptr())
}

/// Notes position and state of a file. The position in the compressed file depends on the
/// compressor.
unsafe fn state(bench: &Bench, file: GzFile) -> String {
    let (zlib, mut code) = (bench.zlib, 0);
    let text = (zlib.gzerror)(file, &mut code);
    let text = CStr::from_ptr(text).to_str().expect("messages are text");
    // The name of the directory is long, and always the same.
    let text = text.rsplit('/').next().unwrap_or_default();
    let (tell, eof, direct) = ((zlib.gztell)(file), (zlib.gzeof)(file), (zlib.gzdirect)(file));
    format!("at {tell} eof {eof} direct {direct} error {code} {text:?}")
}

unsafe fn read(bench: &Bench, file: GzFile, len: usize) -> c_int {
    let mut buffer = vec![0_u8; len];
    let got = (bench.zlib.gzread)(file, buffer.as_mut_ptr().cast(), len as u32);
    note!(bench, "read {len}: {got} {} {}", digest(&buffer[..got.max(0) as usize]), state(bench, file));
    got
}

#[test]
fn written() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, place("written.gz"));
        for mode in [c"w", c"wb9", c"w0", c"w1f", c"w6h", c"wR", c"wF", c"wT", c"wbe"] {
            for (uncompressed, step) in samples().iter().flat_map(|uncompressed| {
                [(uncompressed, 1000), (uncompressed, 9000), (uncompressed, 1 << 20)]
            }) {
                let file = open(zlib, &path, mode);
                for piece in uncompressed.chunks(step) {
                    let put = (zlib.gzwrite)(file, piece.as_ptr().cast(), piece.len() as u32);
                    assert_eq!(put as usize, piece.len());
                }
                note!(bench, "{mode:?} {}", state(bench, file));
                note!(bench, "close {}", (zlib.gzclose)(file));
                let bytes = std::fs::read(&path).expect("a file was written");
                let direct = mode == c"wT";
                note!(bench, "{}", digest(&if direct { bytes } else { decompressed(bench, 31, &bytes) }));
            }
        }
    }
    compare(body);
}

#[test]
fn calls_that_write() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, place("calls.gz"));
        let file = open(zlib, &path, c"w");
        note!(bench, "buffer {} {}", (zlib.gzbuffer)(file, 100), (zlib.gzbuffer)(file, u32::MAX));
        note!(bench, "puts {}", (zlib.gzputs)(file, c"a line\n".as_ptr()));
        note!(bench, "buffer late {}", (zlib.gzbuffer)(file, 100));
        note!(bench, "putc {} {}", (zlib.gzputc)(file, 0x141), (zlib.gzputc)(file, -1));
        note!(
            bench,
            "printf {}",
            (zlib.gzprintf())(file, c"%d and %s, %5.2f\n".as_ptr(), 42, c"text".as_ptr(), 1.5)
        );
        let long = CString::new(text(99)).expect("text has no zeros");
        note!(bench, "printf {}", (zlib.gzprintf())(file, c"%s".as_ptr(), long.as_ptr()));
        let longer = CString::new(text(100)).expect("text has no zeros");
        note!(bench, "too long {}", (zlib.gzprintf())(file, c"%s".as_ptr(), longer.as_ptr()));
        note!(bench, "nothing {}", (zlib.gzprintf())(file, c"".as_ptr()));
        note!(bench, "fwrite {}", (zlib.gzfwrite)(text(70).as_ptr().cast(), 7, 10, file));
        note!(bench, "fwrite {}", (zlib.gzfwrite)(text(70).as_ptr().cast(), 7, 0, file));
        note!(bench, "flush {} {}", (zlib.gzflush)(file, Z_SYNC_FLUSH), state(bench, file));
        note!(bench, "params {}", (zlib.gzsetparams)(file, 9, 2));
        note!(bench, "seek {} {}", (zlib.gzseek)(file, 500, libc::SEEK_CUR), (zlib.gztell)(file));
        note!(bench, "seek {}", (zlib.gzseek)(file, -1, libc::SEEK_CUR));
        note!(bench, "seek {}", (zlib.gzseek)(file, 0, libc::SEEK_END));
        note!(bench, "seek {}", (zlib.gzseek64)(file, 5000, libc::SEEK_SET));
        note!(bench, "putc {} {}", (zlib.gzputc)(file, 65), state(bench, file));
        note!(bench, "finish {}", (zlib.gzflush)(file, Z_FINISH));
        note!(bench, "finish {}", (zlib.gzflush)(file, Z_FINISH));
        note!(bench, "puts {}", (zlib.gzputs)(file, c"another member".as_ptr()));
        note!(bench, "flush {} {}", (zlib.gzflush)(file, 7), (zlib.gzflush)(file, -1));
        note!(
            bench,
            "rewind {} read {}",
            (zlib.gzrewind)(file),
            (zlib.gzread)(file, std::ptr::null_mut(), 0)
        );
        note!(bench, "close_r {}", (zlib.gzclose_r)(file));
        note!(bench, "seek {} close {}", (zlib.gzseek)(file, 10, libc::SEEK_CUR), (zlib.gzclose_w)(file));
        let file = open(zlib, &path, c"ab");
        note!(bench, "append {} {}", (zlib.gzputs)(file, c"appended".as_ptr()), state(bench, file));
        note!(bench, "close {}", (zlib.gzclose)(file));
        let file = open(bench.system, &path, c"r");
        let mut back = vec![0_u8; 20_000];
        let got = (bench.system.gzread)(file, back.as_mut_ptr().cast(), 20_000);
        note!(bench, "{}", digest(&back[..got as usize]));
        (bench.system.gzclose)(file);
    }
    compare(body);
}

/// Writes a file of two members by the system's library, with other data behind them.
unsafe fn sample(bench: &Bench, name: &str, tail: &[u8]) -> PathBuf {
    let path = place(name);
    for (mode, uncompressed) in [(c"w", mixed(60_000)), (c"a", text(30_000))] {
        let file = open(bench.system, &path, mode);
        (bench.system.gzwrite)(file, uncompressed.as_ptr().cast(), uncompressed.len() as u32);
        (bench.system.gzclose)(file);
    }
    let mut bytes = std::fs::read(&path).expect("a file was written");
    bytes.extend_from_slice(tail);
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

#[test]
fn read_in_pieces() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        for tail in [&b""[..], b"garbage", b"\0\0\0\0"] {
            let path = sample(bench, "read.gz", tail);
            for (buffer, step) in [(0, 1000), (100, 1000), (8192, 100_000), (1 << 17, 16_384), (1, 7000)] {
                let file = open(zlib, &path, c"rb");
                if buffer > 0 {
                    note!(bench, "buffer {}", (zlib.gzbuffer)(file, buffer));
                }
                while read(bench, file, step) > 0 {}
                read(bench, file, 10);
                note!(bench, "close {}", (zlib.gzclose)(file));
            }
        }
    }
    compare(body);
}

#[test]
fn calls_that_read() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, sample(bench, "lines.gz", b""));
        let file = open(zlib, &path, c"r");
        note!(bench, "direct {} offset {}", (zlib.gzdirect)(file), (zlib.gzoffset)(file));
        note!(bench, "unget {} {}", (zlib.gzungetc)(b'x'.into(), file), state(bench, file));
        let mut line: Vec<c_char> = vec![0; 300];
        for len in [300, 10, 1, 2, 50, 300] {
            let got = (zlib.gzgets)(file, line.as_mut_ptr(), len);
            let line = if got.is_null() { None } else { Some(CStr::from_ptr(got)) };
            note!(bench, "gets {len} {line:?} {}", state(bench, file));
        }
        note!(bench, "getc {} {}", (zlib.gzgetc)(file), (zlib.gzgetc_)(file));
        for byte in [b'a', b'b', b'c'] {
            note!(bench, "unget {} {}", (zlib.gzungetc)(byte.into(), file), (zlib.gztell64)(file));
        }
        note!(bench, "unget {}", (zlib.gzungetc)(-1, file));
        read(bench, file, 10);
        let mut items = vec![0_u8; 1000];
        note!(bench, "fread {} {}", (zlib.gzfread)(items.as_mut_ptr().cast(), 7, 100, file), digest(&items));
        for (offset, whence) in [
            (100, libc::SEEK_SET),
            (50, libc::SEEK_CUR),
            (-20, libc::SEEK_CUR),
            (70_000, libc::SEEK_SET),
            (-1, libc::SEEK_SET),
            (5, libc::SEEK_END),
            (0, libc::SEEK_SET),
            (200_000, libc::SEEK_SET),
        ] {
            let at = (zlib.gzseek)(file, offset, whence);
            note!(bench, "seek {offset} {whence}: {at} {}", state(bench, file));
            read(bench, file, 100);
        }
        (zlib.gzclearerr)(file);
        note!(bench, "clear {}", state(bench, file));
        note!(bench, "rewind {} {}", (zlib.gzrewind)(file), state(bench, file));
        read(bench, file, 100);
        let bad = [
            (zlib.gzputc)(file, 1),
            (zlib.gzputs)(file, c"x".as_ptr()),
            (zlib.gzflush)(file, 0),
            (zlib.gzsetparams)(file, 1, 0),
        ];
        note!(bench, "{bad:?} {} {}", (zlib.gzwrite)(file, line.as_ptr().cast(), 1), (zlib.gzclose_w)(file));
        let size = (zlib.gzfread)(items.as_mut_ptr().cast(), usize::MAX, 2, file);
        note!(bench, "too large {size} {}", state(bench, file));
        (zlib.gzclearerr)(file);
        note!(
            bench,
            "too large {} {}",
            (zlib.gzread)(file, line.as_mut_ptr().cast(), u32::MAX),
            state(bench, file)
        );
        note!(bench, "close {}", (zlib.gzclose_r)(file));

        // The buffer's size limits the bytes that can be pushed back.
        let file = open(zlib, &path, c"r");
        (zlib.gzbuffer)(file, 16);
        read(bench, file, 5);
        for byte in 0..40 {
            note!(bench, "unget {} {}", (zlib.gzungetc)(byte, file), state(bench, file));
        }
        note!(bench, "close {}", (zlib.gzclose)(file));
    }
    compare(body);
}

#[test]
fn files_that_are_no_gzip() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, place("plain.txt"));
        for uncompressed in [vec![], vec![0x1f], vec![0x1f, 0x8b], text(10), noise(50_000)] {
            std::fs::write(&path, &uncompressed).expect("a file can be written");
            let file = open(zlib, &path, c"r");
            note!(bench, "{}", state(bench, file));
            read(bench, file, 7);
            note!(bench, "seek {} {}", (zlib.gzseek)(file, 20_000, libc::SEEK_SET), (zlib.gzoffset64)(file));
            while read(bench, file, 9000) > 0 {}
            note!(bench, "back {}", (zlib.gzseek)(file, 2, libc::SEEK_SET));
            read(bench, file, 7);
            note!(bench, "close {}", (zlib.gzclose)(file));
        }
    }
    compare(body);
}

#[test]
fn broken_files() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        let path = sample(bench, "broken.gz", b"");
        let good = std::fs::read(&path).expect("a file was written");
        for cut in [1, 5, 10, 11, 100, 20_000, good.len() - 1, good.len() - 9] {
            std::fs::write(&path, &good[..cut]).expect("a file can be written");
            let file = open(zlib, &path, c"r");
            while read(bench, file, 4000) > 0 {}
            read(bench, file, 4000);
            note!(bench, "close {}", (zlib.gzclose)(file));
        }
        for at in [2, 3, 15, 300, 20_000, good.len() - 3] {
            let mut bad = good.clone();
            bad[at] ^= 0x55;
            std::fs::write(&path, &bad).expect("a file can be written");
            let file = open(zlib, &path, c"r");
            while read(bench, file, 100_000) > 0 {}
            note!(
                bench,
                "getc {} gets {}",
                (zlib.gzgetc)(file),
                (zlib.gzgets)(file, [0; 9].as_mut_ptr(), 9).is_null()
            );
            note!(bench, "seek {} rewind {}", (zlib.gzseek)(file, 0, 0), (zlib.gzrewind)(file));
            note!(bench, "close {}", (zlib.gzclose)(file));
        }
    }
    compare(body);
}

#[test]
fn rejected_calls() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, place("refused.gz"));
        std::fs::write(&path, b"something").expect("a file can be written");
        for mode in [c"", c"b", c"r+", c"rT", c"w+", c"wx"] {
            note!(bench, "{mode:?} {}", open(zlib, &path, mode).is_null());
        }
        note!(bench, "missing {}", open(zlib, &place("no/such/file"), c"r").is_null());
        note!(bench, "fd {}", (zlib.gzdopen)(-1, c"r".as_ptr()).is_null());
        let none: GzFile = std::ptr::null_mut();
        let mut room = [0_u8; 10];
        let at: *mut c_void = room.as_mut_ptr().cast();
        note!(
            bench,
            "{} {} {}",
            (zlib.gzread)(none, at, 1),
            (zlib.gzwrite)(none, at, 1),
            (zlib.gzfread)(at, 1, 1, none)
        );
        note!(bench, "{} {}", (zlib.gzfwrite)(at, 1, 1, none), (zlib.gzbuffer)(none, 100));
        note!(
            bench,
            "{} {} {}",
            (zlib.gzputc)(none, 1),
            (zlib.gzputs)(none, c"".as_ptr()),
            (zlib.gzungetc)(1, none)
        );
        note!(bench, "{} {}", (zlib.gzgetc_)(none), (zlib.gzgets)(none, at.cast(), 3).is_null());
        note!(bench, "{} {}", (zlib.gzflush)(none, 0), (zlib.gzsetparams)(none, 1, 1));
        note!(bench, "{} {} {}", (zlib.gzseek)(none, 0, 0), (zlib.gzrewind)(none), (zlib.gztell)(none));
        note!(bench, "{} {} {}", (zlib.gzoffset)(none), (zlib.gzeof)(none), (zlib.gzdirect)(none));
        note!(bench, "{} {} {}", (zlib.gzclose)(none), (zlib.gzclose_r)(none), (zlib.gzclose_w)(none));
        note!(bench, "{}", (zlib.gzerror)(none, std::ptr::null_mut()).is_null());
        (zlib.gzclearerr)(none);
        note!(bench, "printf {}", (zlib.gzprintf())(none, c"x".as_ptr()));
        // A full device, and a descriptor that can't be read.
        let file = open(zlib, Path::new("/dev/full"), c"w");
        let uncompressed = noise(1_000_000);
        note!(
            bench,
            "full {} {}",
            (zlib.gzwrite)(file, uncompressed.as_ptr().cast(), 1_000_000),
            state(bench, file)
        );
        note!(bench, "close {}", (zlib.gzclose)(file));
        let directory = CString::new(env!("CARGO_TARGET_TMPDIR")).expect("a path without zeros");
        let file = (zlib.gzopen64)(directory.as_ptr(), c"r".as_ptr());
        note!(bench, "directory {}", state(bench, file));
        read(bench, file, 10);
        note!(bench, "close {}", (zlib.gzclose)(file));
    }
    compare(body);
}

#[test]
fn descriptors() {
    unsafe fn body(bench: &Bench) {
        let (zlib, path) = (bench.zlib, sample(bench, "descriptor.gz", b""));
        let name = CString::new(path.to_str().expect("a path of text")).expect("a path without zeros");
        let fd = libc::open(name.as_ptr(), libc::O_RDONLY);
        let file = (zlib.gzdopen)(fd, c"r".as_ptr());
        while read(bench, file, 30_000) > 0 {}
        note!(bench, "rewind {}", (zlib.gzrewind)(file));
        read(bench, file, 30_000);
        note!(bench, "close {} closed {}", (zlib.gzclose)(file), libc::fcntl(fd, libc::F_GETFD));
    }
    compare(body);
}
