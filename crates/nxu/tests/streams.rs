//! Streams of the model, against the codec's decoder and encoder.

use pelton_codec::{RawDecoder, RawEncoder};
use pelton_nxu::decompress::Limits;
use pelton_nxu::{
    BitReader, Block, Config, Counts, Ended, Fault, Matcher, Mode, OnConflict, Position, Symbol, Table,
    compress, decompress,
};
use pelton_random::Random;

const WHOLE: Limits = Limits { output: usize::MAX, one_block: false };

/// Returns data of several kinds.
fn samples() -> Vec<Vec<u8>> {
    let mut random = Random::new(2020);
    let words = ["carefully", "final ", "deposits", "sleep", ", ", "ironic ", "1994-", "furiously"];
    let text: Vec<u8> = (0..60_000).flat_map(|_| words[random.below(8)].bytes()).take(300_000).collect();
    let noise: Vec<u8> = (0..70_000).map(|_| random.below(256) as u8).collect();
    let numbers: Vec<u8> = (0_u32..40_000).flat_map(|n| (n / 3).to_le_bytes()).collect();
    let mut mixed = text[..50_000].to_vec();
    mixed.extend_from_slice(&noise[..20_000]);
    mixed.extend_from_slice(&vec![0; 100_000]);
    mixed.extend_from_slice(&text[40_000..90_000]);
    let mut samples = vec![text, noise, numbers, mixed, vec![7; 1000], b"a".to_vec(), Vec::new()];
    samples.extend((2..40).map(|len| b"abcabcab".iter().copied().cycle().take(len).collect()));
    samples
}

#[test]
fn streams_are_valid_in_every_mode() {
    let mut configs = vec![Config::P9, Config::Z15];
    configs.push(Config { on_conflict: OnConflict::Drop, ..Config::P9 });
    configs.extend((3..=8).map(|token| Config { token, ..Config::P9 }));
    for source in samples() {
        for config in &configs {
            for mode in [Mode::Fixed, Mode::TwoPass, Mode::SampledPass] {
                let done = compress(*config, mode, &source);
                let mut back = vec![0; source.len()];
                let read = RawDecoder::new().decompress(&done.bytes, &mut back).expect("a valid stream");
                assert_eq!((read.consumed, read.produced), (done.bytes.len(), source.len()));
                assert!(back == source, "{config:?} {mode:?}, {} bytes", source.len());
            }
        }
    }
}

#[test]
fn matches_reach_the_history_and_no_farther() {
    let source = samples().swap_remove(0);
    let (history, rest) = source.split_at(40_000);
    let mut matcher = Matcher::new(Config::P9, 1);
    let with = matcher.run(history, &rest[..10_000]);
    let without = matcher.run(&[], &rest[..10_000]);
    assert!(with.symbols.len() < without.symbols.len());
    for (symbols, mut at) in [(&with.symbols, 32 << 10), (&without.symbols, 0)] {
        for symbol in symbols {
            match *symbol {
                Symbol::Literal(_) => at += 1,
                Symbol::Match { length, distance } => {
                    assert!((3..=258).contains(&length) && distance as usize <= at.min(32 << 10));
                    at += usize::from(length);
                }
            }
        }
    }
}

/// Returns data with chance matches of three bytes and hardly longer ones: what a table has from
/// other data leads to some of them.
fn letters() -> Vec<u8> {
    let mut random = Random::new(16);
    (0..40_000).map(|_| b'a' + random.below(16) as u8).collect()
}

#[test]
fn the_hash_table_decides_the_output_and_not_the_data() {
    let source = letters();
    let runs = [0, 1, 0].map(|seed| Matcher::new(Config::P9, seed).run(&[], &source).symbols);
    assert!(runs[0] == runs[2] && runs[0] != runs[1], "the contents decide");
    for symbols in runs {
        assert_eq!(symbols.iter().map(length).sum::<usize>(), source.len());
    }
}

/// A stage that is reset has the contents of the seed, whatever it had before.
#[test]
fn a_reset_stage_has_the_contents_of_the_seed() {
    let source = letters();
    let mut used = Matcher::new(Config::P9, 9);
    let runs = [5, 6, 5].map(|seed| {
        used.reset(seed);
        used.run(&[], &source).symbols
    });
    assert!(runs[0] == runs[2] && runs[0] != runs[1], "the contents decide");
    let mut fresh = Matcher::new(Config::P9, 1);
    fresh.reset(6);
    assert!(fresh.run(&[], &source).symbols == runs[1]);
}

fn length(symbol: &Symbol) -> usize {
    match *symbol {
        Symbol::Literal(_) => 1,
        Symbol::Match { length, .. } => length.into(),
    }
}

#[test]
fn decompression_goes_on_from_every_end() {
    let mut random = Random::new(7);
    for source in samples() {
        for level in [0, 1, 6] {
            let mut stream = vec![0; 2 * source.len() + 100];
            let len = RawEncoder::new().compress(level, &source, &mut stream).expect("capacity");
            stream.truncate(len);
            let whole = decompress(&Position::START, BitReader::new(&stream, 0), &[], WHOLE);
            assert_eq!((whole.ended, whole.consumed_bits.div_ceil(8)), (Ended::Final, len as u64));
            assert!(whole.output == source);
            // Pieces of source and limits of output that stop anywhere.
            let (mut position, mut bit, mut back) = (Position::START, 0, Vec::new());
            let mut end = 0;
            loop {
                let limit = [random.below(3000), usize::MAX][random.below(2)];
                end = len.min(end.max(bit as usize / 8) + random.below(2000));
                let limits = Limits { output: limit, one_block: random.below(4) == 0 };
                let done = decompress(&position, BitReader::new(&stream[..end], bit), &back, limits);
                assert!(done.output.len() <= limit && done.consumed_bits <= 8 * end as u64);
                back.extend_from_slice(&done.output);
                (position, bit) = (done.position, done.consumed_bits);
                match done.ended {
                    Ended::Final => break,
                    Ended::Error(fault) => panic!("{fault:?}"),
                    Ended::BlockEnded => assert!(limits.one_block && position.block == Block::Header),
                    Ended::SourceEnded | Ended::LimitReached => {}
                }
            }
            assert!(back == source, "level {level}, {} bytes", source.len());
        }
    }
}

#[test]
fn damage_is_an_error_where_the_codec_has_one() {
    let mut random = Random::new(1951);
    let source = &samples()[0][..20_000];
    let mut faults = 0;
    for config in [Config::P9, Config::Z15] {
        let stream = compress(config, Mode::TwoPass, source).bytes;
        for _ in 0..500 {
            let mut damaged = stream.clone();
            let bit = random.below(8 * damaged.len());
            damaged[bit / 8] ^= 1 << (bit % 8);
            let limits = Limits { output: 100_000, one_block: false };
            let ours = decompress(&Position::START, BitReader::new(&damaged, 0), &[], limits);
            let mut back = vec![0; 100_000];
            let theirs = RawDecoder::new().decompress(&damaged, &mut back);
            assert_eq!(ours.ended == Ended::Final, theirs.is_some(), "bit {bit}: {:?}", ours.ended);
            faults += u32::from(matches!(ours.ended, Ended::Error(_)));
        }
    }
    assert!(faults > 40, "{faults} faults");
}

#[test]
fn each_fault_has_its_name() {
    let fault = |stream: &[u8]| decompress(&Position::START, BitReader::new(stream, 0), &[], WHOLE).ended;
    assert_eq!(fault(&[0b111]), Ended::Error(Fault::BlockType));
    assert_eq!(fault(&[0b001, 5, 0, 0, 0]), Ended::Error(Fault::StoredLength));
    assert_eq!(
        fault(&[0b1111_1101, 0, 0, 0]),
        Ended::Error(Fault::BadTable("too many length or distance codes"))
    );
    // A fixed block: a match of three bytes, one byte back.
    assert_eq!(fault(&[0b0000_0011, 0b0000_0010, 0]), Ended::Error(Fault::TooFar));
    // The reserved length 286: eight bits, the first one highest.
    assert_eq!(fault(&[0b0001_1011, 0b0000_0011, 0, 0]), Ended::Error(Fault::Undefined));
    assert_eq!(fault(&[]), Ended::SourceEnded);
}

#[test]
fn tables_are_read_as_they_are_written() {
    let mut random = Random::new(286);
    for round in 0..200 {
        let symbols: Vec<Symbol> = (0..random.below(3000))
            .map(|_| match random.below(3) {
                0 => Symbol::Match {
                    length: 3 + random.below(256) as u16,
                    distance: 1 + (random.below(32 << 10) >> random.below(15)) as u32,
                },
                _ => Symbol::Literal((random.below(256) >> random.below(8)) as u8),
            })
            .collect();
        let mut counts = Counts::of(&symbols);
        if round % 3 == 0 {
            counts.fill_zeros(round % 2 == 0);
        }
        for generated in [Table::from_counts(&counts), Table::from_counts_in_hardware(&counts)] {
            let mut to = pelton_nxu::BitWriter::new();
            generated.table.write(&mut to);
            let bits = to.len_bits();
            assert_eq!(bits, generated.table.header_bits() as u64);
            assert!((42..=2283).contains(&bits), "{bits} bits");
            let bytes = to.into_bytes();
            let mut reader = BitReader::new(&bytes, 0);
            let table = Table::parse(&mut reader).expect("a valid table");
            assert_eq!(reader.position(), bits);
            assert!(symbols.iter().all(|&symbol| table.has(symbol)));
            assert_eq!(table.end_of_block(), generated.table.end_of_block());
        }
    }
}
