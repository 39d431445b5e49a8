//! Outputs of every length: too small, exact, larger.

use pelton_codec::{Encoder, Error, Format, Level, compress_bound};

use crate::support::{PLAIN, data, pack_default, unpack};

#[test]
fn a_smaller_output_is_too_small() {
    for format in Format::ALL {
        for plain in [PLAIN, &data("random", 300), &data("zeros", 70_000), &data("skewed", 3000)] {
            let packed = pack_default(format, plain);
            for room in [0, 1, 2, 7, 100, plain.len() - 1] {
                let error = unpack(format, &packed, room).unwrap_err();
                assert_eq!(error, Error::OutputTooSmall { format, room });
            }
        }
    }
}

#[test]
fn a_larger_output_is_filled_in_part() {
    for format in Format::ALL {
        for len in [0, 1, 100, 5000] {
            let plain = data("text", len);
            let packed = pack_default(format, &plain);
            for more in [1, 16, 100_000] {
                let (back, consumed) = unpack(format, &packed, len + more).unwrap();
                assert!(back == plain && consumed == packed.len(), "{format} {len}+{more}");
            }
        }
    }
}

#[test]
fn an_empty_block_needs_no_output() {
    for format in Format::ALL {
        let packed = pack_default(format, b"");
        assert!(!packed.is_empty(), "{format}");
        assert_eq!(unpack(format, &packed, 0), Ok((vec![], packed.len())), "{format}");
    }
}

#[test]
fn compression_into_too_little_is_an_error() {
    let mut encoder = Encoder::new();
    let plain = data("random", 1000);
    for format in Format::ALL {
        let level = format.default_level();
        // Random bytes do not shrink, so none of these can hold them.
        for room in [0, 1, 5, 10, 500, 999] {
            let result = encoder.compress(format, level, &plain, &mut vec![0; room]);
            assert_eq!(result, Err(Error::OutputTooSmall { format, room }));
        }
        // A failure leaves nothing behind in the state.
        let mut packed = vec![0; compress_bound(format, plain.len())];
        let done = encoder.compress(format, level, &plain, &mut packed).unwrap();
        assert_eq!(unpack(format, &packed[..done.produced], 1000).unwrap().0, plain);
    }
}

#[test]
fn compression_into_enough_for_the_result_succeeds_where_documented() {
    let plain = data("text", 10_000);
    for format in [Format::Deflate, Format::Zlib, Format::Gzip, Format::Zstd, Format::Brotli] {
        let packed = pack_default(format, &plain);
        // Zstandard and libdeflate keep a few bytes of slack for whole words at the end.
        let mut output = vec![0; packed.len() + 16];
        let done = Encoder::new().compress(format, format.default_level(), &plain, &mut output).unwrap();
        assert_eq!(&output[..done.produced], packed, "{format}");
    }
}

#[test]
fn bounds_do_not_overflow() {
    for format in Format::ALL {
        assert_eq!(compress_bound(format, usize::MAX), usize::MAX, "{format}");
        let mut last = 0;
        for shift in 0..usize::BITS {
            let len = 1usize << shift;
            let bound = compress_bound(format, len);
            assert!(bound > len && bound >= last, "{format}: {bound} for {len}");
            last = bound;
        }
    }
}

/// Noise of the lengths at which it is recognised is stored, at all levels that compress, and needs
/// room for that and no more.
#[test]
fn noise_is_stored_in_the_container_of_its_level() {
    let mut encoder = Encoder::new();
    for (format, around) in [(Format::Deflate, 0), (Format::Zlib, 6), (Format::Gzip, 18)] {
        for len in [2 << 10, 4_000, 4_096, 16 << 10, (48 << 10) - 1] {
            let plain = data("random", len);
            // Five bytes are for the block.
            let room = len + 5 + around;
            for n in 1..=12 {
                let level = Level::new(format, n).unwrap();
                let mut packed = vec![0; room];
                let done = encoder.compress(format, level, &plain, &mut packed).unwrap();
                assert_eq!(done.produced, room, "{format} {n}, {len} bytes");
                assert_eq!(
                    unpack(format, &packed, len).unwrap(),
                    (plain.clone(), room),
                    "{format} {n}, {len} bytes"
                );
                let error = encoder.compress(format, level, &plain, &mut packed[..room - 1]).unwrap_err();
                assert_eq!(error, Error::OutputTooSmall { format, room: room - 1 });
                if format == Format::Zlib {
                    // FLEVEL (RFC 1950, section 2.2).
                    let expected = [0, 0, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3][n as usize];
                    assert_eq!(packed[1] >> 6, expected, "level {n}");
                }
            }
        }
    }
}
