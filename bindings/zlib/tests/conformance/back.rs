//! `inflateBack`, with functions that pass data in pieces, and stop.

use std::ffi::{c_int, c_uint, c_void};

use libz_rs_sys::z_stream;

use crate::data::{Random, mixed, samples};
use crate::stream::{Kind, SIZE, VERSION, blank, compressed, digest, string};
use crate::{Bench, compare, note};

/// Source of the input.
struct Source<'a> {
    bytes: &'a [u8],
    step: usize,
}

/// Destination of the output, and the number of calls that it accepts.
struct Sink {
    bytes: Vec<u8>,
    calls: usize,
}

unsafe extern "C" fn give(source: *mut c_void, to: *mut *const u8) -> c_uint {
    let source = &mut *source.cast::<Source>();
    let (now, later) = source.bytes.split_at(source.step.min(source.bytes.len()));
    source.bytes = later;
    *to = now.as_ptr();
    now.len() as c_uint
}

unsafe extern "C" fn take(sink: *mut c_void, from: *mut u8, len: c_uint) -> c_int {
    let sink = &mut *sink.cast::<Sink>();
    if sink.calls == 0 {
        return 1;
    }
    sink.calls -= 1;
    sink.bytes.extend_from_slice(std::slice::from_raw_parts(from, len as usize));
    0
}

unsafe fn run(bench: &Bench, strm: &mut z_stream, bytes: &[u8], first: usize, step: usize, calls: usize) {
    let first = first.min(bytes.len());
    let mut source = Source { bytes: &bytes[first..], step };
    let mut sink = Sink { bytes: Vec::new(), calls };
    strm.next_in = bytes.as_ptr();
    strm.avail_in = first as u32;
    let (from, to) = (&raw mut source, &raw mut sink);
    let code = (bench.zlib.inflateBack)(strm, Some(give), from.cast(), Some(take), to.cast());
    let left = strm.avail_in as usize + source.bytes.len();
    note!(
        bench,
        "{code} {} left {left} null {} {}",
        digest(&sink.bytes),
        strm.next_in.is_null(),
        string(strm.msg)
    );
}

#[test]
fn back_and_back_again() {
    unsafe fn body(bench: &Bench) {
        let mut window = vec![0; 1 << 15];
        for bits in [9, 12, 15] {
            let mut strm = blank();
            let code = (bench.zlib.inflateBackInit_)(&mut *strm, bits, window.as_mut_ptr(), VERSION, SIZE);
            note!(bench, "init {code}");
            for uncompressed in samples() {
                let mut bytes = compressed(bench, Kind::new(6, -bits), &uncompressed);
                for (first, step) in [(0, 1), (0, 100), (50, 1000), (1 << 20, 1)] {
                    run(bench, &mut strm, &bytes, first, step, usize::MAX);
                }
                run(bench, &mut strm, &bytes, 0, 100, 0);
                run(bench, &mut strm, &bytes[..bytes.len() / 2], 0, 100, usize::MAX);
                bytes.extend_from_slice(b"what follows");
                run(bench, &mut strm, &bytes, 1 << 20, 1, usize::MAX);
            }
            note!(bench, "end {}", (bench.zlib.inflateBackEnd)(&mut *strm));
        }
        let bytes = compressed(bench, Kind::new(6, -15), &mixed(6000));
        let mut random = Random(99);
        let mut strm = blank();
        (bench.zlib.inflateBackInit_)(&mut *strm, 15, window.as_mut_ptr(), VERSION, SIZE);
        for _ in 0..200 {
            let mut bad = bytes.clone();
            let at = random.below(bad.len());
            bad[at] ^= 1 << random.below(8);
            note!(bench, "damaged at {at}");
            run(bench, &mut strm, &bad, 10, 1000, usize::MAX);
        }
        (bench.zlib.inflateBackEnd)(&mut *strm);
    }
    compare(body);
}

/// Streams with distances beyond the window: zlib refuses them; here other bytes may come, and no
/// memory beside the window is read or written.
#[test]
fn distances_beyond_the_window() {
    unsafe fn body(bench: &Bench) {
        let mut uncompressed = mixed(300);
        uncompressed.extend_from_within(..);
        uncompressed.extend(mixed(20_000));
        uncompressed.extend_from_within(..20_000);
        let bytes = compressed(bench, Kind::new(9, -15), &uncompressed);
        for bits in 8..15 {
            let size = 1 << bits;
            let mut around = vec![0x5a; size * 3];
            let window = around[size..].as_mut_ptr();
            let (mut strm, mut source) = (blank(), Source { bytes: &bytes, step: 1000 });
            let mut sink = Sink { bytes: Vec::new(), calls: usize::MAX };
            (bench.zlib.inflateBackInit_)(&mut *strm, bits, window, VERSION, SIZE);
            let (from, to) = (&raw mut source, &raw mut sink);
            let code = (bench.zlib.inflateBack)(&mut *strm, Some(give), from.cast(), Some(take), to.cast());
            let ended = code == 1 || code == -3;
            let untouched = around[..size].iter().chain(&around[size * 2..]).all(|&byte| byte == 0x5a);
            let painted = sink.bytes.windows(8).any(|bytes| bytes == [0x5a; 8]);
            note!(bench, "{ended} {untouched} {painted} {}", sink.bytes.len() <= uncompressed.len());
            (bench.zlib.inflateBackEnd)(&mut *strm);
        }
    }
    compare(body);
}

#[test]
fn wrong_beginnings() {
    unsafe fn body(bench: &Bench) {
        let mut window = vec![0; 1 << 15];
        let at = window.as_mut_ptr();
        let init = bench.zlib.inflateBackInit_;
        let mut strm = blank();
        for bits in [7, 16, -15, 0] {
            note!(bench, "{bits} {}", init(&mut *strm, bits, at, VERSION, SIZE));
        }
        note!(bench, "{}", init(std::ptr::null_mut(), 15, at, VERSION, SIZE));
        note!(bench, "{}", init(&mut *strm, 15, std::ptr::null_mut(), VERSION, SIZE));
        note!(bench, "{}", init(&mut *strm, 15, at, std::ptr::null(), SIZE));
        note!(bench, "{}", init(&mut *strm, 15, at, VERSION, SIZE - 1));
        let null = std::ptr::null_mut();
        note!(bench, "{}", (bench.zlib.inflateBack)(null, Some(give), null.cast(), Some(take), null.cast()));
        note!(
            bench,
            "{}",
            (bench.zlib.inflateBack)(&mut *strm, Some(give), null.cast(), Some(take), null.cast())
        );
        note!(bench, "{} {}", (bench.zlib.inflateBackEnd)(null), (bench.zlib.inflateBackEnd)(&mut *strm));
    }
    compare(body);
}
