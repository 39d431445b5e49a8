//! Round trips over sizes, shapes of data, formats and levels.

use pelton_codec::{Decoder, Encoder, Format, Progress, compress_bound};

use crate::support::{SHAPES, data, levels, sample};

/// Around every boundary that a format has: words, LZ4's last literals, the 16-bit sizes of Snappy
/// and LZ4, DEFLATE's stored block and window, Brotli's and Zstandard's first sizes of a header.
const SIZES: [usize; 21] =
    [0, 1, 2, 3, 4, 5, 7, 12, 13, 15, 16, 17, 63, 255, 256, 257, 1000, 32_769, 65_535, 65_536, 66_000];

/// One state for all sizes, shapes and levels, as a thread of a device has.
fn check(
    encoder: &mut Encoder,
    decoder: &mut Decoder,
    format: Format,
    level: pelton_codec::Level,
    plain: &[u8],
    context: &str,
) {
    let bound = compress_bound(format, plain.len());
    let mut packed = vec![0; bound];
    let done =
        encoder.compress(format, level, plain, &mut packed).unwrap_or_else(|e| panic!("{context}: {e}"));
    assert_eq!(done.consumed, plain.len(), "{context}");
    let packed = &packed[..done.produced];

    let mut back = vec![0xAA; plain.len()];
    let done = decoder.decompress(format, packed, &mut back).unwrap_or_else(|e| panic!("{context}: {e}"));
    assert_eq!(done, Progress { consumed: packed.len(), produced: plain.len() }, "{context}");
    assert!(back == plain, "{context}: other bytes came back");
}

fn check_levels(formats: &[Format]) {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let mut skips = sample();
    for shape in SHAPES {
        for size in SIZES {
            let plain = data(shape, size);
            for &format in formats {
                for level in levels(format) {
                    if skips() {
                        continue;
                    }
                    let context = format!("{format} {} {shape} {size}", level.value());
                    check(&mut encoder, &mut decoder, format, level, &plain, &context);
                }
            }
        }
    }
}

/// Random bytes come nearest to the bound.
#[test]
fn bounds_hold_for_large_blocks() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let mut skips = sample();
    let plain = data("random", 1_200_000);
    for format in Format::ALL {
        for level in levels(format) {
            // Brotli's best two take seconds for this, and use the block format of those below.
            if format == Format::Brotli && level.value() > 9 || skips() {
                continue;
            }
            let context = format!("{format} {}", level.value());
            check(&mut encoder, &mut decoder, format, level, &plain, &context);
        }
    }
}

#[test]
fn every_level_of_deflate() {
    check_levels(&[Format::Deflate, Format::Zlib, Format::Gzip]);
}

#[test]
fn every_level_of_zstd() {
    check_levels(&[Format::Zstd]);
}

#[test]
fn every_level_of_brotli() {
    check_levels(&[Format::Brotli]);
}

#[test]
fn formats_without_levels() {
    check_levels(&[Format::Lz4, Format::Lz4Hadoop, Format::Snappy]);
}

#[test]
fn large_blocks() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let mut skips = sample();
    for shape in SHAPES {
        // Several of Hadoop's blocks, of Brotli's metablocks and of Zstandard's blocks, and no
        // round number.
        let plain = data(shape, 3_000_001);
        for format in Format::ALL {
            if skips() {
                continue;
            }
            let context = format!("{format} {shape}");
            check(&mut encoder, &mut decoder, format, format.default_level(), &plain, &context);
        }
    }
}

#[test]
fn the_highest_level_is_smaller_than_the_lowest() {
    let plain = data("text", 100_000);
    for format in Format::ALL.into_iter().filter(|f| f.levels().is_some()) {
        let sizes: Vec<usize> = levels(format)
            .into_iter()
            .map(|level| crate::support::pack(format, level, &plain).len())
            .collect();
        let (first, last) = (sizes[0], sizes[sizes.len() - 1]);
        assert!(last < first, "{format}: level numbers do not reach the library: {sizes:?}");
    }
}

#[test]
fn bytes_do_not_depend_on_what_was_compressed_before() {
    let packed = |encoder: &mut Encoder, format, plain: &[u8]| {
        let mut packed = vec![0; compress_bound(format, plain.len())];
        let level = pelton_codec::Level::default_of(format);
        let done = encoder.compress(format, level, plain, &mut packed).expect("there is room");
        packed.truncate(done.produced);
        packed
    };
    for format in Format::ALL {
        let mut used = Encoder::new();
        for size in SIZES.into_iter().chain(SIZES.into_iter().rev()) {
            let plain = data(SHAPES[size % SHAPES.len()], size);
            let fresh = packed(&mut Encoder::new(), format, &plain);
            assert!(packed(&mut used, format, &plain) == fresh, "{format}, {size} bytes");
        }
    }
}
