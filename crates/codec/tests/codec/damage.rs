//! Damaged blocks of every format: an error or some bytes, never a panic, and never wrong bytes
//! past a checksum.

use pelton_codec::{Decoder, Error, Format};

use crate::support::{PLAIN, Random, SHAPES, data, levels, pack, pack_default, reduced, unpack};

/// Whether a changed bit can't go unnoticed, as there is a checksum over the plain bytes.
fn is_checked(format: Format) -> bool {
    matches!(format, Format::Zlib | Format::Gzip)
}

#[test]
fn every_prefix_is_an_error_or_a_prefix_of_the_data() {
    for format in Format::ALL {
        for shape in SHAPES {
            let plain = data(shape, 700);
            let packed = pack_default(format, &plain);
            for len in 0..packed.len() {
                match unpack(format, &packed[..len], plain.len()) {
                    Err(Error::Truncated { .. } | Error::OutputTooSmall { .. }) => {}
                    // Raw LZ4 has no end mark, so a block that is cut after literals is a block;
                    // and Hadoop's framing may end before any of its blocks.
                    Ok((found, _)) if matches!(format, Format::Lz4 | Format::Lz4Hadoop) => {
                        assert!(plain.starts_with(&found) && found.len() < plain.len(), "{format} {len}");
                    }
                    other => panic!("{format} {shape}, {len} of {} bytes: {other:?}", packed.len()),
                }
            }
        }
    }
}

#[test]
fn every_flipped_bit_is_an_error_or_harmless() {
    for format in Format::ALL {
        let mut decoder = Decoder::new();
        for plain in [&PLAIN[..300], &data("skewed", 300), &data("zeros", 300), b""] {
            for level in [levels(format).first(), levels(format).last()].into_iter().flatten() {
                let sound = pack(format, *level, plain);
                let mut output = vec![0; 1000];
                for bit in 0..sound.len() * 8 {
                    let mut packed = sound.clone();
                    packed[bit / 8] ^= 1 << (bit % 8);
                    if let Ok(done) = decoder.decompress(format, &packed, &mut output) {
                        let same = &output[..done.produced] == plain;
                        assert!(same || !is_checked(format), "{format}: bit {bit} gave other bytes");
                    }
                    // The failure has left nothing behind in the state.
                    let done = decoder.decompress(format, &sound, &mut output).unwrap();
                    assert!(&output[..done.produced] == plain, "{format}: bit {bit} outlived its block");
                }
            }
        }
    }
}

#[test]
fn random_bytes_are_an_error_or_some_output() {
    let mut random = Random(7);
    let mut decoder = Decoder::new();
    let mut output = vec![0; 5000];
    for _ in 0..reduced(20_000) {
        let len = random.below(100);
        let input: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
        for format in Format::ALL {
            if let Ok(done) = decoder.decompress(format, &input, &mut output) {
                assert!(done.consumed <= input.len() && done.produced <= output.len(), "{format}: {done:?}");
            }
        }
    }
}

#[test]
fn nothing_is_written_past_the_output() {
    for format in Format::ALL {
        for shape in SHAPES {
            let plain = data(shape, 2000);
            let packed = pack_default(format, &plain);
            for room in [0, 1, 31, 32, 33, 1000, 1999, 2000] {
                let mut output = vec![0xAA; 2100];
                let result = Decoder::new().decompress(format, &packed, &mut output[..room]);
                assert_eq!(result.is_ok(), room == 2000, "{format} {shape} {room}");
                assert!(output[room..].iter().all(|&byte| byte == 0xAA), "{format} {shape} {room}");
            }
        }
    }
}

#[test]
fn an_empty_input_is_truncated() {
    for format in Format::ALL {
        let expected = match format {
            Format::Lz4Hadoop => Ok((vec![], 0)),
            _ => Err(Error::Truncated { format }),
        };
        assert_eq!(unpack(format, b"", 10), expected, "{format}");
        assert_eq!(unpack(format, b"", 0), expected, "{format}");
    }
}

/// Twenty megabytes of zeros are from 20 bytes to a megabyte, depending on the format; reduced ones
/// are a megabyte.
#[test]
fn a_bomb_stops_at_the_end_of_the_output() {
    let bomb = data("zeros", reduced(20_000_000));
    for format in Format::ALL {
        let packed = pack_default(format, &bomb);
        let error = unpack(format, &packed, 1000).unwrap_err();
        assert_eq!(error, Error::OutputTooSmall { format, room: 1000 });
    }
}
