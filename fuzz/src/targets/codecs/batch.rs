//! Batches of DEFLATE streams against the same streams one by one, and against the C zlib.
//!
//! An input's first [`HEAD`] bytes describe the batch. The rest is a stream or a recipe for one
//! (`craft/`). It stands somewhere in the batch, with exact, too little and too much capacity,
//! between other streams that are sound or damaged.

use std::cell::RefCell;

use pelton_codec::{
    BatchInflater, BatchIsaLevel, Container, Decoder, Format, SpeculativeError, SpeculativeInflater, Stream,
};

use super::check::{self, CANARY, CAPACITY, MARGIN, Outcome};
use super::deflate;
use pelton_random::Random;

use crate::craft;
use crate::reference::zlib;

const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];
/// The container, whether the rest is a recipe, how many streams, where the input's are, and a seed
/// for the others.
const HEAD: usize = 5;
/// Maximum number of streams in a batch: eight rounds of lanes.
const MAX: usize = 40;

/// A stream of a batch, and the result of [`pelton_codec::Decoder`] for it.
#[derive(Clone)]
struct Case {
    format: Format,
    input: Vec<u8>,
    capacity: usize,
    expected: Outcome,
}

impl Case {
    fn new(format: Format, input: Vec<u8>, capacity: usize) -> Self {
        let expected = check::decompress_into(format, &input, capacity);
        Self { format, input, capacity, expected }
    }
}

thread_local! {
    /// The implementations of this processor, for batches of any size, and the one that takes only
    /// profitable batches. They live through all inputs, as a thread's do.
    static INFLATERS: RefCell<Vec<BatchInflater>> = RefCell::new(
        BatchIsaLevel::ALL.into_iter().filter_map(BatchInflater::with).chain([BatchInflater::new()]).collect(),
    );
    /// Those that decode single streams in segments.
    static SEGMENTS: RefCell<Vec<(&'static str, SpeculativeInflater)>> = RefCell::new(
        BatchIsaLevel::ALL.into_iter().filter_map(|of| Some((of.name(), SpeculativeInflater::with(of)?))).collect(),
    );
    /// Sound streams for the same batches as those of an input.
    static OTHERS: Vec<Case> = others();
}

/// Returns streams of compressors and crafted ones, in every container, in batches of all sizes.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random(1);
    let mut head = |options: u8| [options, random.next() as u8, random.next() as u8, random.next() as u8, 0];
    let mut seeds = Vec::new();
    let streams = [deflate::raw_seeds(), deflate::zlib_seeds(), deflate::gzip_seeds()];
    for (container, streams) in (0..).zip(streams) {
        seeds.extend(streams.iter().map(|stream| [&head(container)[..], stream].concat()));
    }
    let stops = craft::stops(3000).into_iter();
    seeds.extend(stops.map(|(stream, _)| [&head(0)[..], &stream].concat()));
    for round in 0..200 {
        let recipe: Vec<u8> = (0..(1 + round % 12) * craft::RECIPE).map(|at| mix(round, at) as u8).collect();
        seeds.push([&head(3 + (round % 3) as u8)[..], &recipe].concat());
    }
    seeds
}

fn mix(round: usize, at: usize) -> u64 {
    Random((round << 32 | at) as u64).next()
}

/// Decodes the batch that `input` describes with every implementation.
pub fn run(input: &[u8]) {
    let (head, rest) = input.split_at(input.len().min(HEAD));
    let field = |at: usize| usize::from(head.get(at).copied().unwrap_or_default());
    let format = FORMATS[field(0) % 3];
    let stream = if field(0) / 3 % 2 == 0 { rest.to_vec() } else { wrap(format, craft::stream(rest)) };
    let ample = Case::new(format, stream.clone(), CAPACITY);
    SEGMENTS.with_borrow_mut(|all| all.iter_mut().for_each(|(name, of)| in_segments(name, of, &ample)));
    deflate::agree_with_zlib(format, &stream, &ample.expected);

    let mut random = Random(u64::from_le_bytes(std::array::from_fn(|at| field(at) as u8)));
    let mut cases: Vec<Case> = (0..1 + field(1) % MAX).map(|_| other(&mut random)).collect();
    let needed = ample.expected.as_ref().map_or(CAPACITY / 2, |(done, _)| done.produced);
    let capacities = [needed, needed.saturating_sub(1), needed / 2];
    let short = capacities.map(|capacity| Case::new(format, stream.clone(), capacity));
    for (place, case) in (field(2)..).zip([ample].into_iter().chain(short).take(cases.len())) {
        let place = place % cases.len();
        cases[place] = case;
    }
    INFLATERS
        .with_borrow_mut(|inflaters| inflaters.iter_mut().for_each(|inflater| compare(inflater, &cases)));
}

fn compare(inflater: &mut BatchInflater, cases: &[Case]) {
    let name = inflater.isa_level().name();
    let mut outputs: Vec<Vec<u8>> = cases.iter().map(|case| vec![CANARY; case.capacity + MARGIN]).collect();
    let mut streams: Vec<Stream<'_>> = cases
        .iter()
        .zip(&mut outputs)
        .map(|(case, output)| Stream::new(case.format, &case.input, &mut output[..case.capacity]))
        .collect();
    inflater.inflate_batch(&mut streams);
    let results: Vec<_> = streams.into_iter().map(|stream| stream.result).collect();
    for (at, ((case, output), result)) in cases.iter().zip(&outputs).zip(results).enumerate() {
        let Case { format, input, capacity, expected } = case;
        let what = format!(
            "{name}, stream {at} of {}: {format}, {} bytes, room for {capacity}",
            cases.len(),
            input.len()
        );
        match (result, expected) {
            (Ok(done), Ok((expected, uncompressed))) => {
                assert!(done == *expected, "{what}: {done:?}, alone {expected:?}");
                assert!(output.starts_with(uncompressed), "{what}: other bytes than alone");
            }
            (Err(error), Err(expected)) => assert!(error == *expected, "{what}: {error}, alone {expected}"),
            (result, expected) => {
                panic!("{what}: {result:?}, alone {:?}", expected.as_ref().map(|(done, _)| done))
            }
        }
        let margin = &output[*capacity..];
        assert!(margin.iter().all(|&byte| byte == CANARY), "{what}: bytes after the output were written");
    }
}

/// Decodes the raw stream of a case in segments, with ample and with exact capacity.
fn in_segments(name: &str, segments: &mut SpeculativeInflater, case: &Case) {
    let Some(header) = Container::of(case.format).and_then(|of| of.header_len(&case.input).ok()) else {
        return;
    };
    let (raw, mut uncompressed) = (&case.input[header..], vec![0; case.capacity]);
    let serial = Decoder::serial().decompress(Format::Deflate, raw, &mut uncompressed);
    let needed = serial.as_ref().map_or(case.capacity, |done| done.produced);
    for capacity in [case.capacity, needed] {
        let mut output = vec![CANARY; capacity + MARGIN];
        let done = segments.inflate(raw, &mut output[..capacity]);
        match (done, &serial) {
            (Ok(done), Ok(serial)) => {
                assert!(done == *serial, "{name}, in segments: {done:?}, alone {serial:?}");
                assert!(
                    output[..needed] == uncompressed[..needed],
                    "{name}, in segments: other bytes than alone"
                );
            }
            (Ok(done), Err(error)) => panic!("{name}, in segments: {done:?}, alone {error}"),
            (Err(SpeculativeError::Undecodable), Ok(serial)) => {
                panic!("{name}, in segments: cut, alone {serial:?}")
            }
            (Err(_), _) => {}
        }
        let margin = &output[capacity..];
        assert!(margin.iter().all(|&byte| byte == CANARY), "{name}, in segments: bytes after the output");
    }
}

/// Returns a crafted stream in its container, with the checksum that it should have if it can be
/// decoded.
fn wrap(format: Format, raw: Vec<u8>) -> Vec<u8> {
    let uncompressed = match check::decompress_into(Format::Deflate, &raw, CAPACITY) {
        Ok((_, uncompressed)) => uncompressed,
        Err(_) => vec![],
    };
    match format {
        Format::Zlib => [&[0x78, 0x9C], &raw[..], &zlib::adler32(&uncompressed).to_be_bytes()].concat(),
        Format::Gzip => {
            let (sum, len) =
                (zlib::crc32(&uncompressed).to_le_bytes(), (uncompressed.len() as u32).to_le_bytes());
            [b"\x1f\x8b\x08\0\0\0\0\0\0\xff", &raw[..], &sum, &len].concat()
        }
        _ => raw,
    }
}

/// Text and numbers of a few hundred to 20,000 bytes.
fn others() -> Vec<Case> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt").repeat(8);
    let numbers: Vec<u8> = (0..20_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    let mut others = Vec::new();
    for (format, container) in
        FORMATS.into_iter().zip([zlib::Container::Raw, zlib::Container::Zlib, zlib::Container::Gzip])
    {
        for (strategy, len) in [(0, 300), (0, 5000), (4, 2000), (2, 8000), (3, 20_000), (0, 20_000)] {
            for uncompressed in [&text, &numbers] {
                let uncompressed = &uncompressed[..len.min(uncompressed.len())];
                others.push(Case::new(
                    format,
                    zlib::deflate(container, 6, strategy, uncompressed),
                    uncompressed.len(),
                ));
            }
        }
    }
    others
}

/// Returns another stream for the batch, damaged every fourth time.
fn other(random: &mut Random) -> Case {
    let case = OTHERS.with(|others| others[random.below(others.len())].clone());
    if random.below(4) > 0 {
        return case;
    }
    let mut input = case.input;
    match random.below(2) {
        0 => input.truncate(random.below(input.len())),
        _ => {
            let at = random.below(input.len());
            input[at] ^= 1 << random.below(8);
        }
    }
    Case::new(case.format, input, case.capacity)
}
