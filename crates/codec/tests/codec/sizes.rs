//! Outputs of every length: too small, exact, larger.

use pelton_codec::{Encoder, Error, Format, compress_bound};

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
