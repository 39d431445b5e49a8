//! Function XPND: each condition code, bad data, and streams in pieces of any size.

use pelton_codec::{Checksum, Format, Level, checksum};
use pelton_device_dfltcc::{Answer, Condition, Function};
use pelton_device_model::dfltcc::{Config, ending_code};
use pelton_random::{Random, reduced};

use crate::support::{Processor, random, text};

const LEN: usize = 50_000;

fn deflate(uncompressed: &[u8], level: i32) -> Vec<u8> {
    let level = Level::new(Format::Deflate, level).expect("a level");
    let mut compressed = vec![0; uncompressed.len() + 1000];
    let len = pelton_codec::Encoder::new()
        .compress(Format::Deflate, level, uncompressed, &mut compressed)
        .expect("it fits")
        .produced;
    compressed.truncate(len);
    compressed
}

#[test]
fn streams_of_software_expand() {
    for data in [text(LEN), random(LEN), vec![0; 3_000_000], Vec::new()] {
        for level in [0, 1, 9] {
            for again_every in [None, Some(1)] {
                let compressed = [&deflate(&data, level)[..], b"trailer"].concat();
                let mut processor = Processor::new(Config { again_every, ..Config::default() });
                let mut target = vec![0; data.len() + 1];
                let answer = processor.run(Function::Expand, &mut target, &compressed);
                let used = answer.read + usize::from(processor.block.used_bits() > 0);
                assert_eq!((answer.condition, answer.written), (Condition::Done, data.len()));
                assert_eq!(used, compressed.len() - 7);
                assert!(target[..data.len()] == data && !processor.block.is_continued());
                assert_eq!(u64::from(processor.block.check_value()), checksum(Checksum::Crc32, &data));
            }
        }
    }
}

/// Pieces of source and target of any size, with and without interruptions.
#[test]
fn streams_expand_in_pieces() {
    let mut chance = Random::new(3);
    for round in 0..reduced(60) as u64 {
        let data = [text(1 + chance.below(60_000)), random(chance.below(500))].concat();
        let compressed = deflate(&data, [0, 1, 6, 12][chance.below(4)]);
        let again_every = [None, Some(1), Some(4)][chance.below(3)];
        let mut processor = Processor::new(Config { seed: round, again_every, ..Config::default() });
        let max = [1, 10, 1000, 100_000][chance.below(4)].min(data.len());
        let (mut back, mut at) = (Vec::new(), 0);
        let condition = loop {
            let mut target = vec![0; 1 + chance.below(max)];
            let end = (at + chance.below(max + 1)).min(compressed.len());
            let answer = processor.run(Function::Expand, &mut target, &compressed[at..end]);
            at += answer.read;
            back.extend_from_slice(&target[..answer.written]);
            match answer.condition {
                Condition::TargetFull => assert_eq!(answer.written, target.len()),
                Condition::Ended => assert_eq!((at, processor.block.ending_code()), (end, 0)),
                condition => break condition,
            }
        };
        assert_eq!(condition, Condition::Done);
        assert!(back == data, "round {round}");
        assert_eq!(at + usize::from(processor.block.used_bits() > 0), compressed.len());
    }
}

#[test]
fn a_stream_that_ends_early_is_condition_code_2_without_an_ending_code() {
    let compressed = deflate(&text(LEN), 6);
    for len in [0, 1, 10, compressed.len() / 2, compressed.len() - 1] {
        let mut processor = Processor::plain();
        let answer = processor.run(Function::Expand, &mut vec![0; 2 * LEN], &compressed[..len]);
        assert_eq!((answer.condition, answer.read), (Condition::Ended, len));
        assert_eq!(processor.block.ending_code(), 0);
        assert!(processor.block.is_continued());
    }
}

#[test]
fn a_target_without_bytes_is_condition_code_1() {
    let mut processor = Processor::plain();
    let answer = processor.run(Function::Expand, &mut [], &deflate(b"", 6));
    assert_eq!(answer, Answer { condition: Condition::TargetFull, written: 0, read: 0 });
    // The end of the stream is found with a target, which stays empty.
    let answer = processor.run(Function::Expand, &mut [0], &deflate(b"", 6));
    assert_eq!((answer.condition, answer.written), (Condition::Done, 0));
}

#[test]
fn a_stream_that_fills_its_target_may_end_with_the_next_call() {
    let data = text(1000);
    let compressed = deflate(&data, 6);
    let mut late = 0;
    for seed in 0..40 {
        let mut processor = Processor::new(Config { seed, ..Config::default() });
        let mut target = vec![0; 1000];
        let answer = processor.run(Function::Expand, &mut target, &compressed);
        assert!(answer.written == 1000 && target == data);
        if answer.condition == Condition::TargetFull {
            late += 1;
            let answer = processor.run(Function::Expand, &mut [0], &compressed[answer.read..]);
            assert_eq!((answer.condition, answer.written), (Condition::Done, 0));
        }
    }
    assert!((5..35).contains(&late), "{late} of 40");
}

#[test]
fn bad_data_has_ending_codes() {
    let streams: [(&[u8], u8); 6] = [
        // BTYPE 11.
        (&[0b111, 0, 0], ending_code::BLOCK_TYPE),
        // A stored block of one byte whose complement is that of none.
        (&[0b001, 1, 0, 0xff, 0xff, 7], ending_code::STORED_LENGTH),
        // A dynamic block whose code of code lengths is empty.
        (&[0b101, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], ending_code::LENGTH_CODE),
        // 287 codes for literals and lengths: HLIT is 30.
        (&[0b1111_0101, 0, 0, 0, 0, 0, 0, 0], ending_code::TABLE),
        // The fixed code of symbol 286.
        (&[0b0001_1011, 0b011, 0, 0, 0, 0, 0], ending_code::UNDEFINED),
        // The first length, a code of seven bits, and the first distance, without a byte before.
        (&[0b0000_0011, 0b10, 0, 0, 0], ending_code::TOO_FAR),
    ];
    for (stream, code) in streams {
        let mut processor = Processor::plain();
        let answer = processor.run(Function::Expand, &mut [0; 100], stream);
        assert_eq!((answer.condition, answer.written), (Condition::Ended, 0), "{code:#04x}");
        assert_eq!(processor.block.ending_code(), code);
        assert!(!processor.block.is_continued());
    }
    assert_eq!((ending_code::STORED_LENGTH, ending_code::LENGTH_CODE), (0x12, 0x27));
}

#[test]
fn a_changed_block_is_found() {
    let compressed = deflate(&text(LEN), 6);
    let mut processor = Processor::plain();
    let answer = processor.run(Function::Expand, &mut [0; 100], &compressed);
    assert!(answer.condition == Condition::TargetFull && processor.block.is_continued());
    processor.block.state_mut()[700] ^= 1;
    let answer = processor.run(Function::Expand, &mut [0; 100], &compressed[answer.read..]);
    assert_eq!((answer.condition, processor.block.ending_code()), (Condition::Ended, ending_code::STATE));
}

/// A new task forgets the state that another one has left.
#[test]
fn a_new_task_begins_again() {
    let data = text(LEN);
    let compressed = deflate(&data, 6);
    let mut processor = Processor::plain();
    let mut target = vec![0; LEN];
    processor.run(Function::Expand, &mut target[..100], &compressed);
    assert!(processor.block.is_continued());
    processor.block.set_new_task(true);
    processor.block.set_used_bits(0);
    let answer = processor.run(Function::Expand, &mut target, &compressed);
    assert_eq!((answer.condition, answer.written), (Condition::Done, LEN));
    assert!(target == data);
}
