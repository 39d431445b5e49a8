//! Checks for every format.

use std::cell::RefCell;

use pelton_codec::{Decoder, Encoder, Error, Format, Level, Progress, compress_bound, stored};

/// The output that arbitrary bytes are decoded into: enough for nearly all that mutations of small
/// seeds give.
pub(crate) const CAPACITY: usize = 64 << 10;
/// Filling of the output, by which written bytes are seen.
pub(crate) const CANARY: u8 = 0xC5;
/// Bytes of filling after the end of the output.
pub(crate) const MARGIN: usize = 64;

thread_local! {
    /// States that live through all inputs, as a thread's do.
    static STATES: RefCell<(Decoder, Encoder)> = RefCell::default();
}

/// Result of a decoder.
pub(crate) type Outcome = Result<(Progress, Vec<u8>), Error>;

fn decode(decoder: &mut Decoder, format: Format, input: &[u8], capacity: usize) -> Outcome {
    let mut output = vec![CANARY; capacity + MARGIN];
    let result = decoder.decompress(format, input, &mut output[..capacity]);
    assert!(
        output[capacity..].iter().all(|&byte| byte == CANARY),
        "{format}: bytes after the output were written"
    );
    let done = result?;
    assert!(done.consumed <= input.len() && done.produced <= capacity, "{format}: {done:?}");
    output.truncate(done.produced);
    Ok((done, output))
}

/// Decompresses a block with the thread's decoder.
pub(crate) fn decompress_into(format: Format, input: &[u8], capacity: usize) -> Outcome {
    STATES.with_borrow_mut(|(decoder, _)| decode(decoder, format, input, capacity))
}

/// Decodes arbitrary bytes, again with a fresh state, with less capacity and with less input, and
/// compares.
pub(crate) fn decompress(format: Format, input: &[u8]) -> Outcome {
    let outcome = decompress_into(format, input, CAPACITY);
    let mut fresh = Decoder::new();
    assert_eq!(
        decode(&mut fresh, format, input, CAPACITY),
        outcome,
        "{format}: earlier blocks changed the result"
    );
    if let Ok((done, uncompressed)) = &outcome {
        let exact = decode(&mut fresh, format, &input[..done.consumed], uncompressed.len());
        assert_eq!(exact, outcome, "{format}: differs with an exact input and output");
        if let Some(capacity) = uncompressed.len().checked_sub(1) {
            let error = decode(&mut fresh, format, input, capacity).unwrap_err();
            assert_eq!(error, Error::OutputTooSmall { format, room: capacity });
        }
    }
    if let Some(found) = stored(format, input).filter(|found| found.len() <= CAPACITY) {
        let whole = Progress { consumed: input.len(), produced: found.len() };
        assert_eq!(outcome, Ok((whole, input[found].to_vec())), "{format}: not what is stored in it");
    }
    outcome
}

/// Compresses `uncompressed` with a level that its first byte chooses, decompresses it, and returns
/// the compressed bytes.
pub(crate) fn round_trip(format: Format, uncompressed: &[u8]) -> Vec<u8> {
    let level = match format.levels() {
        None => format.default_level(),
        Some(levels) => {
            let count = levels.end() - levels.start() + 1;
            let n = levels.start() + i32::from(uncompressed.first().copied().unwrap_or_default()) % count;
            Level::new(format, n).expect("a level of the range")
        }
    };
    let mut compressed = vec![0; compress_bound(format, uncompressed.len())];
    let done = STATES
        .with_borrow_mut(|(_, encoder)| encoder.compress(format, level, uncompressed, &mut compressed))
        .expect("an output of the bound's length suffices");
    compressed.truncate(done.produced);
    let back = decompress_into(format, &compressed, uncompressed.len());
    let whole = Progress { consumed: compressed.len(), produced: uncompressed.len() };
    assert_eq!(back, Ok((whole, uncompressed.to_vec())), "{format} {}: other bytes came back", level.value());
    compressed
}

/// Compressed blocks of several kinds of data at the lowest, the default and the highest level.
pub(crate) fn seeds(format: Format) -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let ramp: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    let mut levels = vec![format.default_level()];
    if let Some(range) = format.levels() {
        levels.extend([*range.start(), *range.end()].iter().filter_map(|n| Level::new(format, *n).ok()));
    }
    let mut encoder = Encoder::new();
    let mut seeds = vec![];
    for uncompressed in [b"", &b"a"[..], &text[..100], text, &[0; 3000], &ramp, &ramp[..300]] {
        for level in &levels {
            let mut compressed = vec![0; compress_bound(format, uncompressed.len())];
            let done =
                encoder.compress(format, *level, uncompressed, &mut compressed).expect("the bound suffices");
            compressed.truncate(done.produced);
            seeds.push(compressed);
        }
    }
    seeds
}
