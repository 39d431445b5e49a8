use super::StreamDecoder;
use crate::{Encoder, Error, Format, compress_bound};

fn text() -> Vec<u8> {
    (0..60_000_u32).flat_map(|n| format!("{},{}\n", n, n * 7919 % 1009).into_bytes()).collect()
}

fn compressed(format: Format, plain: &[u8]) -> Vec<u8> {
    let mut packed = vec![0; compress_bound(format, plain.len())];
    let level = format.default_level();
    let done = Encoder::new().compress(format, level, plain, &mut packed).expect("there is room");
    packed.truncate(done.produced);
    packed
}

/// Decodes input in pieces of some size into output of another.
fn decode(format: Format, input: &[u8], piece: usize, room: usize) -> Result<Vec<u8>, Error> {
    let mut decoder = StreamDecoder::new(format)?.expect("a format of files");
    let (mut all, mut output) = (Vec::new(), vec![0; room]);
    for part in input.chunks(piece) {
        let mut rest = part;
        loop {
            let done = decoder.decode(rest, &mut output)?;
            all.extend_from_slice(&output[..done.produced]);
            rest = &rest[done.consumed..];
            if rest.is_empty() && done.produced < room {
                break;
            }
        }
    }
    decoder.finish()?;
    Ok(all)
}

const FORMATS: [Format; 2] = [Format::Gzip, Format::Zstd];

#[test]
fn pieces_of_any_size_give_the_same_bytes() {
    let plain = text();
    for format in FORMATS {
        let packed = compressed(format, &plain);
        for (piece, room) in [(1 << 20, 1 << 20), (4096, 65536), (7, 1000), (100_000, 13), (1, 70_000)] {
            let found = decode(format, &packed, piece, room).expect("a sound file");
            assert!(found == plain, "{format}, pieces of {piece}, room for {room}");
        }
    }
}

#[test]
fn several_parts_are_one_file() {
    for format in FORMATS {
        let (one, other) = (compressed(format, b"one,"), compressed(format, b"two"));
        let both = [one, other].concat();
        for piece in [1, 3, 1000] {
            assert_eq!(decode(format, &both, piece, 64).expect("a sound file"), b"one,two", "{format}");
        }
    }
    let mut padded = compressed(Format::Gzip, b"one");
    padded.extend([0; 512]);
    assert_eq!(decode(Format::Gzip, &padded, 100, 64).expect("zeros are no data"), b"one");
}

#[test]
fn a_cut_file_is_truncated() {
    let plain = text();
    for format in FORMATS {
        let packed = compressed(format, &plain);
        for end in [0, 1, 9, 11, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let found = decode(format, &packed[..end], 1000, 1000);
            assert_eq!(found, Err(Error::Truncated { format }), "{format}, {end} bytes");
        }
    }
}

#[test]
fn damage_is_found() {
    let plain = text();
    for format in FORMATS {
        let packed = compressed(format, &plain);
        // frames of our encoder have no checksum, so that other damage may give other bytes
        let places =
            if format == Format::Gzip { vec![0, 2, packed.len() / 3, packed.len() / 2] } else { vec![0, 3] };
        for at in places {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            assert!(decode(format, &damaged, 1000, 1000).is_err(), "{format}, byte {at}");
        }
        let mut followed = packed.clone();
        followed.extend(b"other bytes");
        assert!(matches!(decode(format, &followed, 1000, 1000), Err(Error::Corrupt { .. })), "{format}");
    }
    let mut gzip = compressed(Format::Gzip, &plain);
    let sum = gzip.len() - 8;
    gzip[sum] ^= 1;
    let message = decode(Format::Gzip, &gzip, 1000, 1000).expect_err("another sum").to_string();
    assert_eq!(message, "gzip: corrupt input: the CRC-32 does not match the data");
}
