//! Filter operations through the model, compared with their definitions for every width, layout and
//! predicate.

use pelton_codec::Format;
use pelton_device_iaa::hw::AnalyticsError;
use pelton_device_iaa::{
    Advice, Dropped, Filter, FilterOperation, IaaDevice, IaaError, Layout, Mode, Predicate, Width,
};
use pelton_device_model::iaa::{Faults, QueueConfig};
use pelton_job::conformance::corpus::compress;
use pelton_random::Random;
use std::sync::Arc;

use crate::support::{device, model, options};

const SEED: u64 = 5;

fn start() -> Arc<IaaDevice> {
    device(&model(QueueConfig::new(Mode::Shared), Faults::none()), options())
}

/// Returns values packed with a width, from the lowest or the highest bit of each byte.
fn bits(values: &[u32], width: u8, big_endian: bool) -> Vec<u8> {
    let mut bytes = vec![0; (values.len() * usize::from(width)).div_ceil(8)];
    let mut at = 0;
    for value in values {
        for bit in 0..width {
            let place = if big_endian { width - 1 - bit } else { bit };
            let set = (value >> place & 1) as u8;
            bytes[at / 8] |= set << if big_endian { 7 - at % 8 } else { at % 8 };
            at += 1;
        }
    }
    bytes
}

/// Returns Parquet's hybrid encoding: the width, then runs and packed groups in turns.
fn hybrid(values: &[u32], width: u8) -> (Vec<u8>, Vec<u32>) {
    let (mut bytes, mut all) = (vec![width], Vec::new());
    for part in values.chunks_exact(8) {
        bytes.push(3 << 1);
        bytes.extend_from_slice(&part[0].to_le_bytes()[..usize::from(width).div_ceil(8)]);
        all.extend([part[0]; 3]);
        bytes.push(1 << 1 | 1);
        bytes.extend(bits(part, width, false));
        all.extend(part);
    }
    (bytes, all)
}

fn random_values(random: &mut Random, count: usize, width: u8) -> Vec<u32> {
    (0..count).map(|_| (random.next() as u32) & (u32::MAX >> (32 - width))).collect()
}

/// Returns each layout of some values, with the values that it contains.
fn layouts(values: &[u32], width: u8) -> [(Layout, Vec<u8>, Vec<u32>); 3] {
    let (runs, all) = hybrid(values, width);
    [
        (Layout::LittleEndian(width), bits(values, width, false), values.to_vec()),
        (Layout::BigEndian(width), bits(values, width, true), values.to_vec()),
        (Layout::ParquetRle, runs, all),
    ]
}

fn run(device: &IaaDevice, filter: &Filter, input: &[u8], second: &[u8]) -> Vec<u8> {
    let mut output = vec![0; 1 << 16];
    let done = device
        .filter(filter, input, second, &mut output)
        .unwrap_or_else(|error| panic!("{filter:?}: {error}"));
    output.truncate(done.produced);
    output
}

fn little(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn scans() {
    let device = start();
    let mut random = Random::new(SEED);
    for width in 1..=32 {
        let values = random_values(&mut random, 96, width);
        let (a, b) = (values[7], values[50]);
        let (low, high) = (a.min(b), a.max(b));
        for (layout, input, values) in layouts(&values, width) {
            let cases: [(Predicate, &dyn Fn(u32) -> bool); 8] = [
                (Predicate::Less(a), &|x| x < a),
                (Predicate::LessOrEqual(a), &|x| x <= a),
                (Predicate::Greater(a), &|x| x > a),
                (Predicate::GreaterOrEqual(a), &|x| x >= a),
                (Predicate::Equal(a), &|x| x == a),
                (Predicate::NotEqual(a), &|x| x != a),
                (Predicate::Between(low, high), &|x| (low..=high).contains(&x)),
                (Predicate::Outside(low, high), &|x| !(low..=high).contains(&x)),
            ];
            for (predicate, holds) in cases {
                let filter = Filter::new(FilterOperation::Scan(predicate), layout, values.len() as u32);
                let found: Vec<u32> = values.iter().map(|value| holds(*value).into()).collect();
                assert_eq!(
                    run(&device, &filter, &input, &[]),
                    bits(&found, 1, false),
                    "{filter:?}, seed {SEED}"
                );
                let indexes = (0..).zip(&found).filter(|(_, found)| **found == 1).map(|(index, _)| index);
                let filter = Filter { width: Width::Bits32, first_index: 1000, ..filter };
                let expected = little(indexes.map(|index: u32| index + 1000));
                assert_eq!(run(&device, &filter, &input, &[]), expected, "{filter:?}, seed {SEED}");
            }
        }
    }
}

#[test]
fn elements_by_place_and_by_mask() {
    let device = start();
    let mut random = Random::new(SEED);
    for width in 1..=32 {
        let values = random_values(&mut random, 96, width);
        for (layout, input, values) in layouts(&values, width) {
            let count = values.len() as u32;
            let (first, last) = (5, 70);
            let run = |operation, elements, second: &[u8]| {
                // Wider output turns a bit vector into indexes, so elements of one bit keep their
                // width.
                let output = if width == 1 { Width::Nominal } else { Width::Bits32 };
                let filter = Filter { width: output, ..Filter::new(operation, layout, elements) };
                (run(&device, &filter, &input, second), filter)
            };
            let expected =
                |elements: Vec<u32>| if width == 1 { bits(&elements, 1, false) } else { little(elements) };

            let (got, filter) = run(FilterOperation::Extract { first, last }, count, &[]);
            assert_eq!(got, expected(values[5..=70].to_vec()), "{filter:?}, seed {SEED}");

            let mask = random_values(&mut random, values.len(), 1);
            let (got, filter) = run(FilterOperation::Select, count, &bits(&mask, 1, false));
            let selected = values.iter().zip(&mask).filter(|(_, bit)| **bit == 1).map(|(value, _)| *value);
            assert_eq!(got, expected(selected.collect()), "{filter:?}, seed {SEED}");

            let (got, filter) = run(FilterOperation::Expand, count, &bits(&mask, 1, false));
            let mut next = values.iter();
            let expanded = mask.iter().map(|bit| if *bit == 1 { *next.next().expect("enough") } else { 0 });
            assert_eq!(got, expected(expanded.collect()), "{filter:?}, seed {SEED}");
        }
    }
}

#[test]
fn sets_of_values() {
    let device = start();
    let mut random = Random::new(SEED);
    for (width, dropped) in [(1, (0, 0)), (4, (0, 0)), (7, (2, 1)), (15, (0, 0)), (20, (4, 3)), (32, (31, 0))]
    {
        let values = random_values(&mut random, 64, width);
        let dropped = Dropped { low: dropped.0, high: dropped.1 };
        let kept = width - dropped.low - dropped.high;
        let place = |value: u32| (value >> dropped.low) & (u32::MAX >> (32 - kept));
        for (layout, input, values) in layouts(&values, width) {
            let count = values.len() as u32;
            let filter = Filter::new(FilterOperation::FindUnique(dropped), layout, count);
            let size = 1 << kept;
            let mut set = vec![0; size];
            values.iter().take(40).for_each(|value| set[place(*value) as usize] = 1);
            let few = Filter { elements: 40, ..filter };
            assert_eq!(run(&device, &few, &input, &[]), bits(&set, 1, false), "{few:?}, seed {SEED}");
            let filter = Filter { operation: FilterOperation::SetMembership(dropped), ..filter };
            let found: Vec<u32> = values.iter().map(|value| set[place(*value) as usize]).collect();
            let second = bits(&set, 1, false);
            assert_eq!(
                run(&device, &filter, &input, &second),
                bits(&found, 1, false),
                "{filter:?}, seed {SEED}"
            );
        }
    }
}

#[test]
fn repetition() {
    let device = start();
    let mut random = Random::new(SEED);
    for counts_width in [8, 16, 32] {
        for width in 2..=32 {
            let values = random_values(&mut random, 24, width);
            let counts: Vec<u32> = values.iter().map(|_| random.below(5) as u32).collect();
            let operation = FilterOperation::RleBurst { width };
            let mut first = counts.clone();
            if counts_width == 32 {
                let sums = counts.iter().scan(100, |sum, count| {
                    *sum += count;
                    Some(*sum)
                });
                first = std::iter::once(100).chain(sums).collect();
            }
            let filter = Filter::new(operation, Layout::LittleEndian(counts_width), first.len() as u32);
            let filter = Filter { width: Width::Bits32, ..filter };
            let expected =
                values.iter().zip(&counts).flat_map(|(value, count)| vec![*value; *count as usize]);
            let got = run(&device, &filter, &bits(&first, counts_width, false), &bits(&values, width, false));
            assert_eq!(got, little(expected), "{filter:?}, seed {SEED}");
        }
    }
}

/// The device decompresses the elements on the way, and the trailer is checked.
#[test]
fn decompression_and_a_filter_in_one_descriptor() {
    let model = model(QueueConfig::new(Mode::Shared), Faults::none());
    let device = device(&model, options());
    let values: Vec<u32> = (0..800).map(|index| index * 7 % 1000).collect();
    let uncompressed = bits(&values, 32, false);
    let found: Vec<u32> = values.iter().map(|value| u32::from(*value < 300)).collect();
    for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
        let compressed = compress(format, format.default_level(), &uncompressed);
        let operation = FilterOperation::Scan(Predicate::Less(300));
        let filter =
            Filter { container: Some(format), ..Filter::new(operation, Layout::LittleEndian(32), 800) };
        let before = model.counters().accepted;
        let mut output = vec![0; 1000];
        let done = device.filter(&filter, &compressed, &[], &mut output).expect("a stream");
        assert_eq!(model.counters().accepted, before + 1);
        assert_eq!(output[..done.produced], bits(&found, 1, false), "{format}");
        assert_eq!(done.sum_or_count, found.iter().sum::<u32>());
        // 100 bytes before the first element.
        let filter = Filter { skip: 100, elements: 775, ..filter };
        let done = device.filter(&filter, &compressed, &[], &mut output).expect("a stream");
        assert_eq!(output[..done.produced], bits(&found[25..], 1, false), "{format}, from 25 on");
    }
    let mut damaged = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed).to_vec();
    let crc = damaged.len() - 5;
    damaged[crc] ^= 1;
    let operation = FilterOperation::Scan(Predicate::Equal(1));
    let filter =
        Filter { container: Some(Format::Gzip), ..Filter::new(operation, Layout::LittleEndian(32), 800) };
    let error = device.filter(&filter, &damaged, &[], &mut [0; 1000]).expect_err("another checksum");
    assert_eq!(error.advice(), Advice::CheckInput, "{error}");
}

#[test]
fn what_can_not_be_done_is_a_typed_error() {
    let device = start();
    let scan = |layout, elements| Filter::new(FilterOperation::Scan(Predicate::Equal(1)), layout, elements);
    let run = |filter: &Filter, input: &[u8], capacity: usize| {
        device.filter(filter, input, &[], &mut vec![0; capacity]).expect_err("an error")
    };
    let error = run(&scan(Layout::LittleEndian(33), 8), &[0; 40], 8);
    assert!(matches!(error, IaaError::Invalid(_)), "{error}");
    let error = run(&scan(Layout::LittleEndian(8), 100), &[0; 40], 80);
    assert_eq!(error, IaaError::Data(AnalyticsError::Source1TooSmall));
    let error = run(&scan(Layout::LittleEndian(8), 40), &[0; 40], 1);
    assert_eq!(error, IaaError::OutputFull);
    assert_eq!(error.advice(), Advice::EnlargeOutput);
    let error = run(&scan(Layout::ParquetRle, 40), &[77; 40], 10);
    assert_eq!(error, IaaError::Data(AnalyticsError::ParquetRleTooWide));
    let repeat = FilterOperation::RleBurst { width: 33 };
    let error = run(&Filter::new(repeat, Layout::LittleEndian(8), 4), &[0; 4], 10);
    assert!(matches!(error, IaaError::Invalid(_)), "{error}");
}
