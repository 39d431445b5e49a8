//! Speculative decoding of single streams: same verdict and bytes as from start to end. `batch.rs`
//! calls [`check`] with all its streams.

use std::cell::RefCell;

use pelton_codec::{
    BatchIsaLevel, Checksum, Container, Decoder, Format, IsaLevel, RawDecoder, STREAM_WINDOW,
    SpeculativeError, SpeculativeInflater, StreamInflater, StreamStop, checksum,
};

use crate::reference::zlib::{Container as Wrap, deflate};
use crate::support::{SHAPES, data, pack_default, sample};

/// Bytes after each output that have to stay unchanged.
const GUARD: usize = 100;

/// The implementations that this processor can run.
fn inflaters() -> impl Iterator<Item = (&'static str, SpeculativeInflater)> {
    BatchIsaLevel::ALL.into_iter().filter_map(|of| Some((of.name(), SpeculativeInflater::with(of)?)))
}

thread_local! {
    /// They live through all streams, as a thread's do.
    static INFLATERS: RefCell<Vec<(&'static str, SpeculativeInflater)>> = RefCell::new(inflaters().collect());
}

/// Returns whether the bytes are those before the call.
fn is_untouched(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0xAA)
}

/// Returns how many bytes a raw stream has before its end or a fault, up to `room`.
fn sound(input: &[u8], room: usize) -> usize {
    let (mut window, mut output) = ([0; STREAM_WINDOW], vec![0; room]);
    let mut inflater = StreamInflater::checked(0);
    inflater.inflate(&mut window, input, &mut output, StreamStop::Never).0.produced
}

/// Decodes the raw stream of a container's first member; `plain` is its data, if it is sound.
pub fn check(format: Format, input: &[u8], room: usize, plain: Option<&Vec<u8>>) {
    let Some(container) = Container::of(format) else { return };
    let Ok(header) = container.header_len(input) else { return };
    let mut expected = vec![0; room];
    let serial = Decoder::serial().decompress(Format::Deflate, &input[header..], &mut expected);
    let check_with = |name: &str, segments: &mut SpeculativeInflater| {
        let at = format!("{name}: {format}, {} bytes, room for {room}", input.len());
        for guard in [GUARD, 0] {
            let mut output = vec![0xAA; room + guard];
            match (segments.inflate(&input[header..], &mut output[..room]), &serial) {
                (Ok(done), Ok(serial)) => {
                    assert_eq!(done, *serial, "{at}");
                    assert!(output[..done.produced] == expected[..done.produced], "{at}: other bytes");
                    assert!(plain.is_none_or(|plain| plain.starts_with(&output[..done.produced])), "{at}");
                    assert!(is_untouched(&output[done.produced..]), "{at}: written behind the data");
                }
                (Err(SpeculativeError::Undecodable), Ok(_)) => panic!("{at}: said to fail"),
                (Ok(done), Err(error)) => panic!("{at}: {done:?}, but {error}"),
                (Err(_), Err(_)) => {
                    let end = sound(&input[header..], room);
                    assert!(is_untouched(&output[end..]), "{at}: written behind the fault");
                }
                (Err(SpeculativeError::GivenUp), Ok(_)) => {}
            }
            assert!(is_untouched(&output[room..]), "{at}: written past the end");
        }
    };
    INFLATERS.with_borrow_mut(|all| all.iter_mut().for_each(|(name, segments)| check_with(name, segments)));
}

/// Data without runs stays to its end: a stream that leaves costs its time twice.
#[test]
fn usual_streams_are_decoded_to_their_ends() {
    let mut skips = sample();
    for shape in ["text", "skewed"] {
        for len in [0, 1, 300, 4_000, 16_384, 65_536, 1 << 20] {
            let plain = data(shape, len);
            for level in [1, 6, 9] {
                for strategy in [0, 2, 4] {
                    if skips() {
                        continue;
                    }
                    let packed = deflate(Wrap::Raw, level, strategy, &plain);
                    // Most matches of skewed data are near, for which AVX2 has no copy.
                    let stays = |name: &str| name != BatchIsaLevel::Avx2.name() || shape == "text";
                    for (name, mut segments) in inflaters().filter(|(name, _)| stays(name)) {
                        let mut output = vec![0; len];
                        let done = segments.inflate(&packed, &mut output);
                        let at = format!("{name}: {shape}, {len} bytes at {level}, strategy {strategy}");
                        let done = done.unwrap_or_else(|left| panic!("{at}: {left:?}"));
                        assert_eq!((done.consumed, done.produced), (packed.len(), len), "{at}");
                        assert!(output == plain, "{at}");
                    }
                }
            }
        }
    }
}

/// Streams that no decoder accepts are errors, or are left for a decoder with a better message.
#[test]
fn cut_streams() {
    for shape in SHAPES {
        let plain = data(shape, 20_000);
        let packed = pack_default(Format::Deflate, &plain);
        for (name, mut segments) in inflaters() {
            let mut output = vec![0; plain.len()];
            for len in (0..packed.len()).step_by(1 + packed.len() / 300) {
                let left = segments.inflate(&packed[..len], &mut output);
                assert!(left.is_err(), "{name}: {shape}, {len} of {} bytes", packed.len());
            }
        }
    }
    let packed = pack_default(Format::Deflate, &data("text", 200_000));
    for (name, mut segments) in inflaters() {
        let mut output = vec![0; 200_000];
        let left = segments.inflate(&packed[..packed.len() / 2], &mut output);
        assert_eq!(left, Err(SpeculativeError::Undecodable), "{name}");
        let left = segments.inflate(&packed, &mut output[..199_999]);
        assert_eq!(left, Err(SpeculativeError::Undecodable), "{name}, with too little room");
    }
}

/// Streams in the containers: a stream that is whole, followed by others' bytes,
/// cut, or without room.
#[test]
fn raw_streams() {
    let plain = data("text", 40_000);
    let packed = pack_default(Format::Deflate, &plain);
    assert_eq!(SpeculativeInflater::gains(packed.len(), plain.len()), inflaters().count() > 1);
    let mut raw = RawDecoder::new();
    let mut output = vec![0; plain.len() + 1];
    for after in [0, 1, 9, 5_000] {
        let done = raw.decompress(&[&packed[..], &vec![0x55; after]].concat(), &mut output).expect("whole");
        assert_eq!((done.consumed, done.produced), (packed.len(), plain.len()), "{after} bytes behind it");
        assert!(output.starts_with(&plain));
    }
    for len in [packed.len() - 1, packed.len() / 2, 3_000] {
        assert_eq!(raw.decompress(&packed[..len], &mut output), None, "{len} bytes");
    }
    assert_eq!(raw.decompress(&packed, &mut output[..plain.len() - 1]), None);
}

/// Returns the header of a last block with codewords of eight bits for all literals but the last,
/// and for the end. It ends within a byte, so that no lane but the first starts at a codeword.
fn words_of_eight_bits() -> Bits {
    let mut bits = Bits::default();
    bits.put(1 | 2 << 1, 3);
    // All literals and the end, one distance, and five lengths of codewords for lengths. The last
    // two have one bit each.
    bits.put(0, 5);
    bits.put(0, 5);
    bits.put(1, 4);
    for len in [0, 0, 0, 1, 1] {
        bits.put(len, 3);
    }
    (0..255).for_each(|_| bits.put(1, 1));
    bits.put(0, 1);
    bits.put(1, 1);
    bits.put(0, 1);
    bits
}

#[test]
fn lanes_that_never_meet() {
    let mut bits = words_of_eight_bits();
    assert_eq!((bits.bytes.len(), bits.count), (36, 2));
    let plain: Vec<u8> = data("random", 50_000).into_iter().map(|byte| byte.min(254)).collect();
    for &byte in &plain {
        bits.put(u64::from(byte.reverse_bits()), 8);
    }
    bits.put(0xff, 8);
    let packed = bits.finish();
    check(Format::Deflate, &packed, plain.len(), Some(&plain));
    for (name, mut segments) in inflaters() {
        let left = segments.inflate(&packed, &mut vec![0; plain.len()]);
        assert_eq!(left, Err(SpeculativeError::GivenUp), "{name} goes on with it");
    }
}

/// Empty blocks, each of which costs a lane much more time than libdeflate.
#[test]
fn streams_of_short_blocks_are_left_soon() {
    for symbols in [0, 1, 20, 70, 300] {
        let mut bits = Bits::default();
        let mut plain = Vec::new();
        let blocks = 60_000 / (symbols + 1);
        for block in 0..blocks {
            bits.put_block(block + 1 == blocks, symbols, block, &mut plain);
        }
        let packed = bits.finish();
        check(Format::Deflate, &packed, plain.len(), Some(&plain));
        for (name, mut segments) in inflaters() {
            let left = segments.inflate(&packed, &mut vec![0; plain.len()]);
            assert!(
                left == Err(SpeculativeError::GivenUp) || symbols > 70,
                "{name}: blocks of {symbols}: {left:?}"
            );
        }
    }
}

impl Bits {
    /// Appends a block of so many literals by the fixed code of low ones: codewords of eight bits.
    fn put_block(&mut self, is_last: bool, symbols: usize, block: usize, plain: &mut Vec<u8>) {
        self.put(u64::from(is_last) | 1 << 1, 3);
        for i in 0..symbols {
            let literal = ((block * 31 + i * i) % 144) as u8;
            self.put(u64::from((48 + literal).reverse_bits()), 8);
            plain.push(literal);
        }
        self.put(0, 7);
    }
}

/// Short blocks are left to the other decoder, and the blocks behind them are not.
#[test]
fn streams_that_are_given_up_in_between() {
    let (mut bits, mut plain) = (Bits::default(), Vec::new());
    for block in 0..2 {
        bits.put_block(false, 300_000, block, &mut plain);
        (0..9000).for_each(|block| bits.put_block(false, 20, block, &mut plain));
    }
    // a stored block without bytes ends at a whole byte
    bits.put(0, 3);
    bits.put(0, (8 - bits.count) % 8);
    bits.put(0xffff_0000, 32);
    let mut packed = bits.bytes;
    let text = data("text", 300_000);
    packed.extend(deflate(Wrap::Raw, 6, 0, &text));
    plain.extend(&text);
    for (name, mut segments) in inflaters() {
        let left = segments.inflate(&packed, &mut vec![0; plain.len()]);
        assert_eq!(left, Err(SpeculativeError::GivenUp), "{name}");
    }
    let behind = [&packed[..], &[0x55; 9]].concat();
    for isa_level in [IsaLevel::Portable, IsaLevel::Avx2, IsaLevel::Avx512] {
        let mut raw = RawDecoder::with_isa_level(isa_level);
        let mut output = vec![0xAA; plain.len() + 40];
        let done = raw.decompress(&behind, &mut output).expect("a whole stream");
        assert_eq!((done.consumed, done.produced), (packed.len(), plain.len()), "{isa_level:?}");
        assert!(output.starts_with(&plain), "{isa_level:?}");
        assert!(is_untouched(&output[plain.len()..]), "{isa_level:?}: written behind the data");
        for len in (1..packed.len()).step_by(packed.len() / 40) {
            assert!(raw.decompress(&packed[..len], &mut output).is_none(), "{isa_level:?}: {len} bytes");
            let room = plain.len() * len / packed.len();
            assert!(raw.decompress(&packed, &mut output[..room]).is_none(), "{isa_level:?}: room for {room}");
        }
        let mut container = Decoder::new();
        for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
            let packed = match (Container::of(format), format) {
                (Some(of), Format::Zlib | Format::Gzip) => {
                    let sum = if format == Format::Gzip { Checksum::Crc32 } else { Checksum::Adler32 };
                    let sum = checksum(sum, &plain) as u32;
                    [of.header(6, 15), packed.clone(), of.trailer(sum, plain.len())].concat()
                }
                _ => packed.clone(),
            };
            output.fill(0);
            let done = container.decompress(format, &packed, &mut output[..plain.len()]).expect("a stream");
            assert_eq!((done.consumed, done.produced), (packed.len(), plain.len()), "{format}");
            assert!(output.starts_with(&plain), "{format}");
        }
    }
}

#[test]
fn what_gains_is_known_before() {
    let can = BatchIsaLevel::best() != BatchIsaLevel::OneByOne;
    assert_eq!(SpeculativeInflater::gains(20_000, 60_000), can);
    for (packed, room) in [(0, 60_000), (1000, 3000), (20_000, 20_300), (20_000, 0), (20_000, 300_000)] {
        assert!(!SpeculativeInflater::gains(packed, room), "{packed} bytes for {room}");
    }
}

/// Bits, the first lowest.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, bits: u64, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.put(0, 7);
        self.bytes
    }
}
