//! DEFLATE and its containers against the C zlib, both ways.

use pelton_codec::{Error, Format};

use crate::reference::zlib::{self, Container, Verdict};
use crate::support::{Random, SHAPES, data, levels, pack, pack_default, unpack};

const PAIRS: [(Format, Container); 3] =
    [(Format::Deflate, Container::Raw), (Format::Zlib, Container::Zlib), (Format::Gzip, Container::Gzip)];
/// Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE and Z_FIXED.
const STRATEGIES: std::ops::RangeInclusive<i32> = 0..=4;

#[test]
fn decodes_what_zlib_encodes() {
    for (format, container) in PAIRS {
        for shape in SHAPES {
            for len in [0, 1, 100, 40_000] {
                let plain = data(shape, len);
                for level in 0..=9 {
                    for strategy in STRATEGIES {
                        let packed = zlib::deflate(container, level, strategy, &plain);
                        let back = unpack(format, &packed, len);
                        assert!(back == Ok((plain.clone(), packed.len())), "{format} {shape} {len} {level}");
                    }
                }
            }
        }
    }
}

#[test]
fn zlib_decodes_what_is_encoded() {
    for (format, container) in PAIRS {
        for shape in SHAPES {
            for len in [0, 1, 100, 40_000] {
                let plain = data(shape, len);
                for level in levels(format) {
                    let packed = pack(format, level, &plain);
                    let verdict = zlib::inflate(container, &packed, len);
                    let done = Verdict::Done { consumed: packed.len(), plain: plain.clone() };
                    assert!(verdict == done, "{format} {shape} {len} {level:?}: {verdict:?}");
                }
            }
        }
    }
}

#[test]
fn bytes_after_the_stream_are_not_consumed() {
    for (format, _) in PAIRS {
        let mut packed = pack_default(format, b"one stream");
        let len = packed.len();
        packed.extend_from_slice(b"and what follows it");
        assert_eq!(unpack(format, &packed, 10), Ok((b"one stream".to_vec(), len)), "{format}");
    }
}

/// Damages streams at random and compares the outcome, and the kind of error, with zlib's.
#[test]
fn faults_are_told_as_zlib_tells_them() {
    let mut random = Random(1951);
    let (mut truncated, mut corrupt, mut same, mut lenient) = (0, 0, 0, 0);
    for (format, container) in PAIRS {
        for shape in SHAPES {
            let plain = data(shape, 600);
            for (level, strategy) in [(0, 0), (1, 0), (6, 0), (9, 2), (9, 4)] {
                let sound = zlib::deflate(container, level, strategy, &plain);
                for _ in 0..200 {
                    let mut packed = sound.clone();
                    for _ in 0..random.below(3) {
                        let bit = random.below(packed.len() * 8);
                        packed[bit / 8] ^= 1 << (bit % 8);
                    }
                    if random.below(2) == 0 {
                        packed.truncate(random.below(packed.len()));
                    }
                    let room = 4096;
                    let expected = zlib::inflate(container, &packed, room);
                    let found = unpack(format, &packed, room);
                    match (&expected, &found) {
                        (Verdict::Done { consumed, plain }, Ok(found)) => {
                            assert_eq!((plain, consumed), (&found.0, &found.1), "{format}");
                            same += 1;
                        }
                        (Verdict::Truncated, Err(Error::Truncated { .. })) => truncated += 1,
                        (Verdict::Corrupt(_), Err(Error::Corrupt { .. })) => corrupt += 1,
                        (Verdict::NoRoom, Err(Error::OutputTooSmall { .. })) => {}
                        // libdeflate takes zeros for bits after the end until it notices, which can
                        // fill the output.
                        (Verdict::Truncated, Err(Error::OutputTooSmall { .. })) => {}
                        // Where the result exceeds the output and is corrupt too, either may come
                        // first.
                        (Verdict::Corrupt(_), Err(Error::OutputTooSmall { .. })) => {}
                        // libdeflate decodes some codes that RFC 1951 reserves, such as a second
                        // symbol for the longest match. Where there is a checksum, the data is then
                        // still the right one.
                        (Verdict::Corrupt(_), Ok((found, _))) => {
                            assert!(format == Format::Deflate || *found == plain, "{format}: {packed:02x?}");
                            lenient += 1;
                        }
                        (Verdict::Corrupt(_), Err(Error::Truncated { .. })) => lenient += 1,
                        _ => panic!("{format}: zlib {expected:?}, found {found:?}, in {packed:02x?}"),
                    }
                }
            }
        }
    }
    // The comparison must have seen each kind often, and the exception seldom.
    let counts = format!("{truncated} {corrupt} {same} {lenient}");
    assert!(truncated > 1000 && corrupt > 1000 && same > 1000 && lenient < 100, "{counts}");
}

/// Streams that each break one rule of RFC 1951, from the least significant bit of each byte.
#[test]
fn corrupt_streams_say_what_is_wrong() {
    for (packed, what) in [
        (&[0b111][..], "invalid block type"),
        (&[0b001, 5, 0, 0, 0], "stored block's length"),
        // HLIT 31 and HDIST 0.
        (&[0b1111_1101, 0, 0, 0], "too many length or distance codes"),
        // HCLEN 0, all four lengths 1: four words of one bit.
        (&[0b101, 0, 0b1001_0010, 0b100, 0], "code of the code lengths"),
        // A fixed block: the match of length 3 and distance 1 without a byte before it.
        (&[0b0000_0011, 0b0000_0010, 0], "before the start"),
    ] {
        match unpack(Format::Deflate, packed, 100) {
            Err(Error::Corrupt { what: found, .. }) => assert!(found.contains(what), "{found}, not {what}"),
            other => panic!("{packed:02x?}: {other:?}, not {what}"),
        }
        let expected = zlib::inflate(Container::Raw, packed, 100);
        assert!(matches!(expected, Verdict::Corrupt(_)), "zlib on {packed:02x?}: {expected:?}");
    }
}

#[test]
fn zlib_headers_are_checked() {
    let sound = pack_default(Format::Zlib, b"header");
    let with = |cmf: u8, flg: u8| {
        let mut packed = sound.clone();
        // FCHECK makes the two bytes a multiple of 31.
        let flg = flg & 0xe0;
        let check = 31 - u16::from_be_bytes([cmf, flg]) % 31;
        (packed[0], packed[1]) = (cmf, flg | (check % 31) as u8);
        unpack(Format::Zlib, &packed, 100)
    };
    assert!(with(0x78, 0).is_ok());
    // Smaller windows are allowed, since the whole output is one.
    assert!(with(0x08, 0).is_ok());
    for (cmf, flg, what) in
        [(0x79, 0, "method is not DEFLATE"), (0x88, 0, "window is larger"), (0x78, 0x20, "preset dictionary")]
    {
        let error = with(cmf, flg).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let mut packed = sound.clone();
    packed[1] ^= 1;
    assert!(unpack(Format::Zlib, &packed, 100).unwrap_err().to_string().contains("not a zlib header"));
}
