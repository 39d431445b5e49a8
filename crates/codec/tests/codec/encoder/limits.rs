//! Outputs that are too small, the bound that is enough, and levels that there are not.

use pelton_codec::{BitWriter, Error, Format, compress_bound};

use super::{Encoders, GUARD, LEVELS, data, encoders, stream};
use crate::support::{Random, sample};

/// The most that `BlockEncoder::deflate_block` says it takes.
fn documented(len: usize) -> usize {
    len + 5 + 6 * (len / (16 << 10))
}

/// `Encoders::pack` has an output of the bound's length, and one that is a byte too small, for all
/// that is tested. This is about what comes closest to it.
#[test]
fn the_bound_suffices() {
    let mut encoders = Encoders::new();
    let mut random = Random(7);
    // Pieces for which blocks end, or are expected to, at the end of nearly every chunk.
    let mut worst: Vec<Vec<u8>> = [1 << 10, 4 << 10, 8 << 10, 12 << 10, 16 << 10, 40 << 10]
        .map(|piece| data::alternating(&mut random, 150_000, piece))
        .into();
    // Bytes that are literals of 8 bits, for which entropy and cost are nearest to what is stored.
    worst.extend(
        [1, 100, 16_384, 47_700, 48_500, 49_151, 65_535, 65_536, 131_071, 200_000]
            .map(|len| data::of("random", len)),
    );
    // Random in all bits but a few, and of chunks that use different halves of the bytes.
    let halves = |i: usize, byte: u64| byte as u8 >> 1 | ((i >> 14 & 1) << 7) as u8;
    worst.push((0..150_000).map(|i| halves(i, random.next())).collect());
    worst.push((0..150_000).map(|i| (random.next() % 256).min(253 + (i >> 13 & 3) as u64) as u8).collect());
    let mut skips = sample();
    for plain in &worst {
        for level in LEVELS {
            if skips() {
                continue;
            }
            let len = encoders.pack(plain, level).len();
            assert!(len <= documented(plain.len()), "level {level}: {len} bytes from {}", plain.len());
        }
    }
}

#[test]
fn the_bound_is_above_what_is_documented() {
    for len in (0..=70_000).chain([1 << 20, (1 << 20) + 1, 1 << 31, 1 << 40]) {
        assert!(documented(len) <= compress_bound(Format::Deflate, len), "{len}");
    }
}

/// Every length that is too small, whatever step notices it.
#[test]
fn every_output_that_is_too_small() {
    let plains = [data::of("text", 700), data::of("random", 100), data::of("alternating", 9000), vec![]];
    let mut skips = sample();
    for (_, mut encoder) in encoders() {
        for plain in &plains {
            for level in LEVELS {
                let bound = compress_bound(Format::Deflate, plain.len());
                let packed = stream(&mut encoder, &[], plain, level, bound, 0).unwrap();
                for room in (0..packed.len()).rev().take(300).chain(0..20) {
                    if skips() {
                        continue;
                    }
                    let result = stream(&mut encoder, &[], plain, level, room, GUARD);
                    match room < packed.len() {
                        true => {
                            assert_eq!(result, Err(Error::OutputTooSmall { format: Format::Deflate, room }))
                        }
                        false => assert!(result.as_ref() == Ok(&packed), "room for {room}"),
                    }
                }
            }
        }
    }
}

#[test]
fn levels_that_there_are_not() {
    let mut output = [0xAA; 100];
    for (_, mut encoder) in encoders() {
        for level in [-1, 10, 12, i32::MIN, i32::MAX] {
            let mut to = BitWriter::new(&mut output);
            let result = encoder.deflate_block(b"abc", &[], level, true, &mut to);
            assert_eq!(result, Err(Error::BadLevel { format: Format::Deflate, level }));
            assert_eq!(to.finish(), Some(0), "nothing was written");
        }
    }
    assert!(output.iter().all(|&byte| byte == 0xAA));
}
