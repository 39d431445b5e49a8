//! The room behind the output: every call leaves the caller's bytes there as they are.

use std::ffi::c_int;
use std::process::Command;

use libz_rs_sys::{
    Z_BLOCK, Z_BUF_ERROR, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_OK, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_TREES,
    z_stream,
};

use crate::data::{Random, noise, repetitive, samples, text};
use crate::stream::{Kind, SIZE, VERSION, blank, compressed};
use crate::{Bench, compare, note};

/// Bytes of the room, which no call may change.
fn painted(len: usize, random: &mut Random) -> Vec<u8> {
    let start = random.below(251);
    (start..start + len).map(|i| (i * 31 % 251) as u8).collect()
}

/// Runs calls on a painted room of `room` bytes, with `step` bytes of input more for each, until
/// one of them makes no progress or ends the stream.
fn run(
    strm: &mut z_stream,
    input: &[u8],
    (step, room): (usize, usize),
    random: &mut Random,
    what: &str,
    mut call: impl FnMut(&mut z_stream, bool) -> c_int,
) {
    let paint = painted(room, random);
    let mut output = paint.clone();
    let (mut shown, mut idle) = (0, 0);
    strm.avail_in = 0;
    strm.next_in = input.as_ptr();
    while idle < 3 {
        if strm.avail_in == 0 && shown < input.len() {
            let more = step.min(input.len() - shown);
            strm.next_in = input[shown..].as_ptr();
            strm.avail_in = more as u32;
            shown += more;
        }
        output.copy_from_slice(&paint);
        strm.next_out = output.as_mut_ptr();
        strm.avail_out = room as u32;
        let code = call(strm, shown == input.len());
        let written = room - strm.avail_out as usize;
        let wrong = (written..room).find(|&i| output[i] != paint[i]);
        assert_eq!(wrong, None, "{what}: a call with {written} of {room} bytes and code {code}");
        if code != Z_OK && code != Z_BUF_ERROR {
            break;
        }
        let is_idle = written == 0 && (code == Z_BUF_ERROR || strm.avail_in == 0 && shown == input.len());
        idle = if is_idle { idle + 1 } else { 0 };
    }
}

fn inputs() -> impl Iterator<Item = Vec<u8>> {
    samples().into_iter().chain(repetitive(20_000).into_iter().map(|(_, data)| data))
}

#[test]
fn nothing_is_decompressed_to_the_room_behind() {
    unsafe fn body(bench: &Bench) {
        let mut random = Random(42);
        for uncompressed in inputs() {
            for (level, bits) in [(6, 15), (1, 31), (9, -15), (0, 15)] {
                let good = compressed(bench, Kind::new(level, bits), &uncompressed);
                let mut cut = good.clone();
                cut.truncate(random.below(good.len()));
                let mut bad = good.clone();
                bad[random.below(good.len())] ^= 1 << random.below(8);
                let followed = [&good[..], &noise(3000)].concat();
                for stream in [&good, &cut, &bad, &followed] {
                    let len = uncompressed.len();
                    for pieces in [
                        (usize::MAX, len + 1 + random.below(300)),
                        (usize::MAX, 2 * len + 5000),
                        (1 << 14, len + random.below(5000) + 1),
                        (1 << 14, 1 << 14),
                        (1000, 70_000),
                        (1 + random.below(50), 1 + random.below(2000)),
                    ] {
                        let flushes = [Z_NO_FLUSH, Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH, Z_BLOCK, Z_TREES];
                        let flush = flushes[random.below(flushes.len())];
                        let mut strm = blank();
                        assert_eq!((bench.zlib.inflateInit2_)(&mut *strm, bits, VERSION, SIZE), Z_OK);
                        let what = format!("{len} bytes at {level}, bits {bits}, {pieces:?}, flush {flush}");
                        run(&mut strm, stream, pieces, &mut random, &what, |strm, _| {
                            (bench.zlib.inflate)(strm, flush)
                        });
                        (bench.zlib.inflateEnd)(&mut *strm);
                    }
                }
            }
        }
        note!(bench, "done");
    }
    compare(body);
}

#[test]
fn nothing_is_compressed_to_the_room_behind() {
    unsafe fn body(bench: &Bench) {
        let mut random = Random(43);
        for uncompressed in inputs() {
            for level in 0..=9 {
                for pieces in [(usize::MAX, 2 * uncompressed.len() + 1000), (5000, 1 << 14), (1 << 14, 700)] {
                    let bits = [15, 31, -15][random.below(3)];
                    let strategy = [0, 0, 0, 1, 2, 3, 4][random.below(7)];
                    let flushes =
                        [Z_NO_FLUSH, Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_BLOCK];
                    let flush = flushes[random.below(flushes.len())];
                    let mut strm = Kind { strategy, ..Kind::new(level, bits) }.begin(bench.zlib);
                    let len = uncompressed.len();
                    let what = format!("{len} bytes at {level}, bits {bits}, {pieces:?}, flush {flush}");
                    run(&mut strm, &uncompressed, pieces, &mut random, &what, |strm, is_last| {
                        (bench.zlib.deflate)(strm, if is_last { Z_FINISH } else { flush })
                    });
                    (bench.zlib.deflateEnd)(&mut *strm);
                }
            }
        }
        note!(bench, "done");
    }
    compare(body);
}

#[test]
fn whole_buffers_keep_the_room_behind() {
    unsafe fn body(bench: &Bench) {
        let mut random = Random(44);
        for uncompressed in inputs() {
            let stream = compressed(bench, Kind::new(6, 15), &uncompressed);
            let paint = painted(uncompressed.len() + random.below(1000), &mut random);
            let (mut output, mut len) = (paint.clone(), paint.len() as u64);
            let code =
                (bench.zlib.uncompress)(output.as_mut_ptr(), &mut len, stream.as_ptr(), stream.len() as u64);
            assert_eq!((code, output[len as usize..] == paint[len as usize..]), (Z_OK, true), "{len}");
            for level in 0..=9 {
                let capacity = (bench.zlib.compressBound)(uncompressed.len() as u64) as usize;
                let paint = painted(capacity + random.below(1000), &mut random);
                let (mut output, mut len) = (paint.clone(), paint.len() as u64);
                let (source, source_len) = (uncompressed.as_ptr(), uncompressed.len() as u64);
                let code = (bench.zlib.compress2)(output.as_mut_ptr(), &mut len, source, source_len, level);
                assert_eq!((code, output[len as usize..] == paint[len as usize..]), (Z_OK, true), "{len}");
            }
        }
        note!(bench, "{}", text(1).len());
    }
    compare(body);
}

#[test]
fn with_every_instruction_set() {
    const VARIABLE: &str = "PELTON_ZLIB_INSTRUCTIONS";
    if std::env::var_os(VARIABLE).is_some() {
        eprintln!("skipped: {VARIABLE} is set already");
        return;
    }
    let these = std::env::current_exe().expect("the test has a path");
    for instructions in ["avx2", "portable"] {
        let output = Command::new(&these).arg("room::").env(VARIABLE, instructions).output();
        let output = output.expect("the tests run again");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{instructions}: {text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("4 passed"), "{instructions}: {text}");
    }
}
