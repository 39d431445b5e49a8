//! Batches against the same streams one by one: every implementation, same verdict, same bytes. The
//! same streams in segments.

use pelton_codec::{BatchInflater, BatchIsaLevel, Decoder, Error, Format, Progress, Stream};

use super::speculative;
use crate::reference::zlib::{Container, deflate};
use crate::support::{PLAIN, Random, SHAPES, data, levels, pack, pack_default, reduced, sample};

/// Z_FILTERED to Z_FIXED, after Z_DEFAULT_STRATEGY.
const STRATEGIES: std::ops::RangeInclusive<i32> = 0..=4;
const FORMATS: [Format; 3] = [Format::Deflate, Format::Zlib, Format::Gzip];
/// Bytes after each output that have to stay unchanged.
const GUARD: usize = 100;

/// Input, and the room for its output.
type Case = (Format, Box<[u8]>, usize);
/// The result.
type Outcome = (Result<Progress, Error>, Vec<u8>);

fn case(format: Format, packed: &[u8], room: usize) -> Case {
    (format, packed.into(), room)
}

/// Returns the implementations that this processor can run.
fn inflaters() -> impl Iterator<Item = (BatchIsaLevel, BatchInflater)> {
    BatchIsaLevel::ALL.into_iter().filter_map(|of| Some((of, BatchInflater::with(of)?)))
}

fn one_by_one(cases: &[Case]) -> Vec<Outcome> {
    let mut decoder = Decoder::serial();
    let decode = |(format, input, room): &Case| {
        let mut output = vec![0xAA; *room];
        let result = decoder.decompress(*format, input, &mut output);
        output.truncate(result.as_ref().map_or(0, |done| done.produced));
        (result, output)
    };
    cases.iter().map(decode).collect()
}

/// Decodes the cases as one batch and compares: with bytes behind the outputs, and with allocations
/// that end where the outputs do, for AddressSanitizer.
fn check_with(name: BatchIsaLevel, batch: &mut BatchInflater, cases: &[&Case], expected: &[&Outcome]) {
    for guard in [GUARD, 0] {
        check_guarded(guard, name, batch, cases, expected);
    }
}

fn check_guarded(
    guard: usize,
    name: BatchIsaLevel,
    batch: &mut BatchInflater,
    cases: &[&Case],
    expected: &[&Outcome],
) {
    let mut outputs: Vec<Box<[u8]>> =
        cases.iter().map(|(_, _, room)| vec![0xAA; room + guard].into()).collect();
    let mut streams: Vec<Stream<'_>> = cases
        .iter()
        .zip(&mut outputs)
        .map(|((format, input, room), output)| Stream::new(*format, input, &mut output[..*room]))
        .collect();
    batch.inflate_batch(&mut streams);
    let results: Vec<_> = streams.into_iter().map(|stream| stream.result).collect();
    for (i, ((result, output), (expected, plain))) in results.iter().zip(&outputs).zip(expected).enumerate() {
        let (format, input, room) = cases[i];
        let at = format!("{} stream {i}: {format}, {} bytes, room for {room}", name.name(), input.len());
        assert_eq!(result, expected, "{at}");
        assert!(output.starts_with(plain), "{at}");
        assert!(output[*room..].iter().all(|&byte| byte == 0xAA), "{at}: written past the end");
    }
}

/// Returns for each case whether it is decoded interleaved in one batch.
fn sides(batch: &mut BatchInflater, cases: &[Case]) -> Vec<bool> {
    let mut outputs: Vec<Vec<u8>> = cases.iter().map(|(_, _, room)| vec![0; *room]).collect();
    let mut streams: Vec<Stream<'_>> = cases
        .iter()
        .zip(&mut outputs)
        .map(|((format, packed, _), output)| Stream::new(*format, packed, output))
        .collect();
    batch.inflate_batch(&mut streams);
    streams.iter().map(|stream| stream.is_interleaved).collect()
}

fn check(cases: &[Case]) {
    let expected = one_by_one(cases);
    for ((format, input, room), (result, plain)) in cases.iter().zip(&expected) {
        speculative::check(*format, input, *room, result.is_ok().then_some(plain));
    }
    let (cases, expected): (Vec<_>, Vec<_>) = (cases.iter().collect(), expected.iter().collect());
    for (name, mut batch) in inflaters() {
        check_with(name, &mut batch, &cases, &expected);
    }
    // As it runs by default: all, and few at a time, so that some are decoded alone.
    let mut batch = BatchInflater::new();
    for few in [cases.len().max(1), 4] {
        for (cases, expected) in cases.chunks(few).zip(expected.chunks(few)) {
            check_with(batch.isa_level(), &mut batch, cases, expected);
        }
    }
}

#[test]
fn every_level_shape_and_container() {
    let mut cases = Vec::new();
    let mut skips = sample();
    for format in FORMATS {
        for level in levels(format) {
            for shape in SHAPES {
                for len in [0, 1, 5000, 70_000] {
                    if skips() {
                        continue;
                    }
                    cases.push(case(format, &pack(format, level, &data(shape, len)), len));
                }
            }
        }
    }
    check(&cases);
}

#[test]
fn every_strategy_of_zlib() {
    let mut cases = Vec::new();
    for strategy in STRATEGIES {
        for level in [0, 1, 6, 9] {
            for shape in SHAPES {
                let plain = data(shape, reduced(90_000).max(20_000));
                cases.push(case(
                    Format::Deflate,
                    &deflate(Container::Raw, level, strategy, &plain),
                    plain.len(),
                ));
            }
        }
    }
    check(&cases);
}

#[test]
fn every_small_size() {
    let mut cases = Vec::new();
    for len in (0..=300).step_by(300 / reduced(300)) {
        for shape in SHAPES {
            let plain = data(shape, len);
            cases.push(case(Format::Gzip, &pack_default(Format::Gzip, &plain), len));
            cases.push(case(Format::Deflate, &deflate(Container::Raw, 6, 4, &plain), len));
        }
    }
    check(&cases);
}

/// Symbols with Fibonacci numbers as frequencies, which have codewords of every length.
#[test]
fn code_words_of_every_length() {
    let (mut plain, mut counts) = (Vec::new(), (1, 1));
    for symbol in 0..20 {
        plain.extend(std::iter::repeat_n(symbol * 13, counts.0));
        counts = (counts.1, counts.0 + counts.1);
    }
    let mut random = Random(3);
    let mut cases = Vec::new();
    for _ in 0..reduced(12) {
        for i in (1..plain.len()).rev() {
            plain.swap(i, random.below(i + 1));
        }
        // Literals only, and with matches.
        for strategy in [2, 0] {
            cases.push(case(Format::Deflate, &deflate(Container::Raw, 9, strategy, &plain), plain.len()));
        }
    }
    check(&cases);
}

/// Matches of every length and of distances that are mostly short, so that the long ones' code
/// words are long.
#[test]
fn distances_of_every_kind() {
    let mut random = Random(4);
    let mut cases = Vec::new();
    for round in 0..reduced(12) {
        let mut plain = data("random", 33_000 + round);
        while plain.len() < 150_000 {
            let widest = if random.below(40) == 0 { 15 } else { 7 };
            let nearest = 1 << random.below(widest);
            let distance = (nearest + random.below(nearest)).min(32_768);
            for _ in 0..3 + random.below(260) {
                plain.push(plain[plain.len() - distance]);
            }
            plain.extend_from_slice(&random.next().to_le_bytes()[..1 + random.below(7)]);
        }
        for level in [1, 6, 9] {
            cases.push(case(Format::Zlib, &deflate(Container::Zlib, level, 0, &plain), plain.len()));
        }
        cases.push(case(Format::Deflate, &pack_default(Format::Deflate, &plain), plain.len()));
    }
    check(&cases);
}

/// Matches that repeat the last output, with literals between: short ones first, since a stream
/// that begins with long ones leaves its lane.
#[test]
fn near_matches_of_every_length_and_distance() {
    let mut random = Random(8);
    let mut cases = Vec::new();
    for round in 0..reduced(24) {
        let mut plain = data("random", 40 + round);
        while plain.len() < 60_000 {
            let longest = if plain.len() < 8_000 || random.below(9) > 0 { 10 } else { 259 };
            let farthest = if random.below(8) > 0 { 36 } else { plain.len().min(9_000) };
            let distance = 1 + random.below(farthest);
            for _ in 0..3 + random.below(longest - 2) {
                plain.push(plain[plain.len() - distance.min(plain.len())]);
            }
            let literals = if random.below(30) == 0 { 70 } else { 4 };
            plain.extend((0..1 + random.below(literals)).map(|_| random.next() as u8));
        }
        cases.push(case(Format::Deflate, &deflate(Container::Raw, 1, 0, &plain), plain.len()));
        cases.push(case(Format::Zlib, &deflate(Container::Zlib, 6, 0, &plain), plain.len()));
    }
    check(&cases);
    // With AVX2 they leave their lanes.
    let stay = |name| matches!(name, BatchIsaLevel::Portable | BatchIsaLevel::Avx512);
    for (name, mut batch) in inflaters().filter(|(name, _)| stay(*name)) {
        assert!(sides(&mut batch, &cases).into_iter().all(|side| side), "{}", name.name());
    }
}

/// libdeflate is faster for these, and has them even where every stream is to go to a lane.
#[test]
fn runs_leave_their_lanes() {
    let keys: Vec<u8> = (0..20_000_u64).flat_map(|i| (i / 3).to_le_bytes()).collect();
    let runs: Vec<u8> = (0..4_000_usize).flat_map(|i| vec![(i % 7) as u8; 20 + i % 50]).collect();
    let cases =
        [keys, runs].map(|plain| case(Format::Gzip, &pack_default(Format::Gzip, &plain), plain.len()));
    check(&cases);
    for (name, mut batch) in inflaters() {
        for (format, packed, room) in &cases {
            let mut output = vec![0; *room];
            let mut streams = [Stream::new(*format, packed, &mut output)];
            batch.inflate_batch(&mut streams);
            assert!(!streams[0].is_interleaved, "{}", name.name());
        }
    }
}

#[test]
fn room_that_is_exact_short_or_ample() {
    let mut cases = Vec::new();
    for format in FORMATS {
        for shape in SHAPES {
            for len in [1, 40, 3000, 66_000] {
                let packed = pack_default(format, &data(shape, len));
                cases.extend(
                    [0, len / 2, len - 1, len, len + 1, len + 1000].map(|room| case(format, &packed, room)),
                );
            }
        }
    }
    check(&cases);
}

#[test]
fn members_and_what_follows() {
    let [first, second] = [&PLAIN[..200], PLAIN].map(|plain| pack_default(Format::Gzip, plain));
    let room = 200 + PLAIN.len();
    let cases = [
        [&first[..], &second].concat(),
        [&first[..], &second, &first, b"tail"].concat(),
        [&first[..], &[0x1f, 0x8b]].concat(),
        [&first[..], &second[..second.len() - 1]].concat(),
        [&first[..], b"\x1ftail"].concat(),
    ];
    let mut cases: Vec<Case> = cases.iter().map(|packed| case(Format::Gzip, packed, room + 200)).collect();
    for format in FORMATS {
        cases.push(case(format, &[&pack_default(format, PLAIN)[..], &[7; 2000]].concat(), room));
    }
    check(&cases);
}

/// Members and streams that follow each other in a lane, or take the place of one that left: with
/// the same codes as the one before, with others, stored, and damaged. All that are sound stay in
/// their lanes, so that their checksums and tables were right.
#[test]
fn streams_that_follow_each_other_in_lanes() {
    let [text, other] = ["text", "skewed"].map(|shape| data(shape, 90_000));
    let random = data("random", 70_000);
    let mut cases = Vec::new();
    for round in 0..8 {
        // Z_FIXED, with the same codes in all blocks, and codes of their own. With all
        // lengths, as the longest come first.
        for (plain, len) in [(&text, 20_000), (&text, 50_000), (&other, 20_000), (&other, 50_000)] {
            for strategy in [4, 0] {
                let plain = &plain[..len + 4_000 * round];
                cases.push(case(Format::Deflate, &deflate(Container::Raw, 6, strategy, plain), plain.len()));
            }
        }
        let parts = [&text[..], &random[..], &other[..40_000], &text[..]];
        let members: Vec<u8> = parts.iter().flat_map(|part| pack_default(Format::Gzip, part)).collect();
        cases.push(case(Format::Gzip, &members, parts.iter().map(|part| part.len()).sum()));
        let mut damaged = pack_default(Format::Zlib, &other);
        let place = damaged.len() * (round + 1) / 9;
        damaged[place] ^= 0x55;
        cases.push(case(Format::Zlib, &damaged, other.len()));
    }
    check(&cases);
    let expected = one_by_one(&cases);
    for (name, mut batch) in inflaters().filter(|(name, _)| *name != BatchIsaLevel::OneByOne) {
        for (i, (side, (result, _))) in sides(&mut batch, &cases).into_iter().zip(&expected).enumerate() {
            assert_eq!(side, result.is_ok(), "{} stream {i}", name.name());
        }
    }
}

#[test]
fn other_formats_are_decoded_too() {
    let cases = Format::ALL.map(|format| case(format, &pack_default(format, PLAIN), PLAIN.len()));
    check(&cases);
}

/// A sound stream in every lane but one.
#[test]
fn a_damaged_stream_in_every_place() {
    let mut random = Random(5);
    let sound: Vec<Case> = (0..9)
        .map(|i| {
            let plain = data(SHAPES[i % SHAPES.len()], 4000 + 700 * i);
            case(FORMATS[i % 3], &pack_default(FORMATS[i % 3], &plain), plain.len())
        })
        .collect();
    let expected = one_by_one(&sound);
    for (name, mut batch) in inflaters() {
        for round in 0..reduced(60) {
            for place in 0..sound.len() {
                let (format, input, room) = &sound[random.below(sound.len())];
                let mut packed = input.to_vec();
                match round % 3 {
                    0 => packed.truncate(random.below(packed.len())),
                    1 => packed[random.below(input.len())] ^= 1 << random.below(8),
                    // Near the start, where the header is.
                    _ => packed[random.below(input.len().min(90))] = random.next() as u8,
                }
                let damaged = case(*format, &packed, *room);
                let verdict = one_by_one(std::slice::from_ref(&damaged)).remove(0);
                let (mut cases, mut expected): (Vec<_>, Vec<_>) =
                    (sound.iter().collect(), expected.iter().collect());
                cases[place] = &damaged;
                expected[place] = &verdict;
                check_with(name, &mut batch, &cases, &expected);
            }
        }
    }
}

#[test]
fn random_bytes_after_every_block_header() {
    let mut random = Random(6);
    let cases: Vec<Case> = (0..reduced(20_000))
        .map(|i| {
            let mut packed: Vec<u8> = (0..random.below(200)).map(|_| random.next() as u8).collect();
            if let Some(first) = packed.first_mut() {
                // A last block of each type, mostly one with codes of its own.
                *first = *first & !7 | [1, 3, 5, 5, 4][i % 5];
            }
            case(Format::Deflate, &packed, 3000)
        })
        .collect();
    check(&cases);
}

#[test]
fn batches_of_every_size() {
    let cases: Vec<Case> = (0..20)
        .map(|i| case(Format::Deflate, &pack_default(Format::Deflate, &data("text", 900 * i)), 900 * i))
        .collect();
    for len in 0..=cases.len() {
        check(&cases[..len]);
        let mut batch = BatchInflater::new();
        let expected = one_by_one(&cases[..len]);
        let (cases, expected): (Vec<_>, Vec<_>) = (cases[..len].iter().collect(), expected.iter().collect());
        check_with(batch.isa_level(), &mut batch, &cases, &expected);
    }
}

/// Results, for callers that count them.
#[test]
fn streams_say_whether_they_were_decoded_side_by_side() {
    let plain = data("text", 40_000);
    let sound = pack_default(Format::Zlib, &plain);
    let mut damaged = sound.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for (of, mut batch) in inflaters() {
        assert_eq!(batch.isa_level(), of);
        let mut outputs = vec![vec![0; plain.len()]; 7];
        let inputs = (0..7).map(|i| if i == 3 { &damaged } else { &sound });
        let mut streams: Vec<Stream<'_>> = inputs
            .zip(&mut outputs)
            .map(|(input, output)| Stream::new(Format::Zlib, input, output))
            .collect();
        batch.inflate_batch(&mut streams);
        let sides: Vec<bool> = streams.iter().map(|stream| stream.is_interleaved).collect();
        let expected: Vec<bool> = (0..7).map(|i| of != BatchIsaLevel::OneByOne && i != 3).collect();
        assert_eq!(sides, expected, "{}", of.name());
    }
}

#[test]
fn only_what_gains_is_said_to_gain() {
    let batches = BatchIsaLevel::best() != BatchIsaLevel::OneByOne;
    for format in Format::ALL {
        // Snappy's lanes need no certain processor.
        let expected = format == Format::Snappy || (batches && FORMATS.contains(&format));
        assert_eq!(BatchInflater::gains(format, 20_000, 60_000), expected, "{format}");
    }
    for (packed, room) in [(0, 60_000), (1000, 3000), (20_000, 20_000), (20_000, 0), (20_000, 240_000)] {
        assert!(!BatchInflater::gains(Format::Gzip, packed, room), "{packed} bytes for {room}");
    }
    // Packed codes shrink by a hundredth, and are literals.
    assert_eq!(BatchInflater::gains(Format::Gzip, 20_000, 20_200), batches);
}

#[test]
fn unknown_implementations_are_an_error() {
    for of in BatchIsaLevel::ALL {
        assert_eq!(of.name().parse(), Ok(of));
    }
    assert!("avx9".parse::<BatchIsaLevel>().unwrap_err().contains("avx9"));
}
