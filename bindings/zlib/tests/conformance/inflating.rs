//! Decompression with every container and window, pieces of every size, damage, truncation, and
//! data after a stream.

use std::ffi::c_int;

use libz_rs_sys::{Z_BLOCK, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_SYNC_FLUSH, Z_TREES};

use crate::data::{Random, mixed, samples, text};
use crate::stream::{Kind, begin_inflate, blank, compressed, fields, pull, push};
use crate::{Bench, compare, note};

unsafe fn one_shot(bench: &Bench, bits: c_int, bytes: &[u8], step: usize, room: usize, flush: c_int) {
    note!(bench, "bits {bits} step {step} room {room} flush {flush}");
    let mut strm = begin_inflate(bench, bits);
    if strm.state.is_null() {
        return;
    }
    pull(bench, &mut strm, bytes, step, room, flush);
    note!(bench, "end {}", (bench.zlib.inflateEnd)(&mut *strm));
}

#[test]
fn every_wrap_in_pieces() {
    unsafe fn body(bench: &Bench) {
        for uncompressed in samples() {
            for bits in [15, 31, -15] {
                let bytes = compressed(bench, Kind::new(6, bits), &uncompressed);
                for (step, room) in [(usize::MAX, 400_000), (1 << 15, 1000), (7, 300), (1000, 65_536)] {
                    one_shot(bench, bits, &bytes, step, room, Z_NO_FLUSH);
                }
            }
        }
    }
    compare(body);
}

#[test]
fn one_byte_at_a_time() {
    unsafe fn body(bench: &Bench) {
        for bits in [15, 31, -15] {
            let bytes = compressed(bench, Kind::new(6, bits), &mixed(3000));
            one_shot(bench, bits, &bytes, 1, 1, Z_NO_FLUSH);
            one_shot(bench, bits, &bytes, 1, 5000, Z_SYNC_FLUSH);
            one_shot(bench, bits, &bytes, 5000, 1, Z_NO_FLUSH);
        }
    }
    compare(body);
}

#[test]
fn every_window_of_every_wrap() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(20_000);
        for made in [8, 9, 12, 15, -9, -12, -15, 25, 28, 31] {
            let bytes = compressed(bench, Kind::new(6, made), &uncompressed);
            for read in [0, 8, 9, 12, 15, -8, -9, -15, 16, 24, 31, 32, 40, 41, 47, 48, 7, -7, -16, 1, 100, -1]
            {
                note!(bench, "made {made}");
                one_shot(bench, read, &bytes, usize::MAX, 30_000, Z_NO_FLUSH);
            }
        }
    }
    compare(body);
}

#[test]
fn every_flush() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = mixed(40_000);
        for bits in [15, 31, -15] {
            let bytes = compressed(bench, Kind::new(6, bits), &uncompressed);
            for flush in [Z_NO_FLUSH, 1, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH, Z_BLOCK, Z_TREES] {
                for (step, room) in [(usize::MAX, 50_000), (100, 50_000), (usize::MAX, 1000)] {
                    one_shot(bench, bits, &bytes, step, room, flush);
                }
            }
        }
    }
    compare(body);
}

#[test]
fn truncated_and_followed() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(2000);
        for bits in [15, 31, -15, 47] {
            let mut bytes =
                compressed(bench, Kind::new(6, if bits == 47 { 31 } else { bits }), &uncompressed);
            for cut in 0..bytes.len().min(60) {
                one_shot(bench, bits, &bytes[..cut], usize::MAX, 3000, Z_NO_FLUSH);
                one_shot(bench, bits, &bytes[..bytes.len() - cut], usize::MAX, 3000, Z_FINISH);
            }
            bytes.extend_from_slice(b"what follows");
            one_shot(bench, bits, &bytes, usize::MAX, 3000, Z_NO_FLUSH);
            one_shot(bench, bits, &bytes, usize::MAX, 3000, Z_FINISH);
            one_shot(bench, bits, &bytes, 3, 3000, Z_NO_FLUSH);
        }
    }
    compare(body);
}

#[test]
fn damaged() {
    unsafe fn body(bench: &Bench) {
        let mut random = Random(77);
        for bits in [15, 31, -15, 47] {
            let good = compressed(bench, Kind::new(6, if bits == 47 { 15 } else { bits }), &mixed(6000));
            for round in 0..150 {
                let mut bad = good.clone();
                // The first rounds damage the header, later ones any byte.
                let reach = if round < 40 { 30.min(bad.len()) } else { bad.len() };
                let at = random.below(reach);
                bad[at] ^= 1 << random.below(8);
                note!(bench, "damaged at {at}");
                one_shot(bench, bits, &bad, usize::MAX, 10_000, Z_NO_FLUSH);
            }
        }
    }
    compare(body);
}

#[test]
fn bad_checksums() {
    unsafe fn body(bench: &Bench) {
        for (bits, tail) in [(15, 4), (31, 8)] {
            let good = compressed(bench, Kind::new(6, bits), &text(500));
            for back in 1..=tail {
                let mut bad = good.clone();
                let at = bad.len() - back;
                bad[at] ^= 1;
                for validate in [0, 1] {
                    let mut strm = begin_inflate(bench, bits);
                    note!(bench, "validate {}", (bench.zlib.inflateValidate)(&mut *strm, validate));
                    pull(bench, &mut strm, &bad, usize::MAX, 1000, Z_NO_FLUSH);
                    note!(bench, "again {} {}", (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH), fields(&strm));
                    note!(
                        bench,
                        "reset keep {} {}",
                        (bench.zlib.inflateResetKeep)(&mut *strm),
                        fields(&strm)
                    );
                    pull(bench, &mut strm, &good, usize::MAX, 1000, Z_NO_FLUSH);
                    (bench.zlib.inflateEnd)(&mut *strm);
                }
            }
        }
    }
    compare(body);
}

#[test]
fn reset_and_copy() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(30_000);
        let zlib = compressed(bench, Kind::new(6, 15), &uncompressed);
        let gzip = compressed(bench, Kind::new(6, 31), &uncompressed);
        let raw = compressed(bench, Kind::new(6, -15), &uncompressed);
        let mut strm = begin_inflate(bench, 15);
        note!(bench, "reset before {} {}", (bench.zlib.inflateReset)(&mut *strm), fields(&strm));
        pull(bench, &mut strm, &zlib, 500, 700, Z_NO_FLUSH);
        note!(bench, "reset {} {}", (bench.zlib.inflateReset)(&mut *strm), fields(&strm));
        pull(bench, &mut strm, &zlib, 500, 700, Z_NO_FLUSH);
        for (bits, bytes) in [(31, &gzip), (47, &gzip), (-15, &raw), (47, &zlib), (15, &zlib)] {
            note!(bench, "reset2 {bits} {} {}", (bench.zlib.inflateReset2)(&mut *strm, bits), fields(&strm));
            pull(bench, &mut strm, bytes, 2000, 50_000, Z_NO_FLUSH);
        }
        for bits in [7, -16, 48, 100] {
            note!(bench, "reset2 {bits} {}", (bench.zlib.inflateReset2)(&mut *strm, bits));
        }
        note!(bench, "reset keep {} {}", (bench.zlib.inflateResetKeep)(&mut *strm), fields(&strm));
        pull(bench, &mut strm, &zlib, 2000, 50_000, Z_NO_FLUSH);
        (bench.zlib.inflateEnd)(&mut *strm);

        for (bits, bytes) in [(15, &zlib), (31, &gzip), (-15, &raw), (47, &gzip)] {
            for before in [0, 1, 5, 300, bytes.len() / 2, bytes.len()] {
                let mut first = begin_inflate(bench, bits);
                let mut room = vec![0; 40_000];
                first.next_in = bytes.as_ptr();
                first.avail_in = before as u32;
                first.next_out = room.as_mut_ptr();
                first.avail_out = room.len() as u32;
                if before > 0 {
                    note!(bench, "{} {}", (bench.zlib.inflate)(&mut *first, Z_NO_FLUSH), fields(&first));
                }
                let mut second = blank();
                note!(
                    bench,
                    "copy {} {}",
                    (bench.zlib.inflateCopy)(&mut *second, &mut *first),
                    fields(&second)
                );
                for strm in [&mut first, &mut second] {
                    note!(bench, "mark {:x}", (bench.zlib.inflateMark)(&mut **strm));
                    pull(bench, strm, &bytes[before..], 999, 777, Z_NO_FLUSH);
                    note!(bench, "end {}", (bench.zlib.inflateEnd)(&mut **strm));
                }
            }
        }
    }
    compare(body);
}

#[test]
fn stops_in_stored_blocks_behind_a_sync() {
    unsafe fn body(bench: &Bench) {
        for bits in [15, 31, -15, 47] {
            let kind = Kind::new(0, if bits == 47 { 31 } else { bits });
            let mut strm = kind.begin(bench.system);
            let mut bytes = Vec::new();
            for _ in 0..3 {
                push(bench.system, &mut strm, &text(3000), Z_FULL_FLUSH, 5000, &mut bytes);
            }
            push(bench.system, &mut strm, &[], Z_FINISH, 5000, &mut bytes);
            (bench.system.deflateEnd)(&mut *strm);
            // Before the header, within it, and behind it.
            for read in [0, 1, 5, 200] {
                for flush in [Z_TREES, Z_BLOCK, Z_NO_FLUSH] {
                    let (mut strm, mut room) = (begin_inflate(bench, bits), vec![0; 5000]);
                    strm.next_in = bytes.as_ptr();
                    strm.avail_in = read;
                    strm.next_out = room.as_mut_ptr();
                    strm.avail_out = room.len() as u32;
                    note!(bench, "{} {}", (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH), fields(&strm));
                    strm.avail_in = bytes.len() as u32 - strm.total_in as u32;
                    note!(bench, "sync {} {}", (bench.zlib.inflateSync)(&mut *strm), fields(&strm));
                    let rest = bytes[strm.total_in as usize..].to_vec();
                    pull(bench, &mut strm, &rest, 500, 900, flush);
                    note!(bench, "end {}", (bench.zlib.inflateEnd)(&mut *strm));
                }
            }
        }
    }
    compare(body);
}

#[test]
fn sync_after_damage() {
    unsafe fn body(bench: &Bench) {
        for bits in [15, 31, -15, 47] {
            let kind = Kind::new(6, if bits == 47 { 31 } else { bits });
            let mut strm = kind.begin(bench.system);
            let mut bytes = Vec::new();
            for _ in 0..3 {
                push(bench.system, &mut strm, &text(3000), Z_FULL_FLUSH, 5000, &mut bytes);
            }
            push(bench.system, &mut strm, &[], Z_FINISH, 5000, &mut bytes);
            (bench.system.deflateEnd)(&mut *strm);
            for (damage, header) in [(true, true), (false, true), (false, false)] {
                let mut strm = begin_inflate(bench, bits);
                let mut bad = bytes.clone();
                if damage {
                    bad[100..110].fill(0xff);
                }
                let mut room = vec![0; 20_000];
                strm.next_in = bad.as_ptr();
                strm.avail_in = if header { 200 } else { 0 };
                strm.next_out = room.as_mut_ptr();
                strm.avail_out = room.len() as u32;
                let code = (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
                note!(bench, "{code} {} point {}", fields(&strm), (bench.zlib.inflateSyncPoint)(&mut *strm));
                for _ in 0..4 {
                    let code = (bench.zlib.inflateSync)(&mut *strm);
                    note!(bench, "sync {code} left {} {}", strm.avail_in, fields(&strm));
                    if code == Z_OK {
                        break;
                    }
                    strm.avail_in = (bad.len() - strm.total_in as usize).min(1000) as u32;
                }
                let rest = bad[strm.total_in as usize..].to_vec();
                pull(bench, &mut strm, &rest, 500, 900, Z_NO_FLUSH);
                note!(bench, "reset {} {}", (bench.zlib.inflateReset)(&mut *strm), fields(&strm));
                note!(bench, "end {}", (bench.zlib.inflateEnd)(&mut *strm));
            }
        }
    }
    compare(body);
}

#[test]
fn prime_and_marks() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(4000);
        let raw = compressed(bench, Kind::new(6, -15), &uncompressed);
        for bits in [1, 5, 8, 16] {
            let mut strm = begin_inflate(bench, -15);
            // The first bits are primed, the rest is shifted.
            let value = u32::from_le_bytes([raw[0], raw[1], 0, 0]) & ((1 << bits) - 1);
            note!(bench, "prime {}", (bench.zlib.inflatePrime)(&mut *strm, bits, value as c_int));
            let mut shifted = Vec::new();
            let bit = |at: usize| raw.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
            for byte in 0..raw.len() {
                shifted.push((0..8).map(|at| u8::from(bit(byte * 8 + at + bits as usize)) << at).sum());
            }
            pull(bench, &mut strm, &shifted, 50, 100, Z_BLOCK);
            note!(bench, "mark {:x}", (bench.zlib.inflateMark)(&mut *strm));
            for (bits, value) in [(0, 0), (-1, 0), (17, 0), (16, 3), (16, 3), (1, 1)] {
                note!(bench, "prime {bits} {}", (bench.zlib.inflatePrime)(&mut *strm, bits, value));
            }
            (bench.zlib.inflateEnd)(&mut *strm);
        }
        let mut strm = begin_inflate(bench, -15);
        let mut room = vec![0; 1];
        strm.next_in = raw.as_ptr();
        strm.avail_in = raw.len() as u32;
        for _ in 0..200 {
            strm.next_out = room.as_mut_ptr();
            strm.avail_out = 1;
            let code = (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
            note!(bench, "{code} mark {:x}", (bench.zlib.inflateMark)(&mut *strm));
        }
        (bench.zlib.inflateEnd)(&mut *strm);
    }
    compare(body);
}

/// Verification that is turned off before and inside a header.
#[test]
fn no_checksums_wanted() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(3000);
        for (made, read) in [(31, 31), (31, 47), (15, 47), (15, 15)] {
            let bytes = compressed(bench, Kind::new(6, made), &uncompressed);
            for at in [0, 1, 2, 6, 12] {
                let mut strm = begin_inflate(bench, read);
                let mut room = vec![0; 4000];
                (strm.next_in, strm.avail_in) = (bytes.as_ptr(), at);
                (strm.next_out, strm.avail_out) = (room.as_mut_ptr(), 4000);
                note!(bench, "{read} {}", (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH));
                note!(bench, "validate {}", (bench.zlib.inflateValidate)(&mut *strm, 0));
                strm.avail_in = bytes.len() as u32 - at;
                let code = (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
                note!(bench, "{code} in {} adler {:08x}", strm.total_in, strm.adler);
                (bench.zlib.inflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}
