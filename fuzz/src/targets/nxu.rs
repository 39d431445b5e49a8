//! Compressor of the model of IBM's NXU: configuration and mode are read from the input. Its
//! streams are decoded by zlib and by the model's own decompressor, and compared with the data.

use std::cell::RefCell;

use pelton_nxu::compress::compress_with;
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, Config, Ended, Matcher, Mode, OnConflict, Position, decompress};

use crate::reference::zlib::{self, Container, Verdict};

/// Number of bytes with the parameters: configuration, mode, contents of the hash table, and
/// repetitions.
const PARAMETERS: usize = 4;
/// Search tokens have from 3 to 8 bytes.
const TOKENS: std::ops::RangeInclusive<usize> = 3..=8;
/// Maximum length of the data: more than a unit with a table of its own.
const MAX_LEN: usize = 400 << 10;
const MODES: [Mode; 3] = [Mode::Fixed, Mode::TwoPass, Mode::SampledPass];

thread_local! {
    /// Stages that live through all inputs, one of each configuration.
    static STAGES: RefCell<Vec<(Config, Matcher)>> =
        RefCell::new(configs().map(|config| (config, Matcher::new(config, 0))).collect());
}

fn configs() -> impl Iterator<Item = Config> {
    let dropping = Config { on_conflict: OnConflict::Drop, ..Config::P9 };
    let engines = [Config::P9, Config::Z15, dropping];
    engines.into_iter().flat_map(|engine| TOKENS.map(move |token| Config { token, ..engine }))
}

/// Inputs with parameters for every configuration and mode, followed by data.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../crates/codec/tests/data/plain.txt");
    let integers: Vec<u8> = (0..2000_i64).flat_map(|i| (i * i % 977 + 1_700_000_000).to_le_bytes()).collect();
    let noise: Vec<u8> = (0..9000_u32).map(|i| (i.wrapping_mul(0x9e37_79b1) >> 23) as u8).collect();
    let mixed = [&text[..], &noise, &[0; 5000], &integers, text].concat();
    let plains = [&b""[..], b"a", b"abcabcabcab", text, &[7; 3000], &integers, &noise, &mixed];
    let parameters = (0..configs().count() as u8).map(|number| [number, number, number * 29, number * 14]);
    parameters.flat_map(|parameters| plains.map(|plain| [&parameters, plain].concat())).collect()
}

/// Compresses the data of an input as its parameters say.
pub fn run(input: &[u8]) {
    let (parameters, data) = input.split_at(input.len().min(PARAMETERS));
    let at = |index: usize| usize::from(parameters.get(index).copied().unwrap_or_default());
    let times = if at(3) < 200 { 1 } else { 1 + at(3) % 8 };
    let source = data.repeat(times.min(1 + MAX_LEN / data.len().max(1)));
    let stream = STAGES.with_borrow_mut(|stages| {
        let number = at(0) % stages.len();
        let (config, matcher) = &mut stages[number];
        matcher.reset(at(2) as u64);
        compress_with(matcher, *config, MODES[at(1) % MODES.len()], &source).bytes
    });
    let done = Verdict::Done { consumed: stream.len(), plain: source.clone() };
    let found = zlib::inflate(Container::Raw, &stream, source.len());
    assert!(found == done, "zlib decodes something else");
    let limits = Limits { output: usize::MAX, one_block: false };
    let own = decompress(&Position::START, BitReader::new(&stream, 0), &[], limits);
    assert_eq!((own.ended, own.consumed_bits.div_ceil(8)), (Ended::Final, stream.len() as u64));
    assert!(own.output == source, "the model decodes something else");
}
