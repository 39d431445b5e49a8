//! Calls without a stream: `compress` and `uncompress`, checksums, and the library's version.

use crate::data::{Random, noise, repetitive, samples, text};
use crate::stream::{digest, string};
use crate::{Bench, compare, note};

#[test]
fn there_and_back() {
    unsafe fn body(bench: &Bench) {
        for uncompressed in samples() {
            let bound = (bench.zlib.compressBound)(uncompressed.len() as u64);
            for level in [-2, -1, 0, 1, 5, 9, 10] {
                let mut bytes = vec![0; bound as usize];
                let mut len = bound;
                let code = (bench.zlib.compress2)(
                    bytes.as_mut_ptr(),
                    &mut len,
                    uncompressed.as_ptr(),
                    uncompressed.len() as u64,
                    level,
                );
                note!(bench, "{} level {level}: {code} empty {}", uncompressed.len(), len == 0);
                if code == 0 {
                    let (mut back, mut got) =
                        (vec![0; uncompressed.len() + 1], uncompressed.len() as u64 + 1);
                    let code = (bench.system.uncompress)(back.as_mut_ptr(), &mut got, bytes.as_ptr(), len);
                    note!(bench, "{code} {}", digest(&back[..got as usize]));
                }
            }
            let (mut bytes, mut len) = (vec![0; bound as usize], bound);
            note!(
                bench,
                "{}",
                (bench.zlib.compress)(
                    bytes.as_mut_ptr(),
                    &mut len,
                    uncompressed.as_ptr(),
                    uncompressed.len() as u64
                )
            );
        }
    }
    compare(body);
}

/// One-shot output has about zlib's size, even for input that repeats in words of 4 bytes and
/// fewer, or all the time.
#[test]
fn lengths_are_about_zlibs() {
    unsafe fn body(bench: &Bench) {
        for (name, uncompressed) in repetitive(32 << 10) {
            for len in [1 << 10, 4000, 4 << 10, 9000, 16 << 10, 32 << 10] {
                for level in [5, 6] {
                    let compressed = [bench.zlib, bench.system].map(|zlib| {
                        let (mut bytes, mut compressed) = (vec![0; 40_000], 40_000);
                        let code = (zlib.compress2)(
                            bytes.as_mut_ptr(),
                            &mut compressed,
                            uncompressed.as_ptr(),
                            len,
                            level,
                        );
                        assert_eq!(code, 0);
                        compressed as usize
                    });
                    // libdeflate, too, is a quarter larger on few numbers; a search for long words
                    // would double the size. In input that repeats all the time, some bytes are the
                    // ends of lanes.
                    let is_about = compressed[0] <= compressed[1] + compressed[1] / 3 + 60;
                    note!(bench, "{name}, {len} bytes, level {level}: {is_about}");
                }
            }
        }
    }
    compare(body);
}

#[test]
fn too_little_room() {
    unsafe fn body(bench: &Bench) {
        let uncompressed = noise(1000);
        for room in [0, 1, 2, 6, 100, 999] {
            let (mut bytes, mut len) = (vec![0; 1000], room);
            let code = (bench.zlib.compress)(bytes.as_mut_ptr(), &mut len, uncompressed.as_ptr(), 1000);
            note!(bench, "compress into {room}: {code} {len}");
        }
        for uncompressed in [vec![], text(1000)] {
            let (mut bytes, mut len) = (vec![0; 2000], 2000);
            (bench.system.compress)(
                bytes.as_mut_ptr(),
                &mut len,
                uncompressed.as_ptr(),
                uncompressed.len() as u64,
            );
            for room in [0, 1, 999, 1000, 1001] {
                for cut in [0, 1, 4, 5, 10] {
                    let (mut back, mut got, mut read) = (vec![0; 2000], room, len - cut.min(len));
                    let code =
                        (bench.zlib.uncompress2)(back.as_mut_ptr(), &mut got, bytes.as_ptr(), &mut read);
                    note!(bench, "room {room} cut {cut}: {code} {read} {}", digest(&back[..got as usize]));
                    let mut got = room;
                    let code = (bench.zlib.uncompress)(
                        back.as_mut_ptr(),
                        &mut got,
                        bytes.as_ptr(),
                        len - cut.min(len),
                    );
                    note!(bench, "{code} {got}");
                }
            }
            bytes[len as usize - 1] ^= 1;
            let (mut back, mut got) = (vec![0; 2000], 2000);
            note!(
                bench,
                "bad {} {got}",
                (bench.zlib.uncompress)(back.as_mut_ptr(), &mut got, bytes.as_ptr(), len)
            );
            bytes[1] |= 0x20;
            note!(
                bench,
                "worse {} {got}",
                (bench.zlib.uncompress)(back.as_mut_ptr(), &mut got, bytes.as_ptr(), len)
            );
        }
    }
    compare(body);
}

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

/// Bits of a stream, the first lowest.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    /// Appends the lowest `count` bits of a number, the highest of them first, as a codeword's.
    fn codeword(&mut self, bits: u32, count: u32) {
        for bit in (0..count).rev() {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().expect("a byte") |= ((bits >> bit & 1) as u8) << (self.count % 8);
            self.count += 1;
        }
    }
}

/// Symbols of the fixed code that have codewords but no meaning, in streams given whole, with the
/// checksum that the data would have if they were the longest length.
#[test]
fn reserved_symbols_of_the_fixed_code() {
    unsafe fn body(bench: &Bench) {
        for symbol in [285, 286, 287] {
            for (literals, is_stored_first) in [(20, false), (1000, false), (20, true), (3000, true)] {
                let mut data: Vec<u8> = text(literals).iter().map(|&byte| byte % 128).collect();
                let mut bits = Bits { bytes: vec![0x78, 0x9c], count: 16 };
                if is_stored_first {
                    bits.bytes.extend_from_slice(&[0, 2, 0, 0xfd, 0xff, b'a', b'b']);
                    bits.count = 8 * bits.bytes.len();
                }
                // The last block, with the fixed code.
                bits.codeword(0b110, 3);
                data.iter().for_each(|&byte| bits.codeword(0x30 + u32::from(byte), 8));
                bits.codeword(0b1100_0000 + symbol - 280, 8);
                bits.codeword(0, 5);
                bits.codeword(0, 7);
                data.resize(data.len() + 258, data[data.len() - 1]);
                if is_stored_first {
                    data.splice(0..0, *b"ab");
                }
                let sum = (bench.system.adler32)(1, data.as_ptr(), data.len() as u32) as u32;
                bits.bytes.extend_from_slice(&sum.to_be_bytes());
                let (mut back, mut len) = (vec![0; 4000], 4000);
                let source = (bits.bytes.as_ptr(), bits.bytes.len() as u64);
                let code = (bench.zlib.uncompress)(back.as_mut_ptr(), &mut len, source.0, source.1);
                note!(bench, "{symbol} after {literals}, {is_stored_first}: {code}, {len} bytes");
            }
        }
    }
    compare(body);
}
