//! Functions GDHT and CMPR: each condition code, and the rules that libraries for the hardware have
//! learned.

use pelton_codec::{Checksum, checksum};
use pelton_device_dfltcc::{Answer, Condition, Function};
use pelton_device_model::dfltcc::{Config, ending_code};
use pelton_random::{Random, reduced};

use crate::support::{Processor, inflate, random, text};

const LEN: usize = 50_000;

/// An empty last block with the fixed codes.
const EMPTY_LAST_BLOCK: [u8; 2] = [0b011, 0];

#[test]
fn what_it_compresses_software_decompresses() {
    for (data, len) in
        [text(LEN), random(LEN), vec![0; LEN]].iter().flat_map(|data| [1, 300, LEN].map(|len| (data, len)))
    {
        for again_every in [None, Some(1), Some(2)] {
            let mut processor = Processor::new(Config { again_every, ..Config::default() });
            let compressed = processor.compress(&data[..len]);
            assert!(inflate(&compressed, LEN) == data[..len], "{len} bytes, {again_every:?}");
            assert!(!processor.block.is_new_task());
            assert_eq!(u64::from(processor.block.check_value()), checksum(Checksum::Crc32, &data[..len]));
            assert_eq!(usize::from(processor.block.history_len()), len.min(32_768));
        }
    }
}

#[test]
fn check_values_have_two_kinds() {
    let data = text(1000);
    let crc = checksum(Checksum::Crc32, &data) as u32;
    let mut processor = Processor::plain();
    processor.compress(&data);
    assert_eq!(processor.block.stored_check_value(), crc.swap_bytes());
    let mut processor = Processor::plain();
    processor.block.set_adler(true);
    processor.compress(&data);
    assert_eq!(u64::from(processor.block.stored_check_value()), checksum(Checksum::Adler32, &data));
}

#[test]
fn a_short_target_is_condition_code_1_and_goes_on() {
    let data = random(5000);
    for step in [1, 2, 7, 300, 3000] {
        let mut processor = Processor::plain();
        processor.block.set_closes_block(true);
        processor.block.set_last_block(true);
        let (mut compressed, mut at) = (Vec::new(), 0);
        loop {
            let mut target = vec![0; step];
            let answer = processor.run(Function::Compress, &mut target, &data[at..]);
            at += answer.read;
            compressed.extend_from_slice(&target[..answer.written]);
            if answer.condition == Condition::Done {
                let bits = processor.block.used_bits();
                if bits > 0 {
                    compressed.push(target[answer.written]);
                }
                break;
            }
            assert_eq!((answer.condition, answer.written), (Condition::TargetFull, step));
            assert!(processor.block.is_continued() && processor.block.used_bits() == 0);
        }
        assert!(at == data.len() && inflate(&compressed, 5000) == data, "{step}");
    }
}

#[test]
fn without_a_target_there_is_no_header() {
    let mut processor = Processor::plain();
    let answer = processor.call(Function::Compress, &mut [], b"data");
    assert_eq!(answer, Answer { condition: Condition::TargetFull, written: 0, read: 0 });
    assert!(!processor.block.is_continued());
    // The caller must not take the block for open: the next call writes its header.
    processor.block.set_last_block(true);
    processor.block.set_closes_block(true);
    let mut target = [0; 20];
    let answer = processor.call(Function::Compress, &mut target, b"data");
    assert_eq!(answer.condition, Condition::Done);
    assert_eq!(target[0] & 0b111, 0b011);
    assert_eq!(inflate(&target[..=answer.written], 10), b"data");
}

#[test]
fn without_input_a_block_is_not_closed() {
    let mut processor = Processor::plain();
    processor.block.set_closes_block(true);
    processor.block.set_last_block(true);
    let mut target = [0; 20];
    let nothing = Answer { condition: Condition::Done, written: 0, read: 0 };
    assert_eq!(processor.call(Function::Compress, &mut target, b""), nothing);
    assert_eq!((target, processor.block.used_bits()), ([0; 20], 0));
    // Nor is an open one.
    processor.block.set_closes_block(false);
    let answer = processor.call(Function::Compress, &mut target, b"data");
    processor.block.set_block_open(true);
    processor.block.set_closes_block(true);
    let before = (processor.block.used_bits(), target);
    let rest = &mut target[answer.written..];
    assert_eq!(processor.call(Function::Compress, rest, b""), nothing);
    assert_eq!((processor.block.used_bits(), target), before);
}

#[test]
fn data_that_was_held_back_comes_without_input() {
    let data = text(LEN);
    let mut held = 0;
    for seed in 0..200 {
        let mut processor = Processor::new(Config { seed, ..Config::default() });
        processor.block.set_last_block(true);
        let mut target = vec![0; LEN];
        let answer = processor.call(Function::Compress, &mut target, &data);
        assert_eq!((answer.condition, answer.read), (Condition::Done, LEN));
        held += u32::from(processor.block.is_continued());
        let mut written = answer.written;
        // With input used up, the closing of a block reaches what is held back.
        processor.block.set_closes_block(true);
        if !processor.block.is_continued() {
            continue;
        }
        while processor.block.is_continued() {
            let answer = processor.call(Function::Compress, &mut target[written..], b"");
            assert_eq!(answer.condition, Condition::Done);
            written += answer.written;
        }
        let end = written + usize::from(processor.block.used_bits() > 0);
        assert!(inflate(&target[..end], LEN) == data, "seed {seed}");
    }
    assert!((25..175).contains(&held), "{held} of 200");
}

/// An open block goes on with the next call, and a partial byte is kept.
#[test]
fn a_block_takes_several_inputs() {
    let data = text(3000);
    let mut processor = Processor::plain();
    let mut target = vec![0xff; 4000];
    // Three bits of a block before.
    target[0] = 0b101;
    processor.block.set_used_bits(3);
    processor.block.set_last_block(true);
    let mut at = 0;
    for part in data.chunks(700) {
        let answer = processor.run(Function::Compress, &mut target[at..], part);
        assert_eq!((answer.condition, answer.read), (Condition::Done, part.len()));
        at += answer.written;
        processor.block.set_block_open(true);
    }
    assert_eq!(target[0] & 0b111, 0b101);
    // The end-of-block code of the fixed codes is seven zeros.
    assert_eq!((processor.block.end_of_block(), processor.block.end_of_block_len()), (0, 7));
    let mut bits = pelton_nxu::BitWriter::with_partial(target[at], processor.block.used_bits());
    bits.bits(0, 7);
    target.truncate(at);
    target.extend(bits.into_bytes());
    // Without the three bits before it, the stream is what software reads.
    let mut reader = pelton_nxu::BitReader::new(&target, 3);
    let mut stream = pelton_nxu::BitWriter::new();
    while let Some(bit) = reader.take(1) {
        stream.bits(bit.into(), 1);
    }
    let mut back = vec![0; 3000];
    pelton_codec::RawDecoder::new().decompress(&stream.into_bytes(), &mut back).expect("a stream");
    assert!(back == data);
}

/// The second block has matches in the first, and a table of its own.
#[test]
fn blocks_follow_one_another_with_their_history() {
    let data = random(10_000);
    let mut processor = Processor::plain();
    let mut target = vec![0; 30_000];
    processor.block.set_closes_block(true);
    let first = processor.run(Function::Compress, &mut target, &data);
    assert_eq!(first.condition, Condition::Done);
    processor.run(Function::GenerateTable, &mut [], &data);
    processor.block.set_dynamic(true);
    processor.block.set_last_block(true);
    let second = processor.run(Function::Compress, &mut target[first.written..], &data);
    assert_eq!(second.condition, Condition::Done);
    assert!(second.written < 1000, "{second:?}");
    let end = first.written + second.written + usize::from(processor.block.used_bits() > 0);
    assert!(inflate(&target[..end], 20_000) == [&data[..], &data].concat());
}

/// A dictionary is history that the caller puts into the buffer.
#[test]
fn history_may_come_from_the_caller() {
    let dictionary = random(5000);
    let mut processor = Processor::plain();
    processor.block.set_new_task(false);
    // Around the end of the buffer.
    let at = 30_000;
    let first = 32_768 - at;
    processor.history.bytes_mut()[at..].copy_from_slice(&dictionary[..first]);
    processor.history.bytes_mut()[..5000 - first].copy_from_slice(&dictionary[first..]);
    processor.block.set_history_offset(at as u16);
    processor.block.set_history_len(5000);
    let before = processor.block.clone();
    let mut target = vec![0; 10_000];
    processor.block.set_closes_block(true);
    processor.block.set_last_block(true);
    let answer = processor.run(Function::Compress, &mut target, &dictionary);
    assert!(answer.condition == Condition::Done && answer.written < 1000, "{answer:?}");
    // Expanded with the same history.
    let compressed = target[..=answer.written].to_vec();
    processor.block = before;
    let first = 32_768 - at;
    processor.history.bytes_mut()[at..].copy_from_slice(&dictionary[..first]);
    processor.history.bytes_mut()[..5000 - first].copy_from_slice(&dictionary[first..]);
    let answer = processor.run(Function::Expand, &mut target, &compressed);
    assert_eq!((answer.condition, answer.written), (Condition::Done, 5000));
    assert!(target[..5000] == dictionary);
}

#[test]
fn a_table_lacks_symbols_only_on_demand() {
    let sample = text(4096);
    for sampled_only in [false, true] {
        let mut processor = Processor::plain();
        processor.block.set_sampled_symbols_only(sampled_only);
        processor.run(Function::GenerateTable, &mut [], &sample);
        processor.block.set_dynamic(true);
        let mut target = vec![0; 20_000];
        let answer = processor.run(Function::Compress, &mut target, &random(4096));
        let expected =
            if sampled_only { (Condition::Ended, ending_code::NO_CODE) } else { (Condition::Done, 0) };
        assert_eq!((answer.condition, processor.block.ending_code()), expected);
    }
}

#[test]
fn a_table_has_its_end_of_block_code() {
    let mut processor = Processor::plain();
    let compressed = processor.compress(&text(LEN));
    let (code, len) = (processor.block.end_of_block(), u32::from(processor.block.end_of_block_len()));
    let unused_bits = (8 - u32::from(processor.block.used_bits())) % 8;
    // The stream ends with the code, the first bit lowest.
    let last = u32::from_le_bytes(compressed[compressed.len() - 4..].try_into().expect("four bytes"));
    let end = last << unused_bits >> (32 - len);
    assert_eq!(end, u32::from(code.reverse_bits()) >> 1 & ((1 << len) - 1));
    assert!((42..=2283).contains(&processor.block.table_len()));
}

#[test]
fn output_depends_on_page_offsets() {
    // Words of numbers, whose repetitions the filter of the hash table chooses among.
    let data: Vec<u8> = (0..LEN as u32 / 4).flat_map(|at| (at * at % 5003).to_le_bytes()).collect();
    let mut all: Vec<Vec<u8>> = (0..8)
        .map(|offset| {
            let memory = [&vec![0; 100 * offset], &data[..]].concat();
            Processor::plain().compress(&memory[100 * offset..])
        })
        .inspect(|compressed| assert!(inflate(compressed, data.len()) == data))
        .collect();
    all.dedup();
    assert!(all.len() > 1);
}

#[test]
fn rules_of_the_parameter_block_have_ending_codes() {
    type Change = fn(&mut Processor);
    let changes: [(Change, u8); 7] = [
        (|processor| processor.block.set_version(1), ending_code::VERSION),
        (|processor| processor.block.bytes_mut()[5] = 1, ending_code::RESERVED),
        (|processor| processor.block.bytes_mut()[360] = 1, ending_code::RESERVED),
        (|processor| processor.block.set_history_len(32_769), ending_code::HISTORY),
        (
            |processor| {
                processor.block.set_new_task(false);
                processor.block.set_continued(true);
            },
            ending_code::STATE,
        ),
        (|processor| processor.block.set_dynamic(true), ending_code::TABLE),
        (
            |processor| {
                processor.run(Function::GenerateTable, &mut [], b"sample");
                processor.block.set_table_len(processor.block.table_len() + 1);
                processor.block.set_dynamic(true);
            },
            ending_code::TABLE,
        ),
    ];
    for (change, code) in changes {
        let mut processor = Processor::plain();
        change(&mut processor);
        let mut target = [0; 100];
        let answer = processor.call(Function::Compress, &mut target, b"data");
        assert_eq!(answer, Answer { condition: Condition::Ended, written: 0, read: 0 }, "{code:#04x}");
        assert_eq!(processor.block.ending_code(), code);
        assert_eq!(target, [0; 100]);
    }
    let mut processor = Processor::plain();
    assert_eq!(processor.call(Function::GenerateTable, &mut [], b"").condition, Condition::Ended);
    assert_eq!(processor.block.ending_code(), ending_code::NO_SOURCE);
}

/// Between two calls with the continuation flag the block is the machine's.
#[test]
fn a_changed_block_is_found() {
    let data = random(1000);
    for at in [18, 45, 47, 50, 64, 400] {
        let mut processor = Processor::plain();
        let answer = processor.run(Function::Compress, &mut [0; 10], &data);
        assert!(answer.condition == Condition::TargetFull && processor.block.is_continued());
        processor.block.bytes_mut()[at] ^= 1;
        let answer = processor.run(Function::Compress, &mut [0; 10], &data[answer.read..]);
        assert_eq!(
            (answer.condition, processor.block.ending_code()),
            (Condition::Ended, ending_code::STATE),
            "{at}"
        );
    }
}

/// Any target and any interruption give a stream.
#[test]
fn random_calls_make_a_stream() {
    let mut chance = Random::new(7);
    for round in 0..reduced(60) as u64 {
        let data = [text(chance.below(20_000) + 1), random(chance.below(3000))].concat();
        let again_every = Some(1 + chance.below(3) as u64);
        let mut processor = Processor::new(Config { seed: round, again_every, ..Config::default() });
        let (mut compressed, mut at) = (vec![0; 2 * data.len() + 1000], 0);
        let mut out = 0;
        while at < data.len() || processor.block.is_continued() {
            let target = out..(out + 1 + chance.below(2000)).min(compressed.len());
            let source = at..at + chance.below(data.len() - at + 1);
            let answer = processor.run(Function::Compress, &mut compressed[target], &data[source]);
            assert!(answer.condition == Condition::Done || answer.condition == Condition::TargetFull);
            at += answer.read;
            out += answer.written;
            if answer.written + answer.read > 0 || processor.block.is_continued() {
                processor.block.set_block_open(true);
            }
        }
        let mut bits = pelton_nxu::BitWriter::with_partial(compressed[out], processor.block.used_bits());
        bits.bits(0, 7);
        bits.bits(u64::from(EMPTY_LAST_BLOCK[0]), 3);
        bits.bits(0, 7);
        compressed.truncate(out);
        compressed.extend(bits.into_bytes());
        assert!(inflate(&compressed, data.len() + 1) == data, "round {round}");
    }
}
