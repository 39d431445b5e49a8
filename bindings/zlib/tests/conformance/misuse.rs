//! Misuse that zlib rejects: no stream, no state, another stream's state, wrong versions,
//! allocators that fail.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicIsize, Ordering};

use libz_rs_sys::{Z_FINISH, Z_NO_FLUSH, z_stream};

use crate::data::text;
use crate::stream::{Kind, SIZE, VERSION, begin_inflate, blank, push};
use crate::{Bench, compare, note};

/// Makes every call that takes a compressing stream.
unsafe fn deflate_calls(bench: &Bench, strm: *mut z_stream) {
    let (zlib, mut other) = (bench.zlib, blank());
    let (mut pending, mut bits, byte) = (0, 0, 0);
    let codes = [
        (zlib.deflate)(strm, Z_NO_FLUSH),
        (zlib.deflateReset)(strm),
        (zlib.deflateResetKeep)(strm),
        (zlib.deflateParams)(strm, 1, 0),
        (zlib.deflateTune)(strm, 1, 1, 1, 1),
        (zlib.deflatePending)(strm, &mut pending, &mut bits),
        (zlib.deflatePrime)(strm, 1, 1),
        (zlib.deflateSetHeader)(strm, std::ptr::null_mut()),
        (zlib.deflateSetDictionary)(strm, &byte, 1),
        (zlib.deflateGetDictionary)(strm, std::ptr::null_mut(), &mut pending),
        (zlib.deflateCopy)(&mut *other, strm),
        (zlib.deflateEnd)(strm),
    ];
    note!(bench, "{codes:?}");
}

/// Makes every call that takes a decompressing stream.
unsafe fn inflate_calls(bench: &Bench, strm: *mut z_stream) {
    let (zlib, mut other) = (bench.zlib, blank());
    let (mut len, byte) = (0, 0);
    let codes = [
        (zlib.inflate)(strm, Z_NO_FLUSH),
        (zlib.inflateReset)(strm),
        (zlib.inflateReset2)(strm, 15),
        (zlib.inflateResetKeep)(strm),
        (zlib.inflateSync)(strm),
        (zlib.inflateSyncPoint)(strm),
        (zlib.inflatePrime)(strm, 1, 1),
        (zlib.inflateGetHeader)(strm, std::ptr::null_mut()),
        (zlib.inflateSetDictionary)(strm, &byte, 1),
        (zlib.inflateGetDictionary)(strm, std::ptr::null_mut(), &mut len),
        (zlib.inflateUndermine)(strm, 1),
        (zlib.inflateValidate)(strm, 1),
        (zlib.inflateCopy)(&mut *other, strm),
        (zlib.inflateEnd)(strm),
    ];
    note!(bench, "{codes:?} {} {}", (zlib.inflateMark)(strm), (zlib.inflateCodesUsed)(strm));
}

#[test]
fn streams_that_are_none() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        let mut blank = blank();
        for strm in [std::ptr::null_mut(), &raw mut *blank] {
            deflate_calls(bench, strm);
            inflate_calls(bench, strm);
        }
        // The bytes of a stream in another place are not a stream.
        let mut strm = Kind::new(6, 15).begin(zlib);
        let mut moved = Box::new(*strm);
        deflate_calls(bench, &mut *moved);
        note!(bench, "end {} again {}", (zlib.deflateEnd)(&mut *strm), (zlib.deflateEnd)(&mut *strm));
        let mut strm = begin_inflate(bench, 15);
        let mut moved = Box::new(*strm);
        inflate_calls(bench, &mut *moved);
        note!(bench, "undermine {}", (zlib.inflateUndermine)(&mut *strm, 1));
        note!(bench, "end {} again {}", (zlib.inflateEnd)(&mut *strm), (zlib.inflateEnd)(&mut *strm));
        // Everything is freed.
        deflate_calls(bench, &mut *strm);
        inflate_calls(bench, &mut *strm);
        let null = std::ptr::null_mut();
        let mut strm = Kind::new(6, 15).begin(zlib);
        note!(bench, "copies {}", (zlib.deflateCopy)(null, &mut *strm));
        (zlib.deflateEnd)(&mut *strm);
        let mut strm = begin_inflate(bench, 15);
        note!(bench, "copies {}", (zlib.inflateCopy)(null, &mut *strm));
        (zlib.inflateEnd)(&mut *strm);
    }
    compare(body);
}

#[test]
fn buffers_that_are_none() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        let mut room = [0; 100];
        for (input, output) in [(true, false), (false, true), (false, false)] {
            let mut strm = Kind::new(6, 15).begin(zlib);
            strm.avail_in = 5;
            strm.avail_out = 50;
            strm.next_in = if input { room.as_ptr() } else { std::ptr::null() };
            strm.next_out = if output { room.as_mut_ptr() } else { std::ptr::null_mut() };
            let code = (zlib.deflate)(&mut *strm, Z_NO_FLUSH);
            note!(bench, "{code} {}", crate::stream::fields(&strm));
            (zlib.deflateEnd)(&mut *strm);
            let mut strm = begin_inflate(bench, 15);
            strm.avail_in = 5;
            strm.avail_out = 50;
            strm.next_in = if input { room.as_ptr() } else { std::ptr::null() };
            strm.next_out = if output { room.as_mut_ptr() } else { std::ptr::null_mut() };
            let code = (zlib.inflate)(&mut *strm, Z_NO_FLUSH);
            note!(bench, "{code} {}", crate::stream::fields(&strm));
            (zlib.inflateEnd)(&mut *strm);
        }
    }
    compare(body);
}

#[test]
fn versions_and_sizes() {
    unsafe fn body(bench: &Bench) {
        let mut strm = blank();
        for version in [c"1", c"1.3.1", c"1.9.9", c"2.0", c"0.9", c""] {
            for size in [SIZE, SIZE - 1, 0] {
                let deflate = (bench.zlib.deflateInit_)(&mut *strm, 6, version.as_ptr(), size);
                if deflate == 0 {
                    (bench.zlib.deflateEnd)(&mut *strm);
                }
                let inflate = (bench.zlib.inflateInit_)(&mut *strm, version.as_ptr(), size);
                if inflate == 0 {
                    (bench.zlib.inflateEnd)(&mut *strm);
                }
                note!(bench, "{version:?} {size}: {deflate} {inflate}");
            }
        }
        let null = std::ptr::null_mut();
        note!(bench, "{}", (bench.zlib.deflateInit_)(&mut *strm, 6, std::ptr::null(), SIZE));
        note!(bench, "{}", (bench.zlib.inflateInit_)(&mut *strm, std::ptr::null(), SIZE));
        note!(bench, "{}", (bench.zlib.deflateInit_)(null, 6, VERSION, SIZE));
        note!(bench, "{}", (bench.zlib.inflateInit_)(null, VERSION, SIZE));
    }
    compare(body);
}

/// Allocations that have not been freed.
static LIVE: AtomicIsize = AtomicIsize::new(0);

unsafe extern "C" fn counted_alloc(_: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    LIVE.fetch_add(1, Ordering::Relaxed);
    libc::malloc(items as usize * size as usize)
}

unsafe extern "C" fn counted_free(_: *mut c_void, address: *mut c_void) {
    LIVE.fetch_sub(1, Ordering::Relaxed);
    libc::free(address)
}

unsafe extern "C" fn no_alloc(_: *mut c_void, _: c_uint, _: c_uint) -> *mut c_void {
    std::ptr::null_mut()
}

#[test]
fn allocators() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        let uncompressed = text(10_000);
        let mut strm = blank();
        strm.zalloc = Some(counted_alloc);
        strm.zfree = Some(counted_free);
        (zlib.deflateInit_)(&mut *strm, 6, VERSION, SIZE);
        let mut bytes = Vec::new();
        note!(bench, "{}", push(zlib, &mut strm, &uncompressed, Z_FINISH, 1000, &mut bytes));
        let mut copy = blank();
        note!(
            bench,
            "copy {} some {}",
            (zlib.deflateCopy)(&mut *copy, &mut *strm),
            LIVE.load(Ordering::Relaxed) > 0
        );
        note!(bench, "{} {}", (zlib.deflateEnd)(&mut *copy), (zlib.deflateEnd)(&mut *strm));
        note!(bench, "left {}", LIVE.load(Ordering::Relaxed));

        let mut strm = blank();
        strm.zalloc = Some(counted_alloc);
        strm.zfree = Some(counted_free);
        (zlib.inflateInit_)(&mut *strm, VERSION, SIZE);
        crate::stream::pull(
            bench,
            &mut strm,
            &crate::stream::compressed(bench, Kind::new(6, 15), &uncompressed),
            100,
            100,
            0,
        );
        note!(bench, "copy {}", (zlib.inflateCopy)(&mut *copy, &mut *strm));
        note!(bench, "{} {}", (zlib.inflateEnd)(&mut *copy), (zlib.inflateEnd)(&mut *strm));
        note!(bench, "left {}", LIVE.load(Ordering::Relaxed));

        let mut strm = blank();
        strm.zalloc = Some(no_alloc);
        strm.zfree = Some(counted_free);
        let codes: [c_int; 2] = [
            (zlib.deflateInit_)(&mut *strm, 6, VERSION, SIZE),
            (zlib.inflateInit_)(&mut *strm, VERSION, SIZE),
        ];
        note!(bench, "{codes:?} {}", strm.state.is_null());
        note!(bench, "left {}", LIVE.load(Ordering::Relaxed));
    }
    compare(body);
}
