//! DEFLATE and its containers against the C zlib, both ways.

use pelton_codec::{Error, Format, RawDecoder};

use crate::reference::zlib::{self, Container, Verdict};
use crate::support::{Random, SHAPES, data, levels, pack, pack_default, reduced, unpack};

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
                for _ in 0..reduced(200) {
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
                        // symbol for the longest match. The checksum says that the data is right.
                        (Verdict::Corrupt(_), Ok((found, _))) => {
                            assert!(format != Format::Deflate && *found == plain, "{format}: {packed:02x?}");
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
    assert!(truncated.min(corrupt).min(same) > reduced(1000) && lenient < 100, "{counts}");
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

/// Writes bits from the least significant of each byte.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn number(&mut self, value: usize, count: usize) -> &mut Self {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
        self
    }

    /// A codeword, from its first bit.
    fn word(&mut self, word: usize, count: usize) -> &mut Self {
        self.0.extend((0..count).rev().map(|bit| word >> bit & 1 == 1));
        self
    }

    /// Bytes in a stored block that is not the last.
    fn stored(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(0, 3);
        self.0.resize(self.0.len().next_multiple_of(8), false);
        self.number(bytes.len(), 16).number(!bytes.len(), 16);
        bytes.iter().for_each(|&byte| _ = self.number(byte.into(), 8));
        self
    }

    /// The header of a dynamic block, the last, with a literal of one bit, an end of block and a
    /// length of three of two bits each, and these distance codewords.
    fn dynamic(&mut self, literals: usize, distances: &[usize]) -> &mut Self {
        // Words of two bits for the lengths up to 2 and for long runs of zeros.
        self.number(1, 1).number(2, 2).number(literals - 257, 5).number(distances.len() - 1, 5).number(14, 4);
        for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
            self.number(if [0, 1, 2, 18].contains(&symbol) { 2 } else { 0 }, 3);
        }
        let zeros = |bits: &mut Self, count: usize| _ = bits.word(3, 2).number(count - 11, 7);
        self.word(1, 2);
        zeros(self, 138);
        zeros(self, 117);
        self.word(2, 2).word(2, 2);
        (258..literals).for_each(|_| _ = self.word(0, 2));
        distances.iter().for_each(|&len| _ = self.word(len, 2));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        self.0.chunks(8).map(byte).collect()
    }
}

/// Symbols that RFC 1951, section 3.2.6, reserves, and words that a code has not, after nothing and
/// after enough data for every decoder.
#[test]
fn reserved_symbols_are_rejected_as_by_zlib() {
    let noise = data("random", 3000);
    let mut raw = RawDecoder::new();
    for before in [&[][..], &noise[..700], &noise] {
        let mut of = |what: &str, is_right: bool, write: &dyn Fn(&mut Bits)| {
            let mut bits = Bits::default();
            bits.stored(before).stored(b"something to repeat");
            write(&mut bits);
            let packed = bits.bytes();
            let verdict = zlib::inflate(Container::Raw, &packed, 8000);
            assert_eq!(matches!(verdict, Verdict::Done { .. }), is_right, "{what}: zlib {verdict:?}");
            assert_eq!(matches!(verdict, Verdict::Corrupt(_)), !is_right, "{what}: zlib {verdict:?}");
            let found = unpack(Format::Deflate, &packed, 8000);
            assert_eq!(found.is_ok(), is_right, "{what} after {}: {found:?}", before.len());
            let done = raw.decompress(&packed, &mut [0; 8000]);
            assert_eq!(done.is_some(), is_right, "{what} after {}, raw: {done:?}", before.len());
        };
        // Fixed blocks: a length, a distance, the end.
        let fixed = |length: usize, distance: usize| {
            move |bits: &mut Bits| {
                bits.number(0b011, 3).word(length, 8).word(distance, 5).number(0, 20).word(0, 7);
            }
        };
        of("length 285", true, &fixed(0b1100_0101, 0));
        of("length 286", false, &fixed(0b1100_0110, 0));
        of("length 287", false, &fixed(0b1100_0111, 0));
        of("distance 30", false, &|bits| fixed(0b1100_0101, 30)(bits));
        of("distance 31", false, &|bits| fixed(0b1100_0101, 31)(bits));
        // Dynamic blocks: a literal, a length of three, a distance, the end.
        let dynamic = |literals: usize, distances: &'static [usize], word: usize| {
            move |bits: &mut Bits| {
                bits.dynamic(literals, distances).word(0, 1).word(3, 2).word(word, 1).word(2, 2);
            }
        };
        of("two distances", true, &dynamic(258, &[1, 1], 1));
        of("286 literals and lengths", true, &dynamic(286, &[1, 1], 1));
        of("287 literals and lengths", false, &dynamic(287, &[1, 1], 1));
        of("30 distances", true, &dynamic(258, &[1; 2], 0));
        of("the word of one distance", true, &dynamic(258, &[1], 0));
        of("no word of one distance", false, &dynamic(258, &[1], 1));
        of("no distance", false, &dynamic(258, &[0], 0));
        of("an incomplete distance code", false, &dynamic(258, &[2, 2], 0));
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
