//! Checksums, and what a library says about itself.

use crate::data::{Random, noise};
use crate::stream::string;
use crate::{Bench, compare, note};

#[test]
fn checksums() {
    unsafe fn body(bench: &Bench) {
        let zlib = bench.zlib;
        let data = noise(100_000);
        let mut random = Random(5);
        for len in (0..300).chain([1000, 5551, 5552, 5553, 65_521, 99_000]) {
            let start = random.below(64);
            let piece = &data[start..start + len];
            let seed = random.0 & 0xffff_ffff;
            let (at, len) = (piece.as_ptr(), len as u32);
            note!(
                bench,
                "{len} {:x} {:x}",
                (zlib.crc32)(seed, at, len),
                (zlib.adler32)(seed % 65_521, at, len)
            );
            note!(
                bench,
                "{:x} {:x}",
                (zlib.crc32_z)(0, at, len as usize),
                (zlib.adler32_z)(1, at, len as usize)
            );
        }
        let null = std::ptr::null();
        note!(bench, "{:x} {:x}", (zlib.crc32)(77, null, 0), (zlib.adler32)(77, null, 0));
        note!(bench, "{:x} {:x}", (zlib.crc32)(77, null, 9), (zlib.adler32)(77, null, 9));
        note!(bench, "{:x} {:x}", (zlib.crc32)(77, data.as_ptr(), 0), (zlib.adler32)(77, data.as_ptr(), 0));
        for len in [0, 1, 2, 100, 65_520, 65_521, 1 << 20, 1 << 40] {
            let (a, b) = (random.0 & 0xffff_ffff, random.0 >> 32);
            random.below(2);
            note!(bench, "{:x} {:x}", (zlib.crc32_combine)(a, b, len), (zlib.crc32_combine64)(a, b, len));
            let (x, y) = ((a % 65_521) | ((b % 65_521) << 16), (b % 65_521) | ((a % 65_521) << 16));
            note!(bench, "{:x} {:x}", (zlib.adler32_combine)(x, y, len), (zlib.adler32_combine64)(x, y, len));
            let (op, op64) = ((zlib.crc32_combine_gen)(len), (zlib.crc32_combine_gen64)(len));
            note!(bench, "{:x} {op64:x} {:x}", op, (zlib.crc32_combine_op)(a, b, op));
        }
        note!(bench, "{:x}", (zlib.adler32_combine)(1, 1, -1));
        note!(bench, "{:x?}", std::slice::from_raw_parts((zlib.get_crc_table)(), 256));
    }
    compare(body);
}

#[test]
fn about_itself() {
    unsafe fn body(bench: &Bench) {
        note!(bench, "{:x}", (bench.zlib.zlibCompileFlags)());
        for code in -6..=2 {
            note!(bench, "{code} {}", string((bench.zlib.zError)(code)));
        }
        note!(bench, "{:?}", string((bench.zlib.zlibVersion)()).get(..3));
    }
    compare(body);
}
