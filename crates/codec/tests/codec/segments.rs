//! Single streams in segments: same verdict and bytes as from start to end. `batch.rs` calls [`check`] with all its streams.

use pelton_codec::{Container, Decoder, Format, Implementation, Left, SegmentInflater};

use crate::reference::zlib::{Container as Wrap, deflate};
use crate::support::{SHAPES, data, pack_default};

/// Bytes after each output that have to stay as they are.
const GUARD: usize = 100;

/// The implementations that this processor can run.
fn inflaters() -> impl Iterator<Item = (&'static str, SegmentInflater)> {
    Implementation::ALL.into_iter().filter_map(|of| Some((of.name(), SegmentInflater::with(of)?)))
}

/// Decodes the raw stream in a container, of which only the first member is looked at; `plain` is what it holds, if it is
/// sound.
pub fn check(format: Format, input: &[u8], room: usize, plain: Option<&Vec<u8>>) {
    let Some(container) = Container::of(format) else { return };
    let Ok(header) = container.header_len(input) else { return };
    let mut expected = vec![0; room];
    let serial = Decoder::serial().decompress(Format::Deflate, &input[header..], &mut expected);
    for (name, mut segments) in inflaters() {
        let at = format!("{name}: {format}, {} bytes, room for {room}", input.len());
        for guard in [GUARD, 0] {
            let mut output = vec![0xAA; room + guard];
            match (segments.inflate(&input[header..], &mut output[..room]), &serial) {
                (Ok(done), Ok(serial)) => {
                    assert_eq!(done, *serial, "{at}");
                    assert!(output[..done.produced] == expected[..done.produced], "{at}: other bytes");
                    assert!(plain.is_none_or(|plain| plain.starts_with(&output[..done.produced])), "{at}");
                }
                (Err(Left::Cut), Ok(_)) => panic!("{at}: said to be cut"),
                (Ok(done), Err(error)) => panic!("{at}: {done:?}, but {error}"),
                (Err(_), _) => {}
            }
            assert!(output[room..].iter().all(|&byte| byte == 0xAA), "{at}: written past the end");
        }
    }
}

/// What is not runs stays to its end: whoever leaves it costs its time twice.
#[test]
fn usual_streams_are_decoded_to_their_ends() {
    for shape in ["text", "skewed"] {
        for len in [0, 1, 300, 4_000, 16_384, 65_536, 1 << 20] {
            let plain = data(shape, len);
            for level in [1, 6, 9] {
                for strategy in [0, 2, 4] {
                    let packed = deflate(Wrap::Raw, level, strategy, &plain);
                    // Most matches of skewed data are near, for which AVX2 has no copy.
                    let stays = |name: &str| name != Implementation::Avx2.name() || shape == "text";
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

/// A stream that ends early is said to be cut, or is left for one that says more; never decoded.
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
        assert_eq!(left, Err(Left::Cut), "{name}");
    }
}

/// A code in which all words have eight bits: a lane that starts between two of them never falls into step.
#[test]
fn lanes_that_never_meet() {
    // Of 19 code lengths that a header may have in their order, that of 8 is the sixth: it and that of 0 have one bit each.
    let mut bits = Bits::default();
    bits.put(1 | 2 << 1, 3);
    // 257 literals and lengths, one distance, five code lengths.
    bits.put(0, 5);
    bits.put(0, 5);
    bits.put(1, 4);
    for len in [0, 0, 0, 1, 1] {
        bits.put(len, 3);
    }
    // All literals but the last, and the end.
    (0..255).for_each(|_| bits.put(1, 1));
    bits.put(0, 1);
    bits.put(1, 1);
    bits.put(0, 1);
    let plain: Vec<u8> = data("random", 50_000).into_iter().map(|byte| byte.min(254)).collect();
    for &byte in &plain {
        bits.put(u64::from(byte.reverse_bits()), 8);
    }
    bits.put(0xff, 8);
    let packed = bits.finish();
    assert_ne!(packed.len() % plain.len(), 0, "a header before it, so that bytes and words differ");
    check(Format::Deflate, &packed, plain.len(), Some(&plain));
    let mut output = vec![0; plain.len()];
    let done = Decoder::new().decompress(Format::Deflate, &packed, &mut output).expect("a sound stream");
    assert!(done.produced == plain.len() && output == plain);
}

/// Streams whose lanes meet late or never are given up soon.
#[test]
fn what_gains_is_known_before() {
    let can = Implementation::best() != Implementation::OneByOne;
    assert_eq!(SegmentInflater::gains(20_000, 60_000), can);
    for (packed, room) in [(0, 60_000), (1000, 3000), (20_000, 20_300), (20_000, 0), (20_000, 200_000)] {
        assert!(!SegmentInflater::gains(packed, room), "{packed} bytes for {room}");
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
