//! gzip's header, written and read, whole and in pieces.

use std::ffi::c_int;

use libz_rs_sys::{Z_FINISH, Z_NO_FLUSH, gz_header};

use crate::data::text;
use crate::stream::{Kind, begin_inflate, compressed, decompressed, digest, pull, push};
use crate::{Bench, compare, note};

/// Returns a header of zeros.
fn blank() -> gz_header {
    // SAFETY: all zeros are null pointers and numbers.
    unsafe { std::mem::zeroed() }
}

/// Returns a header with all fields, over these texts.
fn full(extra: &mut [u8], name: &mut [u8], comment: &mut [u8], hcrc: c_int) -> gz_header {
    gz_header {
        text: 1,
        time: 0x1234_5678,
        os: 7,
        extra: extra.as_mut_ptr(),
        extra_len: extra.len() as u32,
        name: name.as_mut_ptr(),
        comment: comment.as_mut_ptr(),
        hcrc,
        ..blank()
    }
}

/// Reads a header in pieces, with little capacity for it, and notes it.
unsafe fn read(bench: &Bench, bits: c_int, bytes: &[u8], step: usize, room: usize) {
    let (mut extra, mut name, mut comment) = (vec![b'?'; 100], vec![b'?'; 100], vec![b'?'; 100]);
    let mut header = gz_header {
        extra: extra.as_mut_ptr(),
        extra_max: room as u32,
        name: name.as_mut_ptr(),
        name_max: room as u32,
        comment: comment.as_mut_ptr(),
        comm_max: room as u32,
        done: 9,
        ..blank()
    };
    let mut strm = begin_inflate(bench, bits);
    let code = (bench.zlib.inflateGetHeader)(&mut *strm, &mut header);
    note!(bench, "get {code} done {}", header.done);
    pull(bench, &mut strm, bytes, step, 5000, Z_NO_FLUSH);
    let gz_header { text, time, xflags, os, extra_len, hcrc, done, .. } = header;
    note!(bench, "text {text} time {time} xflags {xflags} os {os} extra {extra_len} hcrc {hcrc} done {done}");
    note!(bench, "extra {} name {} comment {}", digest(&extra), digest(&name), digest(&comment));
    note!(bench, "{} {} {}", header.extra.is_null(), header.name.is_null(), header.comment.is_null());
    note!(bench, "end {}", (bench.zlib.inflateEnd)(&mut *strm));
}

#[test]
fn written_and_read() {
    unsafe fn body(bench: &Bench) {
        for hcrc in [0, 1] {
            for level in [1, 6, 9] {
                let (mut extra, mut name, mut comment) =
                    ([5; 70], *b"a name\0", *b"a comment that is longer\0");
                let mut header = full(&mut extra, &mut name, &mut comment, hcrc);
                for room in [10_000, 1] {
                    let mut strm = Kind::new(level, 31).begin(bench.zlib);
                    note!(bench, "set {}", (bench.zlib.deflateSetHeader)(&mut *strm, &mut header));
                    let bound = (bench.zlib.deflateBound)(&mut *strm, 3000);
                    let mut bytes = Vec::new();
                    let code = push(bench.zlib, &mut strm, &text(3000), Z_FINISH, room, &mut bytes);
                    assert!(bytes.len() as u64 <= bound, "{} > {bound}", bytes.len());
                    // The blocks that follow may differ.
                    let fields = 10 + 2 + extra.len() + name.len() + comment.len() + 2 * hcrc as usize;
                    note!(bench, "{code} header {}", digest(&bytes[..fields]));
                    note!(bench, "{}", digest(&decompressed(bench, 31, &bytes)));
                    (bench.zlib.deflateEnd)(&mut *strm);
                }
            }
        }
    }
    compare(body);
}

#[test]
fn read_in_pieces() {
    unsafe fn body(bench: &Bench) {
        for hcrc in [0, 1] {
            let (mut extra, mut name, mut comment) = ([5; 70], *b"a name\0", *b"a comment that is longer\0");
            let mut header = full(&mut extra, &mut name, &mut comment, hcrc);
            let mut strm = Kind::new(6, 31).begin(bench.system);
            (bench.system.deflateSetHeader)(&mut *strm, &mut header);
            let mut bytes = Vec::new();
            push(bench.system, &mut strm, &text(3000), Z_FINISH, 10_000, &mut bytes);
            (bench.system.deflateEnd)(&mut *strm);
            for bits in [31, 47, 15] {
                for step in [usize::MAX, 1, 7] {
                    for room in [100, 3] {
                        read(bench, bits, &bytes, step, room);
                    }
                }
            }
            if hcrc == 1 {
                for at in [0, 1, 2, 3, 5, 20, 113, 114] {
                    let mut bad = bytes.clone();
                    bad[at] ^= 0x40;
                    note!(bench, "damaged at {at}");
                    read(bench, 31, &bad, usize::MAX, 100);
                    read(bench, 47, &bad, 1, 100);
                }
            }
        }
        let uncompressed = text(3000);
        read(bench, 47, &compressed(bench, Kind::new(6, 15), &uncompressed), 1, 100);
        read(bench, 47, &compressed(bench, Kind::new(6, 31), &uncompressed), 1, 100);
    }
    compare(body);
}

#[test]
fn without_one() {
    unsafe fn body(bench: &Bench) {
        let mut header = blank();
        for bits in [15, -15] {
            let mut strm = Kind::new(6, bits).begin(bench.zlib);
            note!(bench, "set {}", (bench.zlib.deflateSetHeader)(&mut *strm, &mut header));
            (bench.zlib.deflateEnd)(&mut *strm);
            let mut strm = begin_inflate(bench, bits);
            note!(bench, "get {}", (bench.zlib.inflateGetHeader)(&mut *strm, &mut header));
            (bench.zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}
