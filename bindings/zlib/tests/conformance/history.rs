//! State that one stream leaves for the next: the window that `inflateResetKeep` keeps, and the
//! header that `inflateSync` remembers.

use std::ffi::c_int;

use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH, gz_header, z_stream,
};

use crate::data::{Random, noise, text};
use crate::stream::{Kind, SIZE, VERSION, begin_inflate, blank, compressed, digest, fields, pull, push};
use crate::{Bench, compare, note};

/// Decompresses a stream in one call with `flush`. Returns the code.
unsafe fn one_shot(
    bench: &Bench,
    strm: &mut z_stream,
    compressed: &[u8],
    room: &mut [u8],
    flush: c_int,
) -> c_int {
    (strm.next_in, strm.avail_in) = (compressed.as_ptr(), compressed.len() as u32);
    (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), room.len() as u32);
    let code = (bench.zlib.inflate)(strm, flush);
    let got = room.len() - strm.avail_out as usize;
    note!(bench, "whole {code} {} {}", digest(&room[..got]), fields(strm));
    code
}

/// Notes the contents of the window.
unsafe fn window(bench: &Bench, strm: &mut z_stream) {
    let (mut window, mut have) = (vec![0; 1 << 15], 99);
    let code = (bench.zlib.inflateGetDictionary)(strm, window.as_mut_ptr(), &mut have);
    note!(bench, "window {code} {}", digest(&window[..have as usize]));
}

/// Returns a stream with matches that reach before its beginning, in the container of `bits`.
unsafe fn following(bench: &Bench, bits: c_int, history: &[u8], uncompressed: &[u8]) -> Vec<u8> {
    let system = bench.system;
    let mut strm = Kind::new(6, -15).begin(system);
    (system.deflateSetDictionary)(&mut *strm, history.as_ptr(), history.len() as u32);
    let mut body = Vec::new();
    assert_eq!(push(system, &mut strm, uncompressed, Z_FINISH, 1 << 20, &mut body), Z_STREAM_END);
    (system.deflateEnd)(&mut *strm);
    match bits {
        ..0 => body,
        15 => {
            let sum = (system.adler32)(1, uncompressed.as_ptr(), uncompressed.len() as u32) as u32;
            [&[0x78, 0x9c][..], &body, &sum.to_be_bytes()].concat()
        }
        _ => {
            let sum = (system.crc32)(0, uncompressed.as_ptr(), uncompressed.len() as u32) as u32;
            let len = uncompressed.len() as u32;
            let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
            [&header[..], &body, &sum.to_le_bytes(), &len.to_le_bytes()].concat()
        }
    }
}

#[test]
fn a_reset_that_keeps_the_history() {
    unsafe fn body(bench: &Bench) {
        let (first, second) = (noise(50_000), noise(30_000));
        for (bits, flush, copies) in [
            (-15, Z_SYNC_FLUSH, false),
            (-15, Z_NO_FLUSH, true),
            (-15, Z_FINISH, false),
            (15, Z_NO_FLUSH, false),
            (15, Z_FINISH, true),
            (31, Z_SYNC_FLUSH, true),
        ] {
            for len in [50_000, 300, 0] {
                let first = &first[..len];
                // This output repeats the end of the last one, so it is short if its matches reach
                // there.
                let second = [&first[len.saturating_sub(20_000)..], &second[..300]].concat();
                let compressed = compressed(bench, Kind::new(6, bits), first);
                let next = following(bench, bits, first, &second);
                let mut room = vec![0; 60_000];
                let mut strm = begin_inflate(bench, bits);
                // Twice, as the second reset has a stream that zlib-rs decoded.
                one_shot(bench, &mut strm, &compressed, &mut room, flush);
                window(bench, &mut strm);
                // The caller's buffer is not read again.
                room.fill(0xAA);
                if copies {
                    let mut other = blank();
                    note!(bench, "copy {}", (bench.zlib.inflateCopy)(&mut *other, &mut *strm));
                    std::mem::swap(&mut strm, &mut other);
                    (bench.zlib.inflateEnd)(&mut *other);
                    window(bench, &mut strm);
                }
                // Libraries differ in whether the window has the output before an error, or that of
                // a single call.
                let mut ended = flush != Z_FINISH;
                for _ in 0..2 {
                    note!(bench, "keep {} {}", (bench.zlib.inflateResetKeep)(&mut *strm), fields(&strm));
                    if ended {
                        window(bench, &mut strm);
                    }
                    ended &= one_shot(bench, &mut strm, &next, &mut room, flush) == Z_STREAM_END;
                }
                // Without it, nothing is kept.
                note!(bench, "reset {}", (bench.zlib.inflateReset)(&mut *strm));
                window(bench, &mut strm);
                one_shot(bench, &mut strm, &next, &mut room, flush);
                note!(bench, "keep {}", (bench.zlib.inflateResetKeep)(&mut *strm));
                pull(bench, &mut strm, &next, 100, 1000, Z_NO_FLUSH);
                (bench.zlib.inflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}

#[test]
fn sync_after_a_stream_that_was_whole() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(9000);
        for bits in [-15, 15, 31, 47] {
            for kind in [15, 31] {
                let container = if bits < 0 {
                    -15
                } else if bits == 47 {
                    kind
                } else {
                    bits
                };
                let mut bytes = Vec::new();
                let mut strm = Kind::new(6, container).begin(bench.system);
                push(bench.system, &mut strm, &uncompressed, 3, 1 << 20, &mut bytes);
                push(bench.system, &mut strm, &uncompressed, Z_FINISH, 1 << 20, &mut bytes);
                (bench.system.deflateEnd)(&mut *strm);
                for check in [0, 1] {
                    let mut strm = begin_inflate(bench, bits);
                    let mut room = vec![0; 30_000];
                    one_shot(bench, &mut strm, &bytes, &mut room, Z_NO_FLUSH);
                    note!(bench, "validate {}", (bench.zlib.inflateValidate)(&mut *strm, check));
                    note!(bench, "none {} {}", (bench.zlib.inflateSync)(&mut *strm), fields(&strm));
                    (strm.next_in, strm.avail_in) = (bytes.as_ptr(), bytes.len() as u32);
                    note!(bench, "sync {} {}", (bench.zlib.inflateSync)(&mut *strm), fields(&strm));
                    let rest = bytes[bytes.len() - strm.avail_in as usize..].to_vec();
                    one_shot(bench, &mut strm, &rest, &mut room, Z_NO_FLUSH);
                    note!(bench, "left {}", strm.avail_in);
                    (bench.zlib.inflateEnd)(&mut *strm);
                }
            }
        }
    }
    compare(body);
}

/// Bits between blocks: the decoded data shows the place where `deflatePrime` puts them.
#[test]
fn bits_in_the_middle() {
    /// A block of the fixed code with the letter X, in two pieces: its header with the letter, and
    /// its end.
    const BLOCK: [(c_int, c_int); 2] = [(11, 0b0001_0001 << 3 | 0b010), (7, 0)];

    unsafe fn body(bench: &Bench) {
        let uncompressed = text(3000);
        // Level 1 is left out, as zlib-rs, which compresses without AVX-512, has begun a block
        // there.
        for (level, flush) in [(6, Z_NO_FLUSH), (6, 3), (4, Z_NO_FLUSH), (9, 3), (6, Z_SYNC_FLUSH)] {
            for before in [0, 1, 500, 3000] {
                let mut strm = Kind::new(level, -15).begin(bench.zlib);
                let mut bytes = Vec::new();
                // Long enough for our block encoder, and shorter than a block of zlib's.
                push(bench.zlib, &mut strm, &noise(20_000), 3, 1 << 20, &mut bytes);
                push(bench.zlib, &mut strm, &uncompressed[..before], flush, 1 << 20, &mut bytes);
                for (bits, value) in BLOCK {
                    note!(bench, "prime {}", (bench.zlib.deflatePrime)(&mut *strm, bits, value));
                }
                let (mut count, mut pending) = (0, 0);
                (bench.zlib.deflatePending)(&mut *strm, &mut count, &mut pending);
                push(bench.zlib, &mut strm, &[], 3, 1 << 20, &mut bytes);
                push(bench.zlib, &mut strm, &uncompressed, Z_FINISH, 1 << 20, &mut bytes);
                note!(bench, "end {}", (bench.zlib.deflateEnd)(&mut *strm));
                let got = crate::stream::decompressed(bench, -15, &bytes);
                // A block that is not the last may begin at any bit; the letter is in the place of
                // the bits.
                note!(bench, "{level} {flush} {before}: {} of {}", digest(&got), got.len());
            }
        }
    }
    compare(body);
}

/// A stream without checksum in zlib-rs is not verified; zlib-rs would panic.
#[test]
fn checks_that_come_late() {
    unsafe fn body(bench: &Bench) {
        for len in [0, 1, 30, 5000, 70_000] {
            let uncompressed = text(len);
            let bytes = compressed(bench, Kind::new(6, 31), &uncompressed);
            for at in [5, 10, 11] {
                let mut strm = begin_inflate(bench, 31);
                let mut room = vec![0; 80_000];
                (bench.zlib.inflateValidate)(&mut *strm, 0);
                (strm.next_in, strm.avail_in) = (bytes.as_ptr(), at);
                (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), room.len() as u32);
                (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
                note!(bench, "on {}", (bench.zlib.inflateValidate)(&mut *strm, 1));
                strm.avail_in = bytes.len() as u32 - at;
                let code = (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
                note!(bench, "{len} {at}: {code} {}", fields(&strm));
                (bench.zlib.inflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}

/// Version and size are checked before anything else.
#[test]
fn histories_begin_empty() {
    unsafe fn body(bench: &Bench) {
        let mut strm = blank();
        note!(bench, "{}", (bench.zlib.inflateInit2_)(&mut *strm, -15, VERSION, SIZE));
        window(bench, &mut strm);
        note!(bench, "{}", (bench.zlib.inflateResetKeep)(&mut *strm));
        window(bench, &mut strm);
        (bench.zlib.inflateEnd)(&mut *strm);
    }
    compare(body);
}

/// Verification that is off for a while, in streams that are copied.
#[test]
fn checks_that_come_and_go() {
    unsafe fn body(bench: &Bench) {
        let mut random = Random(7);
        for number in 0..300 {
            let uncompressed = text(1 + random.below([60_000, 900][number % 2]));
            let bits = [15, 31, 47][random.below(3)];
            let mut bytes = compressed(bench, Kind::new(6, if bits == 15 { 15 } else { 31 }), &uncompressed);
            if random.below(8) == 0 {
                let end = bytes.len() - 5;
                bytes[end] ^= 1;
            }
            let mut strm = begin_inflate(bench, bits);
            let (mut room, mut shown, most) = (vec![0; 70_000], 0, [20, 3000, 80_000][random.below(3)]);
            strm.next_in = bytes.as_ptr();
            for step in 0..200 {
                match random.below(12) {
                    // If it is off while gzip's header is read, ours verifies nothing.
                    0 if strm.total_in >= 10 => {
                        note!(bench, "off {}", (bench.zlib.inflateValidate)(&mut *strm, 0))
                    }
                    1 | 2 => note!(bench, "on {}", (bench.zlib.inflateValidate)(&mut *strm, 1)),
                    3 => {
                        let mut other = blank();
                        note!(bench, "copy {}", (bench.zlib.inflateCopy)(&mut *other, &mut *strm));
                        if random.below(2) == 0 {
                            std::mem::swap(&mut strm, &mut other);
                        }
                        (bench.zlib.inflateEnd)(&mut *other);
                    }
                    _ => {
                        let more = random.below(most).min(bytes.len() - shown);
                        let left = strm.avail_in as usize;
                        strm.next_in = bytes[shown - left..].as_ptr();
                        shown += more;
                        strm.avail_in = (left + more) as u32;
                        let len = 1 + random.below(room.len() - 1);
                        (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), len as u32);
                        let code = (bench.zlib.inflate)(
                            &mut *strm,
                            [0, 0, Z_SYNC_FLUSH, Z_FINISH, 3][random.below(5)],
                        );
                        note!(
                            bench,
                            "{number} {step}: {code} in {} out {} adler {:x}",
                            strm.total_in,
                            strm.total_out,
                            strm.adler
                        );
                        if code != 0 && code != -5 {
                            note!(bench, "{}", fields(&strm));
                            break;
                        }
                    }
                }
            }
            (bench.zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

/// A header that begins with primed bits, with a window by `windowBits` or by the header.
#[test]
fn a_header_that_begins_with_bits() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = noise(200_000);
        for level in [0, 6] {
            let bytes = compressed(bench, Kind::new(level, 15), &uncompressed);
            for bits in [15, 32, 0, 47] {
                for (step, flush) in
                    [(usize::MAX, Z_FINISH), (usize::MAX, Z_NO_FLUSH), (1, Z_NO_FLUSH), (999, Z_BLOCK)]
                {
                    let mut strm = begin_inflate(bench, bits);
                    note!(bench, "prime {}", (bench.zlib.inflatePrime)(&mut *strm, 8, bytes[0].into()));
                    let (mut room, mut code) = (vec![0; 250_000], Z_OK);
                    (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), room.len() as u32);
                    // zlib-rs decodes such a stream, and does not always report where it stopped in
                    // a block.
                    let mut chunks = bytes[1..].chunks(step);
                    while matches!(code, Z_OK | Z_BUF_ERROR) {
                        if strm.avail_in == 0 {
                            let Some(piece) = chunks.next() else { break };
                            (strm.next_in, strm.avail_in) = (piece.as_ptr(), piece.len() as u32);
                        }
                        code = (bench.zlib.inflate)(&mut *strm, flush);
                    }
                    room.truncate(strm.total_out as usize);
                    note!(bench, "{code} in {} {} {}", strm.total_in, digest(&room), strm.adler);
                    (bench.zlib.inflateEnd)(&mut *strm);
                }
            }
        }
    }
    compare(body);
}

/// History of a raw stream after one with a dictionary, which may have ended in one call.
#[test]
fn a_dictionary_before_the_end() {
    unsafe fn body(bench: &Bench) {
        let bytes = compressed(bench, Kind::new(6, -15), &text(150));
        // A match of three bytes, five bytes back, in a block of the fixed code.
        let next = [0x03, 0x12, 0];
        for flush in [Z_FINISH, Z_NO_FLUSH] {
            for given in [0, 5] {
                let mut strm = begin_inflate(bench, -15);
                note!(bench, "{}", (bench.zlib.inflateSetDictionary)(&mut *strm, b"hello".as_ptr(), given));
                let mut room = vec![0; 1000];
                one_shot(bench, &mut strm, &bytes, &mut room, flush);
                if given > 0 {
                    window(bench, &mut strm);
                }
                note!(bench, "prime {}", (bench.zlib.inflatePrime)(&mut *strm, 3, 0));
                note!(bench, "keep {} {}", (bench.zlib.inflateResetKeep)(&mut *strm), fields(&strm));
                one_shot(bench, &mut strm, &next, &mut room, Z_NO_FLUSH);
                (bench.zlib.inflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}

/// A match that reaches too far back for the first output, but not for the second.
#[test]
fn a_dictionary_for_a_match_that_waits() {
    unsafe fn body(bench: &Bench) {
        // The letter A, three bytes from five bytes back, and Z.
        let bytes = [0x73, 0x04, 0x12, 0x51, 0x00];
        for given in [0, 4, 5] {
            let mut strm = begin_inflate(bench, -15);
            let mut room = [0; 100];
            one_shot(bench, &mut strm, &bytes, &mut room[..1], Z_NO_FLUSH);
            note!(bench, "{}", (bench.zlib.inflateSetDictionary)(&mut *strm, b"hello".as_ptr(), given));
            (strm.next_out, strm.avail_out) = (room[1..].as_mut_ptr(), 99);
            note!(bench, "{} {}", (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH), fields(&strm));
            note!(bench, "{:?}", &room[..strm.total_out as usize]);
            (bench.zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

/// A sync that finds no header makes the stream raw for good: it takes a dictionary after a reset.
#[test]
fn a_dictionary_after_a_sync_without_a_header() {
    unsafe fn body(bench: &Bench) {
        let marker = [0, 0, 0xff, 0xff];
        for bits in [15, 31, 47, 32] {
            let mut strm = begin_inflate(bench, bits);
            (strm.next_in, strm.avail_in) = (marker.as_ptr(), 4);
            note!(bench, "sync {} {}", (bench.zlib.inflateSync)(&mut *strm), fields(&strm));
            note!(bench, "reset {} {}", (bench.zlib.inflateReset)(&mut *strm), fields(&strm));
            let mut room = [0; 100];
            // an empty block of the fixed code
            one_shot(bench, &mut strm, &[3, 0], &mut room, Z_NO_FLUSH);
            note!(bench, "prime {}", (bench.zlib.inflatePrime)(&mut *strm, 16, 0));
            note!(bench, "{}", (bench.zlib.inflateSetDictionary)(&mut *strm, b"hello".as_ptr(), 5));
            (bench.zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

/// A stream whose checksum came with its data has no window, also if its header is asked for.
#[test]
fn no_window_after_a_header_and_all_data() {
    unsafe fn body(bench: &Bench) {
        let bytes = compressed(bench, Kind::new(6, 31), &text(50));
        for cut in 0..10 {
            let mut strm = begin_inflate(bench, 47);
            // SAFETY: all fields are numbers or pointers that may be null.
            let mut header: gz_header = unsafe { std::mem::zeroed() };
            note!(bench, "{}", (bench.zlib.inflateGetHeader)(&mut *strm, &mut header));
            let mut room = [0; 100];
            one_shot(bench, &mut strm, &bytes[..bytes.len() - cut], &mut room, Z_NO_FLUSH);
            window(bench, &mut strm);
            (bench.zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

/// The trailer behind a gzip header that was refused has a length, unless its method and flags are
/// zero.
#[test]
fn trailers_behind_refused_headers() {
    unsafe fn body(bench: &Bench) {
        let marker = [0, 0, 0xff, 0xff];
        for [method, flags] in [[0, 0], [0, 4], [9, 0], [8, 0xe0], [0, 0x20]] {
            for bits in [31, 47] {
                for piece in [1, 2, 3, 4] {
                    let mut strm = begin_inflate(bench, bits);
                    let mut room = [0; 100];
                    for part in [0x1f, 0x8b, method, flags].chunks(piece) {
                        one_shot(bench, &mut strm, part, &mut room, Z_NO_FLUSH);
                    }
                    (strm.next_in, strm.avail_in) = (marker.as_ptr(), 4);
                    note!(bench, "sync {} {}", (bench.zlib.inflateSync)(&mut *strm), fields(&strm));
                    // an empty block of the fixed code, and then anything
                    one_shot(bench, &mut strm, &[3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], &mut room, Z_NO_FLUSH);
                    note!(bench, "left {}", strm.avail_in);
                    (bench.zlib.inflateEnd)(&mut *strm);
                }
            }
        }
    }
    compare(body);
}
