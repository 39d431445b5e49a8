use pelton_codec::RawDecoder;

use super::*;
use crate::deflate::fallback::FallbackMemory;
use crate::deflate::short_block::compress_short;

/// Returns rows of a table as text, with numbers that differ.
fn rows(len: usize) -> Vec<u8> {
    const WORDS: [&str; 8] =
        ["carefully", "final", "deposits", "sleep", "above", "ironic", "pending requests", "furiously"];
    let mut state = 7_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    let mut row = || {
        let words = [WORDS[next() % 8], WORDS[next() % 8], WORDS[next() % 8]];
        format!("{}|{}|1994-0{}-12|{}|\n", next(), next(), next() % 9, words.join(" "))
    };
    (0..).flat_map(|_| row().into_bytes()).take(len).collect()
}

/// Returns numbers of four bytes, of which the low ones look random.
fn numbers(len: usize) -> Vec<u8> {
    (0_u32..).flat_map(|number| (number.wrapping_mul(0x9e37_79b1) >> 12).to_le_bytes()).take(len).collect()
}

/// Compresses blocks as one stream does, and checks each. Returns their total size, and zlib-rs's.
fn compress(trials: &mut BlockTrials, asked: i32, blocks: &[&[u8]]) -> (usize, usize) {
    let mut encoders = Encoders::new();
    let (mut total, mut reference) = (0, 0);
    for block in blocks {
        let mut output = vec![0; 2 * block.len() + 1000];
        let len = match trials.compress(&mut encoders, asked, block, &mut output) {
            Outcome::Compressed(len) => len.expect("there is capacity"),
            Outcome::Default => compress_short(&mut encoders, asked, block, &mut output).expect("capacity"),
        };
        let mut back = vec![0; block.len()];
        let done = RawDecoder::new().decompress(&output[..len], &mut back).expect("a raw stream");
        assert_eq!((done.consumed, done.produced), (len, block.len()));
        assert!(back == *block, "a block of {} bytes", block.len());
        total += len;
        let parameters =
            FallbackParameters { level: asked, strategy: Z_DEFAULT_STRATEGY, window: Window::FULL };
        reference += fallback::compress(&mut FallbackMemory::new(), block, 0, parameters, true, &mut output)
            .expect("there is capacity");
    }
    (total, reference)
}

#[test]
fn the_first_blocks_are_those_of_any_stream() {
    let data = rows(MIN_BLOCKS as usize * 4096);
    let mut trials = BlockTrials::default();
    let mut encoders = Encoders::new();
    for block in data.chunks(4096) {
        let outcome = trials.compress(&mut encoders, 6, block, &mut vec![0; 8192]);
        assert!(matches!(outcome, Outcome::Default));
    }
}

#[test]
fn later_blocks_are_about_as_small_as_those_of_zlib() {
    for (len, count) in [(4 << 10, 100), (16 << 10, 100), (64 << 10, 100), (600 << 10, 12)] {
        let (rows, numbers) = (rows(count * len), numbers(count * len));
        let mixed: Vec<&[u8]> =
            rows.chunks(len).zip(numbers.chunks(len)).flat_map(|(rows, numbers)| [rows, numbers]).collect();
        for asked in LEVELS {
            let (ours, zlib) = compress(&mut BlockTrials::default(), asked, &mixed);
            assert!(ours * 100 <= zlib * 103, "level {asked}, {len} bytes: {ours} and {zlib}");
        }
    }
}

#[test]
fn a_trial_takes_the_first_encoder_that_is_small_enough() {
    let mut encoders = Encoders::new();
    for (len, block) in [4 << 10, 16 << 10, 64 << 10, 600 << 10].map(|len| (len, rows(len))) {
        let mut output = vec![0; 2 * len];
        let parameters = FallbackParameters { level: 6, strategy: Z_DEFAULT_STRATEGY, window: Window::FULL };
        let reference =
            fallback::compress(&mut FallbackMemory::new(), &block, 0, parameters, true, &mut output)
                .expect("capacity");
        let (index, found) = run_trial(&mut encoders, 6, false, &block, &mut output);
        let mut is_hopeless = false;
        for (at, &candidate) in CANDIDATES.iter().enumerate().take(usize::from(index) + 1) {
            let Some(size) = compress_with(candidate, &mut encoders, &block, &mut output) else {
                assert!(candidate == Candidate::Default && found.is_none(), "{candidate:?}, {len} bytes");
                continue;
            };
            let is_small = size * 1000 / reference <= ALLOWED;
            let is_blocks = matches!(candidate, Candidate::Blocks(_));
            if is_blocks && is_hopeless {
                // It was left out.
                continue;
            }
            is_hopeless |= is_blocks && size * 1000 / reference > HOPELESS;
            match at == usize::from(index) {
                true => assert!(is_small, "{candidate:?}, {len} bytes"),
                false => assert!(!is_small, "{candidate:?} is faster, {len} bytes"),
            }
            assert!(at < usize::from(index) || Some(size) == found);
        }
    }
}

#[test]
fn a_trial_is_held_once_in_many_blocks() {
    let mut trials = BlockTrials::default();
    let data = rows(40 * 16384);
    compress(&mut trials, 6, &data.chunks(16384).collect::<Vec<_>>());
    if Encoders::new().blocks.is_accelerated(2) {
        let found = &trials.results[kind(&data[..16384])];
        assert!(found.distance >= MIN_DISTANCE && found.until < found.distance);
        assert_eq!(found.share > 0, found.candidate != DEFAULT);
    }
}

#[test]
fn too_small_an_output_is_no_panic() {
    let data = rows(20 * 4096);
    let mut trials = BlockTrials::default();
    let mut encoders = Encoders::new();
    for (block, capacity) in data.chunks(4096).zip((0..).step_by(60)) {
        let mut output = vec![0; capacity];
        if let Outcome::Compressed(Some(len)) = trials.compress(&mut encoders, 6, block, &mut output) {
            assert!(len <= capacity);
        }
    }
}
