//! Options of a stream: dictionaries, parameters, primed bits, tuning, bounds.

use std::ffi::c_int;

use libz_rs_sys::{Z_FINISH, Z_NO_FLUSH, Z_OK, Z_STREAM_END, Z_SYNC_FLUSH};

use crate::data::{mixed, noise, samples, text};
use crate::stream::{Kind, begin_inflate, decompressed, digest, fields, fields_of_compression, pull, push};
use crate::{Bench, compare, note};

#[test]
fn dictionaries() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(20_000);
        for (bits, len) in
            [(15, 100), (15, 40_000), (-15, 3000), (15, 0), (9, 5000), (31, 100), (-15, 40_000)]
        {
            let dictionary = text(len);
            for (maker, reader) in [(bench.zlib, bench.system), (bench.system, bench.zlib)] {
                let mut strm = Kind::new(6, bits).begin(maker);
                let set = (maker.deflateSetDictionary)(&mut *strm, dictionary.as_ptr(), len as u32);
                note!(bench, "{bits} {len} set {set} {}", fields(&strm));
                let (mut window, mut have) = (vec![0; 1 << 15], 0);
                let get = (maker.deflateGetDictionary)(&mut *strm, window.as_mut_ptr(), &mut have);
                note!(bench, "get {get} {}", digest(&window[..have as usize]));
                let mut bytes = Vec::new();
                let code = push(maker, &mut strm, &uncompressed, Z_FINISH, 100_000, &mut bytes);
                note!(bench, "{code} {}", fields_of_compression(&strm));
                let late = (maker.deflateSetDictionary)(&mut *strm, dictionary.as_ptr(), len as u32);
                note!(
                    bench,
                    "late {late} null {}",
                    (maker.deflateSetDictionary)(&mut *strm, std::ptr::null(), 0)
                );
                (maker.deflateEnd)(&mut *strm);

                let reading = Bench { zlib: reader, system: bench.system, notes: Default::default() };
                let mut strm = begin_inflate(&reading, bits);
                let wrong = (reader.inflateSetDictionary)(&mut *strm, uncompressed.as_ptr(), 5);
                if bits < 0 {
                    // Two dictionaries make one history.
                    (reader.inflateReset)(&mut *strm);
                    note!(
                        bench,
                        "set {}",
                        (reader.inflateSetDictionary)(&mut *strm, dictionary.as_ptr(), len as u32)
                    );
                }
                note!(bench, "before {wrong} {}", fields(&strm));
                let first = pull(&reading, &mut strm, &bytes, usize::MAX, 30_000, Z_NO_FLUSH);
                if first == 2 {
                    note!(bench, "asked {}", fields(&strm));
                    let wrong = (reader.inflateSetDictionary)(&mut *strm, uncompressed.as_ptr(), 5);
                    let right = (reader.inflateSetDictionary)(&mut *strm, dictionary.as_ptr(), len as u32);
                    note!(bench, "wrong {wrong} right {right} {}", fields(&strm));
                    let rest = bytes[bytes.len() - strm.avail_in as usize..].to_vec();
                    note!(bench, "{}", pull(&reading, &mut strm, &rest, 1000, 1000, Z_NO_FLUSH));
                }
                note!(
                    bench,
                    "read {first} in {} out {}",
                    strm.total_in == bytes.len() as u64,
                    strm.total_out
                );
                (reader.inflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}

#[test]
fn histories() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = mixed(50_000);
        let bytes = crate::stream::compressed(bench, Kind::new(6, 15), &uncompressed);
        let mut strm = begin_inflate(bench, 15);
        let (mut window, mut have) = (vec![0; 1 << 15], 99);
        note!(
            bench,
            "get {} {have}",
            (bench.zlib.inflateGetDictionary)(&mut *strm, window.as_mut_ptr(), &mut have)
        );
        let mut room = vec![0; 1000];
        strm.next_in = bytes.as_ptr();
        strm.avail_in = bytes.len() as u32;
        for _ in 0..40 {
            strm.next_out = room.as_mut_ptr();
            strm.avail_out = 1000;
            (bench.zlib.inflate)(&mut *strm, Z_NO_FLUSH);
            (bench.zlib.inflateGetDictionary)(&mut *strm, window.as_mut_ptr(), &mut have);
            note!(bench, "{}", digest(&window[..have as usize]));
        }
        (bench.zlib.inflateGetDictionary)(&mut *strm, std::ptr::null_mut(), &mut have);
        note!(
            bench,
            "{have} {}",
            (bench.zlib.inflateGetDictionary)(&mut *strm, window.as_mut_ptr(), std::ptr::null_mut())
        );
        (bench.zlib.inflateEnd)(&mut *strm);
    }
    compare(body);
}

#[test]
fn parameters_change() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = mixed(30_000);
        for bits in [15, 31, -15] {
            for from in [0, 1, 6, 9] {
                let mut strm = Kind::new(from, bits).begin(bench.zlib);
                note!(bench, "early {}", (bench.zlib.deflateParams)(&mut *strm, 3, 2));
                note!(bench, "early {}", (bench.zlib.deflateParams)(&mut *strm, from, 0));
                let mut bytes = Vec::new();
                for (level, strategy) in [(9, 0), (0, 0), (1, 3), (6, 4), (-1, 2), (2, 1), (0, 0), (9, 0)] {
                    let code = push(bench.zlib, &mut strm, &uncompressed, Z_NO_FLUSH, 100_000, &mut bytes);
                    let mut room = vec![0; 200_000];
                    strm.next_out = room.as_mut_ptr();
                    strm.avail_out = room.len() as u32;
                    let set = (bench.zlib.deflateParams)(&mut *strm, level, strategy);
                    bytes.extend_from_slice(&room[..room.len() - strm.avail_out as usize]);
                    note!(bench, "{level} {strategy}: {code} {set} in {}", strm.total_in);
                }
                for (level, strategy) in [(10, 0), (-2, 0), (5, 5), (5, -1)] {
                    note!(
                        bench,
                        "{level} {strategy}: {}",
                        (bench.zlib.deflateParams)(&mut *strm, level, strategy)
                    );
                }
                let code = push(bench.zlib, &mut strm, &uncompressed, Z_FINISH, 100_000, &mut bytes);
                note!(
                    bench,
                    "{code} adler {:08x} {}",
                    strm.adler,
                    digest(&decompressed(bench, bits, &bytes))
                );
                (bench.zlib.deflateEnd)(&mut *strm);
            }
        }
    }
    compare(body);
}

#[test]
fn bits_before_and_pending() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(5000);
        for bits in [0, 1, 3, 8, 11, 16] {
            let mut strm = Kind::new(6, -15).begin(bench.zlib);
            let (mut pending, mut left) = (99, 99);
            note!(
                bench,
                "pending {} {pending} {left}",
                (bench.zlib.deflatePending)(&mut *strm, &mut pending, &mut left)
            );
            note!(bench, "prime {}", (bench.zlib.deflatePrime)(&mut *strm, bits, 0x5a5a));
            (bench.zlib.deflatePending)(&mut *strm, &mut pending, &mut left);
            note!(bench, "pending {} bits", pending * 8 + left as u32);
            let mut bytes = Vec::new();
            push(bench.zlib, &mut strm, &uncompressed, Z_FINISH, 10_000, &mut bytes);
            let mut reader = crate::stream::blank();
            let system = bench.system;
            (system.inflateInit2_)(&mut *reader, -15, crate::stream::VERSION, crate::stream::SIZE);
            // Primed bits are removed: whole bytes, then the rest by prime.
            let one_shot = (bits as usize).div_ceil(8);
            let rest = (8 * one_shot) as c_int - bits;
            if rest > 0 {
                (system.inflatePrime)(&mut *reader, rest, c_int::from(bytes[one_shot - 1]) >> (8 - rest));
            }
            let mut room = vec![0; 6000];
            reader.next_in = bytes[one_shot..].as_ptr();
            reader.avail_in = (bytes.len() - one_shot) as u32;
            reader.next_out = room.as_mut_ptr();
            reader.avail_out = 6000;
            let code = (system.inflate)(&mut *reader, Z_FINISH);
            note!(bench, "{code} {}", digest(&room[..reader.total_out as usize]));
            (system.inflateEnd)(&mut *reader);
            (bench.zlib.deflateEnd)(&mut *strm);
        }
        let mut strm = Kind::new(6, -15).begin(bench.zlib);
        for bits in [-1, 17, 33] {
            note!(bench, "prime {bits} {}", (bench.zlib.deflatePrime)(&mut *strm, bits, 0));
        }
        let null = std::ptr::null_mut();
        note!(bench, "pending {}", (bench.zlib.deflatePending)(&mut *strm, null, std::ptr::null_mut()));
        (bench.zlib.deflateEnd)(&mut *strm);
    }
    compare(body);
}

#[test]
fn search_is_tuned() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = text(50_000);
        for level in [1, 3, 6, 9] {
            let mut strm = Kind::new(level, 15).begin(bench.zlib);
            note!(bench, "tune {}", (bench.zlib.deflateTune)(&mut *strm, 4, 4, 16, 8));
            let mut bytes = Vec::new();
            let code = push(bench.zlib, &mut strm, &uncompressed, Z_FINISH, 10_000, &mut bytes);
            note!(bench, "{code} {}", digest(&decompressed(bench, 15, &bytes)));
            (bench.zlib.deflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

#[test]
fn bounds_hold() {
    unsafe fn body(bench: &Bench) {
        let mut samples = samples();
        samples.extend([0, 1, 2, 10, 100, 126, 127, 128, 5000, 20_000].map(noise));
        for uncompressed in samples {
            for level in 0..=9 {
                for (memory, strategy) in [(8, 0), (1, 0), (9, 4), (1, 2)] {
                    for bits in [15, 31, -15, 9, -9, 27] {
                        let kind = Kind { level, bits, memory, strategy };
                        let mut strm = kind.begin(bench.zlib);
                        // An empty block, behind which bits can be primed.
                        if bits < 0 {
                            assert_eq!((bench.zlib.deflatePrime)(&mut *strm, 10, 0b010), Z_OK);
                        }
                        let bound = (bench.zlib.deflateBound)(&mut *strm, uncompressed.len() as u64) as usize;
                        let mut room = vec![0; bound];
                        strm.next_in = uncompressed.as_ptr();
                        strm.avail_in = uncompressed.len() as u32;
                        strm.next_out = room.as_mut_ptr();
                        strm.avail_out = bound as u32;
                        let code = (bench.zlib.deflate)(&mut *strm, Z_FINISH);
                        // zlib's own bound is too low for level 0 with a small window.
                        let ours = !std::ptr::eq(bench.zlib, bench.system);
                        assert!(
                            !ours || code == Z_STREAM_END,
                            "{kind:?} {} bytes: {code}",
                            uncompressed.len()
                        );
                        (bench.zlib.deflateEnd)(&mut *strm);
                    }
                }
            }
        }
        // Without a stream, and for more bytes than there are.
        let null = std::ptr::null_mut();
        assert!((bench.zlib.deflateBound)(null, 1000) >= 1000 + 18);
        note!(bench, "{}", (bench.zlib.deflateBound)(null, 1 << 40) > 1 << 40);
    }
    compare(body);
}

#[test]
fn early_flush_of_a_fresh_stream() {
    unsafe fn body(bench: &Bench) {
        for bits in [15, 31, -15] {
            let mut strm = Kind::new(6, bits).begin(bench.zlib);
            let mut bytes = Vec::new();
            let code = push(bench.zlib, &mut strm, &[], Z_SYNC_FLUSH, 100, &mut bytes);
            note!(bench, "{code} {} {:02x?}", fields(&strm), bytes);
            note!(bench, "end {}", (bench.zlib.deflateEnd)(&mut *strm));
        }
    }
    compare(body);
}
