//! Compression for a small window, which zlib decodes with no more than that.

use pelton_codec::{Encoder, Error, Format, Level, Window, compress_bound};

use crate::encoder::data;
use crate::reference::zlib::{Container, Verdict, inflate_contained_in_window};
use crate::support::sample;

const CONTAINERS: [(Format, Container); 3] =
    [(Format::Deflate, Container::Raw), (Format::Zlib, Container::Zlib), (Format::Gzip, Container::Gzip)];

fn pack(encoder: &mut Encoder, level: Level, window: Window, plain: &[u8]) -> Vec<u8> {
    let format = level.format();
    let mut packed = vec![0; compress_bound(format, plain.len())];
    let done = encoder.compress_within(format, level, window, plain, &mut packed).expect("there is room");
    assert_eq!(done.consumed, plain.len());
    packed.truncate(done.produced);
    packed
}

#[test]
fn zlib_decodes_it_with_that_window() {
    let mut encoder = Encoder::new();
    let mut skips = sample();
    for kind in ["text", "far", "integers", "random"] {
        for len in [0, 1, 300, 4096, 40_000] {
            let plain = data::of(kind, len);
            for (format, container) in CONTAINERS {
                for bits in [9, 12, 15] {
                    let window = Window::of_bits(bits.into()).expect("a window of zlib's");
                    for level in [0, 1, 6, 9, 12] {
                        if skips() {
                            continue;
                        }
                        let level = Level::new(format, level).expect("a level");
                        let packed = pack(&mut encoder, level, window, &plain);
                        let found = inflate_contained_in_window(container, bits, &packed, len);
                        let done = Verdict::Done { consumed: packed.len(), plain: plain.clone() };
                        assert!(found == done, "{kind}, {len} bytes, {level:?}, {window:?}");
                    }
                }
            }
        }
    }
}

/// One encoder's windows do not get in each other's way.
#[test]
fn a_window_is_for_one_block() {
    let plain = data::repeated(20_000, 60_000);
    let mut encoder = Encoder::new();
    for level in [1, 6, 9] {
        let level = Level::new(Format::Gzip, level).expect("a level");
        let full = pack(&mut Encoder::new(), level, Window::FULL, &plain);
        let small = pack(&mut encoder, level, Window::SMALL, &plain);
        assert!(small.len() > 2 * full.len(), "{} and {}", small.len(), full.len());
        assert_eq!(pack(&mut encoder, level, Window::FULL, &plain), full);
    }
}

#[test]
fn windows_are_cut_to_what_deflate_has() {
    for (bytes, expected) in [(512, 512), (1000, 512), (4096, 4096), (5000, 4096), (u32::MAX, 32_768)] {
        assert_eq!(Window::within(bytes).map(Window::bytes), Some(expected), "{bytes}");
    }
    assert_eq!((Window::within(0), Window::within(511)), (None, None));
}

#[test]
fn other_formats_have_no_window_and_levels_stay_their_formats() {
    let plain = data::of("text", 5000);
    for format in [Format::Zstd, Format::Snappy, Format::Lz4] {
        let level = format.default_level();
        let mut packed = [vec![0; compress_bound(format, plain.len())], vec![]];
        packed[1] = packed[0].clone();
        let with = Encoder::new().compress_within(format, level, Window::SMALL, &plain, &mut packed[0]);
        let without = Encoder::new().compress(format, level, &plain, &mut packed[1]);
        assert_eq!((with, &packed[0]), (without, &packed[1]), "{format}");
    }
    let level = Format::Gzip.default_level();
    let wrong = Encoder::new().compress_within(Format::Zlib, level, Window::SMALL, &plain, &mut []);
    assert_eq!(wrong, Err(Error::BadLevel { format: Format::Zlib, level: 6 }));
    let full = Encoder::new().compress_within(Format::Gzip, level, Window::SMALL, &plain, &mut [0; 30]);
    assert_eq!(full, Err(Error::OutputTooSmall { format: Format::Gzip, room: 30 }));
}
