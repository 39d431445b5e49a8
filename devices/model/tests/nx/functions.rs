//! Functions of the engine, from parameter block to parameter block.

use pelton_codec::{Checksum, checksum};
use pelton_device_model::nx::{Config, Model};
use pelton_device_nx::hw::{Checksums, Completion, Cpb, Crb, Dde, Function, Status, StreamState};

use crate::support::*;

fn sums(bytes: &[u8]) -> Checksums {
    Checksums {
        adler: checksum(Checksum::Adler32, bytes) as u32,
        crc: checksum(Checksum::Crc32, bytes) as u32,
    }
}

#[test]
fn one_buffer_there_and_back() {
    let uncompressed = text(50_000);
    let there = plain(FIXED, &fresh(), &uncompressed, 60_000);
    assert_eq!((there.code(), there.status.extension), (Some(Completion::Done), Status::HAS_COUNT));
    assert_eq!(there.cpb.source_bytes(FIXED), 50_000);
    assert_eq!(there.cpb.output().checksums(), sums(&uncompressed));
    assert_eq!(inflate(there.output(), 50_000), uncompressed);
    let back = plain(DECOMPRESS, &fresh(), there.output(), 50_000);
    assert_eq!((back.code(), back.output() == uncompressed), (Some(Completion::Done), true));
    assert_eq!(back.cpb.source_bytes(DECOMPRESS) as usize, there.output().len());
    assert_eq!(back.cpb.output().checksums(), sums(&uncompressed));
    assert_eq!(back.cpb.output().state(), Some(StreamState::Ended));
}

/// A stream whose blocks without output are many times longer than the target: the engine reads as
/// much of it as it needs.
#[test]
fn a_source_may_be_much_longer_than_its_output() {
    let empty = [0, 0, 0, 0xff, 0xff].repeat(100_000);
    let stream = [&empty[..], &deflate(b"the end")].concat();
    let answer = plain(DECOMPRESS, &fresh(), &stream, 100);
    assert_eq!((answer.code(), answer.output()), (Some(Completion::Done), &b"the end"[..]));
    assert_eq!(answer.cpb.source_bytes(DECOMPRESS) as usize, stream.len());
    // The source ends within the blocks.
    let answer = plain(DECOMPRESS, &fresh(), &empty[..400_000], 100);
    assert_eq!((answer.code(), answer.status.target_bytes), (Some(Completion::Partial), 0));
    assert_eq!(answer.cpb.source_bytes(DECOMPRESS), 400_000);
}

/// "ab" with the fixed table: two literals and the end of the block (RFC 1951, section 3.2.6).
#[test]
fn a_block_by_hand() {
    let answer = plain(FIXED, &fresh(), b"ab", 16);
    // The final block's header, each letter's code with its first bit first, then seven zeros.
    assert_eq!(answer.output(), [0b0100_1011, 0b0100_1100, 0b0000_0010, 0]);
    assert_eq!(answer.cpb.output().last_bits(), 2);
    assert_eq!(answer.code(), Some(Completion::Expanded), "four bytes for two");
}

#[test]
fn counts_make_the_table_of_a_second_pass() {
    let uncompressed = text(30_000);
    let model = Model::new(Config::default());
    let counted = run(&model, COUNT, &fresh(), &uncompressed, 40_000);
    let counts = counted.cpb.counts();
    assert_eq!(counts.literals[256], 1);
    assert_eq!(counted.cpb.source_bytes(COUNT), 30_000);
    let mut own = pelton_nxu::Counts { literals: counts.literals, distances: counts.distances };
    own.fill_zeros(true);
    let table = pelton_nxu::Table::from_counts(&own).table;
    let mut to = pelton_nxu::BitWriter::new();
    table.write(&mut to);
    let mut cpb = fresh();
    let bits = to.len_bits() as usize;
    cpb.input_mut().set_table(&to.into_bytes(), bits);
    let written = run(&model, DYNAMIC, &cpb, &uncompressed, 40_000);
    assert_eq!(written.code(), Some(Completion::Done));
    assert_eq!(inflate(written.output(), 30_000), uncompressed);
    assert!(written.output().len() < counted.output().len(), "{} bytes", written.output().len());
    assert_eq!(written.output()[0] & 7, 0b101, "final, dynamic");
}

#[test]
fn a_byte_limit_suspends_a_compression() {
    let uncompressed = text(30_000);
    let model = Model::new(Config { high_limit: 20_000, marks_final: false, ..Config::default() });
    let first = run(&model, FIXED, &fresh(), &uncompressed, 40_000);
    assert_eq!(
        (first.code(), first.status.extension & Status::PARTIAL),
        (Some(Completion::Partial), Status::PARTIAL)
    );
    assert_eq!(first.cpb.source_bytes(FIXED), 20_000);
    assert_eq!(first.output()[0] & 1, 0, "not marked as final");
    let mut cpb = fresh();
    cpb.input_mut().set_checksums(first.cpb.output().checksums());
    cpb.input_mut().set_history(8000);
    let second = run(&model, COMPRESS_RESUME, &cpb, &uncompressed[12_000..], 40_000);
    assert_eq!(second.code(), Some(Completion::Done));
    assert_eq!(second.cpb.source_bytes(COMPRESS_RESUME), 18_000, "with the history");
    assert_eq!(second.cpb.output().checksums(), sums(&uncompressed));
    let without = run(&model, FIXED, &fresh(), &uncompressed[20_000..], 40_000);
    assert!(second.output().len() < without.output().len(), "matches in the history");
}

/// Decompresses in steps, by copying the output part to the input part.
fn in_steps(model: &Model, function: Function, stream: &[u8], step: usize, len: usize) -> (Vec<u8>, usize) {
    let (mut output, mut at, mut steps) = (Vec::new(), 0, 0);
    let mut cpb = fresh();
    let Function::Decompress { one_block, .. } = function else { panic!("{function:?}") };
    loop {
        let resume = steps > 0;
        let function = Function::Decompress { resume, one_block };
        let history = if resume { output.len().min(32 << 10) / 16 * 16 } else { 0 };
        let end = stream.len().min(at + step);
        let source = [&output[output.len() - history..], &stream[at..end]].concat();
        cpb.input_mut().set_history(history);
        let answer = run(model, function, &cpb, &source, len + 1 - output.len());
        assert!(!answer.status.is_terminated(), "step {steps}: {:?}", answer.status);
        output.extend_from_slice(answer.output());
        cpb = answer.cpb.clone();
        steps += 1;
        let unused = usize::from(cpb.output().unused_bits());
        at += cpb.source_bytes(function) as usize - history - unused.div_ceil(8);
        if cpb.output().state() == Some(StreamState::Ended) {
            return (output, steps);
        }
        assert_eq!(answer.code(), Some(Completion::Partial));
        assert!(steps < 10_000, "no progress at {at}");
        cpb.continue_stream();
    }
}

#[test]
fn a_stream_continues_from_the_output_of_the_request_before() {
    let uncompressed = [text(20_000), noise(9_000), text(9_000)].concat();
    let stream = deflate(&uncompressed);
    let model = Model::new(Config::default());
    // Steps that end in headers would not progress, so each is longer than a header.
    for step in [400, 1000, 7777, 1 << 20] {
        let (output, steps) = in_steps(&model, DECOMPRESS, &stream, step, uncompressed.len());
        assert!(output == uncompressed, "steps of {step}");
        assert_eq!(steps == 1, step == 1 << 20, "{steps} steps of {step}");
    }
    let low = Model::new(Config { high_limit: 36_000, ..Config::default() });
    let (output, steps) = in_steps(&low, DECOMPRESS, &stream, 1 << 20, uncompressed.len());
    assert!(output == uncompressed && steps > 1, "{steps} steps");
    // A stored block, and those of the stream.
    let stored = [&[0, 3, 0, 0xfc, 0xff, b'a', b'b', b'c'], &stream[..]].concat();
    let blocks = Function::Decompress { resume: false, one_block: true };
    let (output, steps) = in_steps(&model, blocks, &stored, 1 << 20, uncompressed.len() + 3);
    assert!(output == [&b"abc"[..], &uncompressed].concat() && steps > 1, "{steps} blocks");
}

#[test]
fn wrap_copies() {
    let source = text(5000);
    let answer = plain(Function::Wrap, &Cpb::new(), &source, 5000);
    assert_eq!((answer.code(), answer.output() == source), (Some(Completion::Done), true));
    assert_eq!(answer.cpb.output().checksums(), sums(&source));
    assert_eq!(answer.cpb.source_bytes(Function::Wrap), 5000);
}

/// Lists gather the source and scatter the target.
#[test]
fn lists_of_parts() {
    let source = text(3000);
    let mut memory = vec![0_u8; 3000];
    let base = memory.as_mut_ptr().expose_provenance() as u64;
    // The source's parts from its end to its start, in the first half of a list; the target's in
    // the second.
    #[repr(align(16))]
    struct List([[u8; 16]; 4]);
    let mut request = Request::new(&Cpb::new(), &source, 16);
    let at = request.addresses();
    let list = List([
        *Dde::direct(at.source + 2000, 1000).as_bytes(),
        *Dde::direct(at.source, 2000).as_bytes(),
        *Dde::direct(base + 100, 50).as_bytes(),
        *Dde::direct(base + 200, 2800).as_bytes(),
    ]);
    let list = list.0.as_ptr().expose_provenance() as u64;
    let (from, to) = (Dde::list(list, 2, 2500), Dde::list(list + 32, 2, 2850));
    let window = window(&Model::new(Config::default()));
    let crb = Crb::new(Function::Wrap, false, at.csb, from, to);
    assert_eq!(request.paste(&window, &crb), pelton_device_nx::Pasted::Accepted);
    let answer = request.answer();
    assert_eq!((answer.code(), answer.status.target_bytes), (Some(Completion::Done), 2500));
    let expected = [&source[2000..], &source[..1500]].concat();
    assert_eq!([&memory[100..150], &memory[200..2650]].concat(), expected);
    assert!(memory[150..200].iter().chain(&memory[2650..]).all(|byte| *byte == 0));
}

/// Hash tables start with random contents: two engines may find other matches.
#[test]
fn the_seed_changes_the_output_and_not_its_contents() {
    let uncompressed = text(60_000);
    let output = |seed| {
        let model = Model::new(Config { seed, ..Config::default() });
        run(&model, FIXED, &fresh(), &uncompressed, 70_000).output().to_vec()
    };
    let all: Vec<Vec<u8>> = (0..3).map(output).collect();
    for stream in &all {
        assert_eq!(inflate(stream, 60_000), uncompressed);
    }
    assert_eq!(output(1), all[1], "the same seed");
}
